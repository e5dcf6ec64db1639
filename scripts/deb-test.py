#!/usr/bin/env python3
"""Installs, upgrades, removes and purges the Debian package in a Debian that boots beside this one.

    scripts/deb-test.py [--packages .build/deb]

That Debian is a debootstrap of this machine's release from this machine's mirror, and is kept
beside the packages; each run boots it anew with a memory file system over it. Needs root and
cgroup v2.
"""
import argparse
import contextlib
import http.server
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent
MACHINE = PROJECT / "Tests/ServiceTests/Machine/machine.py"
# What the test itself uses in there, beyond what the package depends on.
TOOLS = ["systemd", "adduser", "ca-certificates", "iproute2", "logrotate"]
PATIENCE = 30
CONFIGURATION = """\
# The administrator's own words.
targets:
  news: {url: "http://127.0.0.1/news", interval: 1s, confirm: 2}
  busy: {url: "http://127.0.0.1/count", interval: 1s, confirm: 1}
"""
LOG = "/var/log/pagewatch/events.jsonl"
# Whatever of the package's could be left behind.
LEFT = "find / /run -xdev -path /srv -prune -o -name '*pagewatch*' -print"


def serve(folder):
    """The pages: one with the title that FOLDER/title holds, and one with another at each request.

    While FOLDER/hold is there, the first shows each title once and then keeps who asks waiting.
    """
    numbers = itertools.count(1)
    shown = set()

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/count":
                title = f"Busy {next(numbers)}"
            else:
                title = (folder / "title").read_text()
                while title in shown and (folder / "hold").exists():
                    time.sleep(0.02)
                shown.add(title)
            page = f"<!DOCTYPE html><title>{title}</title>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            # Who is restarted in a load does not wait for its end.
            with contextlib.suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(page)

        def log_message(self, *_):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", 80), Site).serve_forever()


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


# The packages


def find_package(folder):
    found = [path for path in folder.glob("pagewatch_*.deb")]
    if len(found) != 1:
        sys.exit(f"deb-test: {len(found)} packages in {folder} (make deb builds one)")
    return found[0]


def next_version(package, folder):
    """The same package as a later version, whose configuration has changed, too."""
    tree = folder / "next"
    subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
    control = tree / "DEBIAN/control"
    version = output("dpkg-deb", "--field", package, "Version") + "+next"
    lines = control.read_text().splitlines()
    lines = [f"Version: {version}" if line.startswith("Version:") else line for line in lines]
    control.write_text("\n".join(lines) + "\n")
    with open(tree / "etc/pagewatch/pagewatch.yaml", "a") as file:
        file.write("# Words of the next version.\n")
    built = folder / "pagewatch-next.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, built], check=True,
                   stdout=subprocess.DEVNULL)
    return built, version


def debian(package, folder):
    """The folder of a Debian that has what the package depends on; made if it is not there yet."""
    depends = output("dpkg-deb", "--field", package, "Depends")
    names = {entry.split("|")[0].split()[0].split(":")[0] for entry in depends.split(",")}
    names = ",".join(sorted(names | set(TOOLS)))
    release = dict(
        line.rstrip().split("=", 1) for line in open("/etc/os-release"))["VERSION_CODENAME"]
    made = folder / "made-with"
    if made.exists() and made.read_text() == f"{release} {names}":
        return folder / "root"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"making a Debian {release} in {folder}", flush=True)
    # The mirror is where apt finds this machine's own packages.
    sites = output("apt-get", "indextargets", "--format", "$(CREATED_BY) $(RELEASE) $(SITE)")
    mirrors = [line.split()[2] for line in sites.splitlines()
               if line.split()[:2] == ["Packages", release]]
    if not mirrors:
        sys.exit(f"deb-test: apt knows no mirror of {release} (apt-get update)")
    with open(folder / "log", "w") as log:
        code = subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={names}", release, folder / "root",
             mirrors[0]], stdout=log, stderr=log).returncode
    if code != 0:
        sys.exit(f"deb-test: debootstrap failed; {folder}/log says how")
    made.write_text(f"{release} {names}")
    return folder / "root"


# The machine


