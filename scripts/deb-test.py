#!/usr/bin/env python3
"""Installs, upgrades, removes and purges the Debian package in a Debian that boots beside this one.

    scripts/deb-test.py [--packages .build/deb]

That Debian is a debootstrap of this machine's release from this machine's mirror, and is kept
beside the packages; each run boots it anew with a memory file system over it. Exit codes: 0 if all
is as it should be, 77 where no system can be booted (that takes root and cgroup v2), 75 if
Debian's mirror can't be reached, 1 for anything else, with what was seen.
"""
import argparse
import contextlib
import http.server
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from deb_machine import (
    PATIENCE, PROJECT, booted, debian, eventually, expect, leave, needs_to_boot, output, unbooted)

CONFIGURATION = """\
# The administrator's own words.
targets:
  news: {url: "http://127.0.0.1/news", interval: 1s, confirm: 2}
  busy: {url: "http://127.0.0.1/count", interval: 1s, confirm: 1}
"""
LOG = "/var/log/pagewatch/events.jsonl"
MANUALS = {"pagewatch": 1, "pagewatch.yaml": 5, "pagewatch-events": 7, "pagewatch.service": 8}
UNITS = ["pagewatch.service", "pagewatch.socket", "pagewatch-stop.target",
         "pagewatch-check@x.service", "pagewatch-check@x.timer"]
CONFIGURED = "/etc/pagewatch/pagewatch.yaml"
REFERENCE = "/usr/share/doc/pagewatch/pagewatch.yaml"
# In each shell, what it would offer behind "pagewatch stat".
COMPLETIONS = {
    "bash": ". /usr/share/bash-completion/bash_completion; _completion_loader pagewatch;"
            " words=$(complete -p pagewatch) && words=${words#*-F };"
            " COMP_WORDS=(pagewatch stat) COMP_CWORD=1 COMP_LINE='pagewatch stat' COMP_POINT=14;"
            " ${words%% *} pagewatch stat pagewatch; echo ${COMPREPLY[@]}",
    "zsh": "autoload -Uz compinit && compinit -u -D && autoload +X $_comps[pagewatch]"
           " && whence -f $_comps[pagewatch]",
    "fish": "complete -C 'pagewatch stat'",
}
# What could be left behind: the package's by its name, and the service's by its user. What the test
# has put there is not, nor are man's copies of pages that were read.
LEFT = ("find / /run -xdev \\( -path /srv -o -path /opt -o -path /var/cache/man \\) -prune -o"
        " \\( -name '*pagewatch*' -o -user pagewatch -o -group pagewatch \\) -print")
FOLDERS = ["/etc/pagewatch", "/var/lib/pagewatch", "/var/lib/pagewatch-check",
           "/var/log/pagewatch"]
# Timers of checks, and how the administrator has left them.
TIMERS = {"press": ("enabled", "active"), "resting": ("enabled", "inactive"),
          "alarm": ("required", "active"), "trial": ("disabled", "active")}
# In a machine without systemd: the log is rotated all the same, by a user who is kept locked.
WITHOUT_SYSTEMD = f"""
apt-get purge -y systemd
if command -v systemctl || command -v systemd-sysusers || getent passwd pagewatch; then exit 1; fi
apt-get install -y --no-install-recommends ./srv/packages/$PACKAGE
pagewatch verify
logrotate --force /etc/logrotate.conf
install -d -o pagewatch -g adm -m 2750 {FOLDERS[-1]}
echo one >{LOG} && chown pagewatch:adm {LOG}
logrotate --force /etc/logrotate.conf
test "$(cat {LOG}.1)" = one
passwd --status pagewatch | grep '^pagewatch L '
dpkg-reconfigure pagewatch
apt-get purge -y pagewatch
test -z "$({LEFT})"
"""


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


# The packages


def find_package(folder):
    found = [path for path in folder.glob("pagewatch_*.deb")]
    if len(found) != 1:
        leave(1, f"{len(found)} packages in {folder} (make deb builds one)")
    return found[0]


def dependencies(package):
    """The names of what it depends on, which must be libraries alone."""
    depends = output("dpkg-deb", "--field", package, "Depends")
    names = {entry.split()[0].split(":")[0] for entry in depends.split(",")}
    expect("|" not in depends and all(name.startswith(("lib", "zlib")) for name in names),
           "it depends on libraries alone", depends)
    return names


def next_version(package, folder):
    """The same package as a later version, with more to tell of its configuration."""
    tree = folder / "next"
    subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
    control = tree / "DEBIAN/control"
    version = output("dpkg-deb", "--field", package, "Version") + "+next"
    lines = control.read_text().splitlines()
    lines = [f"Version: {version}" if line.startswith("Version:") else line for line in lines]
    control.write_text("\n".join(lines) + "\n")
    with open(tree / REFERENCE[1:], "a") as file:
        file.write("# Words of the next version.\n")
    built = folder / "pagewatch-next.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, built], check=True,
                   stdout=subprocess.DEVNULL)
    return built, version


# What an administrator does


def installs(machine, package):
    said = machine.do(f"apt-get install -y ./srv/packages/{package.name}")
    state = machine.state()
    expect(state == "active", "systemctl is-active pagewatch says active", f"{state}\n{said}")
    for unit in ["pagewatch.service", "pagewatch.socket"]:
        state = machine.run(f"systemctl is-enabled {unit}").stdout.strip()
        expect(state == "enabled", f"{unit} is enabled", state)
    state = machine.run("systemctl is-system-running; systemctl --failed").stdout
    expect(state.startswith("running\n"), "nothing has failed", state)
    machine.do("pagewatch verify")
    said = machine.do(f"systemd-analyze verify {' '.join(UNITS)}")
    expect(said == "", "systemd-analyze verify has nothing to say, of manuals either", said)
    for path, kind in [("/etc/pagewatch/targets.d", "755 root root"),
                       ("/etc/pagewatch/checks", "755 root root"),
                       ("/var/lib/pagewatch", "750 pagewatch pagewatch"),
                       ("/var/log/pagewatch", "2750 pagewatch adm"),
                       ("/run/pagewatch/control.sock", "660 root pagewatch")]:
        found = machine.do(f"stat -c '%a %U %G' {path}").strip()
        expect(found == kind, f"{path} is {kind}", found)
    listed = machine.do("dpkg-query --show --showformat '${Conffiles}' pagewatch")
    for name in [CONFIGURED, "/etc/default/pagewatch", "/etc/logrotate.d/pagewatch"]:
        expect(f" {name} " in listed, f"{name} is a conffile", listed)


def explains(machine):
    """To those who read manuals, complete names in their shells, or look into the journal."""
    for name, section in MANUALS.items():
        found = machine.do(f"man -w {name}").strip()
        expect(found == f"/usr/share/man/man{section}/{name}.{section}.gz",
               f"man finds {name}({section})", found)
        said = machine.do(f"man {name}")
        expect("DESCRIPTION" in said, f"man shows {name}({section})", said[:300])
    for shell, line in COMPLETIONS.items():
        said = machine.do(f"cat >/tmp/complete <<'END'\n{line}\nEND\n{shell} /tmp/complete")
        expect("status" in said, f"{shell} completes", said)
    named = machine.do(f"man pagewatch.yaml; cat {CONFIGURED}")
    expect(named.count(REFERENCE) == 2, "manual and configuration name the reference", named)
    expect("#  concurrency: 256 " in machine.do(f"cat {REFERENCE}"), "the reference has the keys")
    explanation = "The page monitor watches"
    said = eventually("the first message", lambda: machine.do(
        "journalctl --no-pager MESSAGE_ID=f23e7b656b9f45d28e29004ef5bf8098"))
    expect(explanation not in said, "the message itself has not the explanation", said)
    said = machine.do("journalctl --no-pager -x MESSAGE_ID=f23e7b656b9f45d28e29004ef5bf8098")
    expect(explanation in said, "journalctl -x has the explanation", said)


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
    machine.do(f"cat >{CONFIGURED} <<'END'\n{CONFIGURATION}END")
    machine.do("systemctl reload pagewatch")
    for target in ["news", "busy"]:
        eventually(f"a title of {target}", lambda: machine.history(target))
    for name, (enabled, active) in TIMERS.items():
        machine.do(f"echo http://127.0.0.1/news >/etc/pagewatch/checks/{name}")
        if enabled == "enabled":
            machine.do(f"systemctl enable pagewatch-check@{name}.timer")
        elif enabled == "required":
            machine.do(f"systemctl add-requires timers.target pagewatch-check@{name}.timer")
        if active == "active":
            machine.do(f"systemctl start pagewatch-check@{name}.timer")
    machine.do("systemctl start pagewatch-check@press")