class Machine:
    """A booted Debian."""

    def __init__(self, number):
        self.number = number

    def run(self, line, user=None):
        """Runs a line of a shell; answers how it ended, with what it said."""
        command = ["sh", "-c", line]
        if user:
            command = ["runuser", "-u", user, "--", *command]
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "SYSTEMD_PAGER": "cat",
        }
        return subprocess.run(
            ["nsenter", "--target", self.number, "--all", "--", *command], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def do(self, line):
        """Runs a line that has to go well; answers all that it said."""
        done = self.run(line)
        if done.returncode != 0:
            raise AssertionError(f"{line}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def start(self, line):
        return subprocess.Popen(
            ["nsenter", "--target", self.number, "--all", "--", "sh", "-c", line],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def state(self, unit="pagewatch"):
        return self.run(f"systemctl is-active {unit}").stdout.strip()

    def history(self, target, event=None):
        """The events of a target, or of that kind alone, oldest first; of the service for ""."""
        lines = self.do(f"pagewatch history {target} --json").splitlines()
        return [line for line in map(json.loads, lines) if event in (None, line["event"])]


@contextlib.contextmanager
def booted(root, shared):
    command = [sys.executable, MACHINE, "--root", root,
               "--copy", f"{shared}/packages:/srv/packages"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        number = process.stdout.readline().strip()
        if not number:
            sys.exit("deb-test: the machine does not boot")
        yield Machine(number)
    finally:
        # It ends in order, and leaves nothing.
        process.terminate()
        process.wait()


@contextlib.contextmanager
def site(machine, folder):
    """The pages, on the machine's own loopback; this machine's Python serves them."""
    process = subprocess.Popen(
        ["nsenter", "--target", machine.number, "--net", "--", sys.executable, __file__,
         "--serve", folder])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def expect(holds, what, seen=""):
    if not holds:
        raise AssertionError(f"{what}\n{seen}")


def eventually(what, answer):
    """Asks again and again until there is an answer."""
    end = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(AssertionError):
            found = answer()
            if found:
                return found
        expect(time.monotonic() < end, f"waited in vain for {what}")
        time.sleep(0.05)


# What an administrator does


def installs(machine, package):
    said = machine.do(f"apt-get install -y ./srv/packages/{package.name}")
    expect(machine.state() == "active", "the service is active", said)
    for unit in ["pagewatch.service", "pagewatch.socket"]:
        expect(machine.run(f"systemctl is-enabled {unit}").returncode == 0, f"{unit} is enabled")
    expect(machine.do("systemctl is-system-running").strip() == "running", "nothing has failed")
    machine.do("pagewatch verify")
    for path, kind in [("/etc/pagewatch/targets.d", "755 root root"),
                       ("/var/lib/pagewatch", "750 pagewatch pagewatch"),
                       ("/var/log/pagewatch", "2750 pagewatch adm"),
                       ("/run/pagewatch/control.sock", "660 root pagewatch")]:
        expect(machine.do(f"stat -c '%a %U %G' {path}").strip() == kind, f"{path} is {kind}")
    listed = machine.do("dpkg-query --show --showformat '${Conffiles}' pagewatch")
    for name in ["/etc/pagewatch/pagewatch.yaml", "/etc/default/pagewatch",
                 "/etc/logrotate.d/pagewatch"]:
        expect(name in listed, f"{name} is a conffile", listed)
    # The journal knows the messages' explanations.
    eventually("the catalog", lambda: "The page monitor watches" in machine.do(
        "journalctl --no-pager -x MESSAGE_ID=f23e7b656b9f45d28e29004ef5bf8098"))


def asks_as_users(machine):
    machine.do("useradd --create-home member && useradd --create-home stranger")
    machine.do("adduser --quiet member pagewatch")
    done = machine.run("pagewatch status", user="member")
    expect(done.returncode == 0 and "pagewatch" in done.stdout, "a member may ask", done)
    done = machine.run("pagewatch status", user="stranger")
    expect(done.returncode == 3, "a stranger may not", done)
    for word in ["/run/pagewatch/control.sock", "adduser USER pagewatch", "log in again"]:
        expect(word in done.stderr, f"a stranger is told: {word}", done.stderr)


def configures(machine):
    machine.do(f"cat >/etc/pagewatch/pagewatch.yaml <<'END'\n{CONFIGURATION}END")
    machine.do("systemctl reload pagewatch")
    for target in ["news", "busy"]:
        eventually(f"a title of {target}", lambda: machine.history(target))


def rotates_the_log(machine):
    eventually("the log", lambda: "firstSeen" in machine.do(f"cat {LOG}"))
    machine.do("logrotate --force /etc/logrotate.d/pagewatch")
    eventually("a new log", lambda: machine.do(f"cat {LOG}"))
    expect("firstSeen" in machine.do(f"cat {LOG}.1"), "the old log is kept")
    expect(machine.do(f"stat -c '%a %U %G' {LOG}").strip() == "640 pagewatch adm",
           "the group adm may read the new log")


def upgrades(machine, package, version, folder):
    """With a title that was seen once and is still to be confirmed, and others on their way."""
    before = machine.history("busy")
    process = machine.do("systemctl show --property MainPID --value pagewatch")
    (folder / "hold").touch()
    (folder / "title").write_text("Two")
    # A change takes two good loads: it has one, and the second one does not end.
    eventually("a load with the new title", lambda: json.loads(
        machine.do("pagewatch status news --json"))["page"]["title"] == "Two")
    asking = machine.start("while [ ! -e /srv/upgraded ]; do"
                           " pagewatch status >/dev/null || exit; sleep 0.02; done; echo answered")
    said = machine.do("apt-get install -y -o Dpkg::Options::=--force-confdef "
                      f"-o Dpkg::Options::=--force-confold ./srv/packages/{package.name}")
    expect(machine.state() == "active", "the service is active", said)
    (folder / "hold").unlink()
    machine.do("touch /srv/upgraded")
    expect(machine.do("systemctl show --property MainPID --value pagewatch") != process,
           "the service is another one")
    told = asking.communicate(timeout=PATIENCE)[0]
    expect(told == "answered\n", "all commands were answered meanwhile", told)
    expect(machine.do("dpkg-query --show --showformat '${Version}' pagewatch") == version,
           "the version is the next one")
    expect(machine.do("cat /etc/pagewatch/pagewatch.yaml") == CONFIGURATION,
           "the administrator's configuration is kept")
    expect("next version" in machine.do("cat /etc/pagewatch/pagewatch.yaml.dpkg-dist"),
           "the package's lies beside it")

    change = eventually("the change", lambda: machine.history("news", "titleChanged"))[0]
    expect((change["from"], change["to"]) == ("One", "Two"), "the change is the right one", change)
    started = [line["time"] for line in machine.history("", "service")
               if line["state"] == "started"]
    expect(len(started) == 2, "the service has started twice", started)
    expect(change["firstShown"] < started[1] < change["time"],
           "the load before the upgrade counts", f"{change}, upgraded at {started[1]}")
    eventually("changes of the busy target",
               lambda: machine.history("busy")[-1]["time"] > change["time"])
    expect(machine.history("busy")[:len(before)] == before, "the history before is the same")
    for one, next in itertools.pairwise(machine.history("busy", "titleChanged")):
        expect(one["to"] == next["from"], "no change is missing", f"{one}\n{next}")


def removes(machine):
    machine.do("echo http://127.0.0.1/news >/etc/pagewatch/checks/press")
    machine.do("systemctl enable --now pagewatch-check@press.timer")
    machine.do("systemctl start pagewatch-check@press")
    said = machine.do("apt-get remove -y pagewatch")
    for unit in ["pagewatch", "pagewatch.socket", "pagewatch-check@press.timer"]:
        expect(machine.state(unit) != "active", f"{unit} is stopped", said)
    for path in ["/etc/pagewatch/pagewatch.yaml", "/var/lib/pagewatch", LOG]:
        machine.do(f"test -e {path}")
    machine.do("test ! -e /run/pagewatch")
    machine.do("! grep -qx pagewatch /proc/[0-9]*/comm")


def installs_again(machine, package):
    machine.do(f"apt-get install -y ./srv/packages/{package.name}")
    expect(machine.state() == "active", "the service is active")
    expect(machine.history("news", "titleChanged"), "its history is there")


def purges(machine):
    machine.do("touch /etc/pagewatch/targets.d/more.yaml")
    said = machine.do("apt-get purge -y pagewatch")
    for folder in ["/etc/pagewatch", "/var/lib/pagewatch", "/var/lib/pagewatch-check",
                   "/var/log/pagewatch"]:
        expect(f"pagewatch: removed {folder}\n" in said, f"it says that {folder} is gone", said)
    expect("kept the locked system user" in said, "it says that the user stays", said)
    left = machine.do(LEFT)
    expect(left == "", "nothing is left", left)
    expect(machine.do("passwd --status pagewatch").split()[1] == "L", "the user is locked")
    machine.do("systemctl daemon-reload")
    expect(machine.do("systemctl list-units --all --plain --no-legend 'pagewatch*'") == "",
           "systemd knows nothing of it")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", type=pathlib.Path, default=PROJECT / ".build/deb")
    parser.add_argument("--serve", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve)
    if os.geteuid() != 0:
        sys.exit("deb-test: needs root, to boot a system")

    package = find_package(options.packages.resolve())
    root = debian(package, options.packages.resolve() / "debian")
    with tempfile.TemporaryDirectory(prefix="pagewatch-deb.") as name:
        folder = pathlib.Path(name)
        later, version = next_version(package, folder)
        (folder / "packages").mkdir()
        for file in [package, later]:
            shutil.copy(file, folder / "packages")
        (folder / "title").write_text("One")
        with booted(root, folder) as machine, site(machine, folder):
            steps = [
                (installs, package), (asks_as_users,), (configures,), (rotates_the_log,),
                (upgrades, later, version, folder), (removes,), (installs_again, later), (purges,),
            ]
            for step, *arguments in steps:
                begun = time.monotonic()
                try:
                    step(machine, *arguments)
                except AssertionError as problem:
                    print(machine.run("journalctl --no-pager --lines 40").stdout, file=sys.stderr)
                    sys.exit(f"deb-test: {step.__name__.replace('_', ' ')}: {problem}")
                name = step.__name__.replace("_", " ")
                print(f"{name}: {time.monotonic() - begun:.1f} s", flush=True)


main()