def rotates_the_log(machine):
    eventually("the log", lambda: "firstSeen" in machine.do(f"cat {LOG}"))
    # While nothing is told, only logrotate's signal has the service make the new file.
    machine.do("pagewatch pause busy")
    eventually("the pause", lambda: '"paused"' in machine.do(f"cat {LOG}"))
    machine.do("logrotate --force /etc/logrotate.conf")
    eventually("a new log", lambda: machine.do(f"ls {LOG}"))
    machine.do("pagewatch resume busy")
    eventually("its first line", lambda: machine.do(f"cat {LOG}"))
    machine.do("logrotate --force /etc/logrotate.conf")
    eventually("another log", lambda: machine.do(f"ls {LOG}"))
    found = machine.do(f"cd /var/log/pagewatch && ls && cat {LOG}.1 && zcat {LOG}.2.gz")
    expect("firstSeen" in found and "resumed" in found, "the old logs are kept", found)
    found = machine.do(f"stat -c '%a %U %G' {LOG}").strip()
    expect(found == "640 pagewatch adm", "the group adm may read the new log", found)


def upgrades(machine, package, version, folder):
    """With a title that was seen once and is still to be confirmed, and others on their way."""
    before = machine.history("busy")
    process = machine.do("systemctl show --property MainPID --value pagewatch")
    (folder / "hold").touch()
    (folder / "title").write_text("Two")
    # A change takes two good loads: it has one, and the second one does not end.
    eventually("a load with the new title", lambda: json.loads(
        machine.do("pagewatch status news --json"))["page"]["title"] == "Two")
    changes = machine.history("news", "titleChanged")
    expect(changes == [], "the change is not told yet", changes)
    asking = machine.start("while [ ! -e /srv/upgraded ]; do said=$(pagewatch status 2>&1 >/dev/null)"
                           " || echo \"$said\"; sleep 0.02; done; echo asked")
    # Nobody is there who could answer a question.
    said = machine.do(f"apt-get install -y ./srv/packages/{package.name}")
    expect(machine.state() == "active", "the service is active", said)
    (folder / "hold").unlink()
    machine.do("touch /srv/upgraded")
    found = machine.do("systemctl show --property MainPID --value pagewatch")
    expect(found != process, "the service is another one", found)
    told = asking.communicate(timeout=PATIENCE)[0]
    # One that reaches the service just when it ends asks the next one, too.
    expect(told == "asked\n", "all commands were answered meanwhile", told)
    found = machine.do("dpkg-query --show --showformat '${Version}' pagewatch")
    expect(found == version, f"the version is {version}", found)
    found = machine.do(f"cat {CONFIGURED}")
    expect(found == CONFIGURATION, "the administrator's configuration is kept", found)
    found = machine.do("ls -A /etc/pagewatch")
    expect("dpkg" not in found, "nothing else lies beside it", found)
    expect("next version" in machine.do(f"cat {REFERENCE}"), "the reference is the new one")
    for name, (_, active) in TIMERS.items():
        found = machine.state(f"pagewatch-check@{name}.timer")
        expect(found == active, f"the timer of {name} is {active}, as before", found)

    change = eventually("the change", lambda: machine.history("news", "titleChanged"))[0]
    expect((change["from"], change["to"]) == ("One", "Two"), "the change is the right one", change)
    started = [line["time"] for line in machine.history("", "service")
               if line["state"] == "started"]
    expect(len(started) == 2, "the service has started twice", started)
    expect(change["firstShown"] < started[1] < change["time"],
           "the load before the upgrade counts", f"{change}, upgraded at {started[1]}")
    eventually("changes of the busy target",
               lambda: machine.history("busy")[-1]["time"] > change["time"])
    loses_nothing(machine, before)


def loses_nothing(machine, before):
    """The history has what it had, and all that was told meanwhile, in its place."""
    told = machine.do(f"zcat {LOG}.2.gz; cat {LOG}.1 {LOG}").splitlines()
    told = [line for line in map(json.loads, told) if line.get("target") == "busy"]
    now = machine.history("busy")
    expect(now[:len(before)] == before, "the history before is the same", f"{before}\n{now}")
    numbers = [line["seq"] for line in now]
    lost = [line for line in told if line["seq"] not in numbers]
    expect(told and not lost, "all that the log told is in the history", lost or told)
    for one, next in itertools.pairwise(line for line in now if line["event"] == "titleChanged"):
        expect(one["to"] == next["from"], "no change is missing", f"{one}\n{next}")


def stops_and_starts(machine):
    units = ["pagewatch.service", "pagewatch.socket"]
    machine.do("systemctl stop pagewatch")
    done = machine.run("pagewatch status")
    expect(done.returncode == 3 and "no service at " in done.stderr,
           "a command is told that there is no service", done)
    for unit in [*units, "pagewatch-stop.target"]:
        found = machine.state(unit)
        expect(found == "inactive", f"{unit} is stopped, and no command starts it", found)
    machine.do("systemctl start pagewatch")
    machine.do("pagewatch status")
    for unit in units:
        found = machine.state(unit)
        expect(found == "active", f"{unit} is there again", found)


def removes_and_installs_again(machine, package):
    before = machine.history("busy")
    said = machine.do("apt-get remove -y pagewatch")
    units = ["pagewatch", "pagewatch.socket"]
    for unit in units + [f"pagewatch-check@{name}.timer" for name in TIMERS]:
        found = machine.state(unit)
        expect(found != "active", f"{unit} is stopped", f"{found}\n{said}")
    found = machine.do(f"cat {CONFIGURED}")
    expect(found == CONFIGURATION, "the configuration stays", found)
    found = machine.do("ls /etc/pagewatch/checks /var/lib/pagewatch /var/log/pagewatch")
    for name in [*TIMERS, "history.db", "events.jsonl", "events.jsonl.1"]:
        expect(name in found.split(), f"{name} stays", found)
    found = machine.run("ls /run/pagewatch /usr/bin/pagewatch; grep -lx pagewatch"
                        " /proc/[0-9]*/comm").stdout
    expect(found == "", "no program and no socket stays", found)

    installs(machine, package)
    now = machine.history("busy")
    expect(now[:len(before)] == before, "its history is there", f"{before}\n{now}")
    for name, (enabled, _) in TIMERS.items():
        found = machine.state(f"pagewatch-check@{name}.timer")
        expect((found == "active") == (enabled != "disabled"),
               f"the timer of {name} runs if it is enabled", f"{enabled}, {found}")


def purges(machine):
    machine.do("touch /etc/pagewatch/targets.d/more.yaml")
    said = machine.do("apt-get purge -y pagewatch")
    for folder in FOLDERS:
        expect(f"pagewatch: removed {folder}\n" in said, f"it says that {folder} is gone", said)
    leaves_nothing(machine, said)


def leaves_nothing(machine, said):
    """But the user, after a purge that SAID something."""
    expect("kept the locked system user" in said, "it says that the user stays", said)
    left = machine.do(LEFT)
    expect(left == "", "nothing is left", left)
    found = machine.do("passwd --status pagewatch")
    expect(found.split()[1] == "L", "the user is locked", found)
    machine.do("systemctl daemon-reload")
    found = machine.do("systemctl list-units --all --plain --no-legend 'pagewatch*'")
    expect(found == "", "systemd knows nothing of it", found)


def purges_what_was_never_configured(machine, package):
    machine.do(f"dpkg --unpack /srv/packages/{package.name} && dpkg --remove pagewatch")
    leaves_nothing(machine, machine.do("dpkg --purge pagewatch"))


def purges_other_disks(machine, package):
    """Where log and state are on another disk, one mounted, the rest linked to, beside other files."""
    installs(machine, package)
    machine.do("systemctl stop pagewatch.socket pagewatch && cp -a /var/log/pagewatch /opt/log"
               " && rm /var/log/pagewatch/* && mount --bind /opt/log /var/log/pagewatch")
    machine.do("systemctl start pagewatch.socket pagewatch")
    configures(machine)
    eventually("the log", lambda: machine.do(f"cat {LOG}"))
    # With StateDirectory=, systemd starts nothing whose state is a link; but there are drop-ins.
    machine.do("systemctl stop pagewatch.socket pagewatch 'pagewatch-check@*'")
    linked = [folder for folder in FOLDERS if folder != "/var/log/pagewatch"]
    machine.do("mkdir /opt/disk")
    for folder in linked:
        place = f"/opt/disk/{folder[1:].replace('/', '-')}"
        machine.do(f"mv {folder} {place} && ln -s {place} {folder} && mkdir {place}/mine"
                   f" && touch {place}/mine/history.db {place}/history.db.mine {place}/x.jsonl"
                   f" && chown -R pagewatch {place}/mine")

    said = machine.do("apt-get purge -y pagewatch")
    for word in [f"removed the link {folder}" for folder in linked] + [
            "removed /opt/disk/var-lib-pagewatch/history.db",
            "removed /opt/disk/var-lib-pagewatch/lock",
            "removed /opt/disk/var-lib-pagewatch-check/press.titles",
            "kept /opt/disk/var-lib-pagewatch, where that link led, with all else in it",
            "removed all that was in /var/log/pagewatch, which is a file system of its own"]:
        expect(f"pagewatch: {word}\n" in said, f"it says: {word}", said)
    left = {line for line in machine.do("find /opt/disk /opt/log ! -type d").splitlines()}
    mine = {f"/opt/disk/{name}/{file}"
            for name in ["etc-pagewatch", "var-lib-pagewatch", "var-lib-pagewatch-check"]
            for file in ["mine/history.db", "history.db.mine", "x.jsonl"]}
    mine |= {f"/opt/disk/etc-pagewatch/checks/{name}" for name in TIMERS}
    expect(left == mine, "what is the administrator's stays, and nothing else", left ^ mine)
    machine.do("umount /var/log/pagewatch && rmdir /var/log/pagewatch")
    leaves_nothing(machine, said)


def takes_the_user_away(machine):
    """As the purge has said; somebody is in the group."""
    expect("member" in machine.do("getent group pagewatch"), "the group has a member")
    machine.do("deluser --quiet --system pagewatch && delgroup --quiet --system pagewatch")
    found = machine.run("getent passwd pagewatch; getent group pagewatch").stdout
    expect(found == "", "user and group are gone", found)


def live(machine, package, later, version, folder):
    """The life of the package on a machine, each step timed."""
    steps = [
        (installs, package), (explains,), (asks_as_users,), (configures,), (rotates_the_log,),
        (upgrades, later, version, folder), (stops_and_starts,),
        (removes_and_installs_again, later), (purges,),
        (purges_what_was_never_configured, package), (purges_other_disks, package),
        (takes_the_user_away,),
    ]
    for step, *arguments in steps:
        with timed(step.__name__.replace("_", " "), machine):
            step(machine, *arguments)


@contextlib.contextmanager
def timed(name, machine=None):
    """Tells how long a step took; one that fails ends the test, with the MACHINE's journal."""
    begun = time.monotonic()
    try:
        yield
    except AssertionError as problem:
        if machine:
            print(machine.run("journalctl --no-pager --lines 40").stdout, file=sys.stderr)
        leave(1, f"{name}: {problem}")
    print(f"{name}: {time.monotonic() - begun:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", type=pathlib.Path, default=PROJECT / ".build/deb")
    parser.add_argument("--serve", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve)
    packages = options.packages.resolve()
    package = find_package(packages)
    try:
        depends = dependencies(package)
    except AssertionError as problem:
        leave(1, problem)
    needs_to_boot()
    root = debian(depends, packages / "debian")
    with tempfile.TemporaryDirectory(prefix="pagewatch-deb.") as name:
        folder = pathlib.Path(name)
        later, version = next_version(package, folder)
        (folder / "packages").mkdir()
        for file in [package, later]:
            shutil.copy(file, folder / "packages")
        with timed("does without systemd"):
            unbooted(root, folder / "packages", f"PACKAGE={package.name}\n{WITHOUT_SYSTEMD}")
        (folder / "title").write_text("One")
        with booted(root, folder) as machine, site(machine, folder):
            live(machine, package, later, version, folder)


main()
