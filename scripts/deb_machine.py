"""The Debian that scripts/deb-test.py boots: how it is made, started and told what to do."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.request

PROJECT = pathlib.Path(__file__).resolve().parent.parent
MACHINE = PROJECT / "Tests/ServiceTests/Machine/machine.py"
# What is tried in there, beyond what the package depends on.
TOOLS = ["systemd", "adduser", "ca-certificates", "iproute2", "logrotate", "man-db",
         "bash-completion", "zsh", "fish"]
# Exit codes for a test that can't be run, for who wants to tell that from a package that is wrong.
CANNOT_BOOT, NO_MIRROR = 77, 75
# A folder as the root of a script, with the packages in it: what is done to the folder leaves no
# trace, and no process of it stays. /mnt is its own, in a namespace of mounts that ends with it.
CHANGED_ROOT = """
set -e
mount -t tmpfs none /mnt
mkdir /mnt/changes /mnt/work /mnt/merged
mount -t overlay -o "lowerdir=$1,upperdir=/mnt/changes,workdir=/mnt/work" none /mnt/merged
cp -R "$2" /mnt/merged/srv/packages
mount -t proc proc /mnt/merged/proc
mount --rbind /dev /mnt/merged/dev
exec chroot /mnt/merged sh -exc "$3"
"""
# Seconds: until what is waited for has happened, a command in the machine ends, the mirror answers.
PATIENCE, LONGEST, MIRROR_PATIENCE = 30, 300, 20
# Of commands in there.
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
    "SYSTEMD_PAGER": "cat",
}


def leave(code, why):
    print(f"deb-test: {why}", file=sys.stderr, flush=True)
    sys.exit(code)


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def expect(holds, what, seen=""):
    """States that something holds; where it does not, the test ends with what was seen."""
    if not holds:
        raise AssertionError(f"this does not hold: {what}\nseen: {seen}")


def eventually(what, answer):
    """Asks again and again until there is an answer."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            found = answer()
            if found:
                return found
        except AssertionError as problem:
            found = problem
        expect(time.monotonic() < end, f"{what} within {PATIENCE} s", found)
        time.sleep(0.05)


def needs_to_boot():
    """Ends the test where no system can be booted."""
    if os.geteuid() != 0:
        leave(CANNOT_BOOT, "not run: to boot a system needs root")
    places = [line.split()[1] for line in open("/proc/self/mounts") if line.split()[2] == "cgroup2"]
    if not places or not os.access(places[0], os.W_OK):
        leave(CANNOT_BOOT, "not run: to boot a system needs a cgroup v2 that can be written")


# Its files


def mirror(release):
    """Where apt finds this machine's own packages, once it is known to answer."""
    sites = output("apt-get", "indextargets", "--format", "$(CREATED_BY) $(RELEASE) $(SITE)")
    found = [line.split()[2] for line in sites.splitlines()
             if line.split()[:2] == ["Packages", release]]
    if not found:
        leave(1, f"apt knows no mirror of {release} (/etc/apt/sources.list.d has its sources)")
    # apt's own proxy is to be debootstrap's, too.
    for kind in ["http", "https"]:
        proxy = output("apt-config", "dump", "--format", "%v", f"Acquire::{kind}::Proxy")
        if proxy and proxy != "DIRECT":
            os.environ[f"{kind}_proxy"] = proxy
    url = f"{found[0]}/dists/{release}/InRelease"
    try:
        with urllib.request.urlopen(url, timeout=MIRROR_PATIENCE) as answer:
            answer.read(1)
    except OSError as problem:
        leave(NO_MIRROR, f"not run: Debian's mirror can't be reached ({url}: {problem})")
    return found[0]


def debian(depends, folder):
    """The folder of a Debian with what the package depends on; made if it is not there yet."""
    names = ",".join(sorted(depends | set(TOOLS)))
    release = dict(
        line.rstrip().split("=", 1) for line in open("/etc/os-release"))["VERSION_CODENAME"]
    made = folder / "made-with"
    if made.exists() and made.read_text() == f"{release} {names}":
        return folder / "root"
    site = mirror(release)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"making a Debian {release} in {folder}", flush=True)
    with open(folder / "log", "w") as log:
        code = subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={names}", release, folder / "root",
             site], stdout=log, stderr=log).returncode
    if code != 0:
        print("".join((folder / "log").open().readlines()[-20:]), file=sys.stderr)
        leave(1, f"debootstrap failed; {folder}/log has all of it")
    made.write_text(f"{release} {names}")
    return folder / "root"


# At work


class Machine:
    """A booted Debian."""

    def __init__(self, number):
        self.number = number

    def run(self, line, user=None):
        """Runs a line of a shell; answers how it ended, with what it said."""
        command = ["sh", "-c", line]
        if user:
            command = ["runuser", "-u", user, "--", *command]
        try:
            return subprocess.run(
                ["nsenter", "--target", self.number, "--all", "--", *command], env=ENVIRONMENT,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"{line}: no end within {LONGEST} s\n{late.stdout}{late.stderr}")

    def do(self, line):
        """Runs a line that has to go well; answers all that it said."""
        done = self.run(line)
        if done.returncode != 0:
            raise AssertionError(f"{line}: ended with {done.returncode}\n"
                                 f"seen: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def start(self, line):
        return subprocess.Popen(
            ["nsenter", "--target", self.number, "--all", "--", "sh", "-c", line],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def state(self, unit="pagewatch"):
        return self.run(f"systemctl is-active '{unit}'").stdout.strip()

    def history(self, target, event=None):
        """The events of a target, or of that kind alone, oldest first; of the service for ""."""
        lines = self.do(f"pagewatch history {target} --json").splitlines()
        return [line for line in map(json.loads, lines) if event in (None, line["event"])]


@contextlib.contextmanager
def booted(root, shared):
    """Boots it, with the packages in SHARED/packages in /srv/packages."""
    command = [sys.executable, MACHINE, "--root", root,
               "--copy", f"{shared}/packages:/srv/packages"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        number = process.stdout.readline().strip()
        if not number:
            leave(1, "the machine does not boot")
        yield Machine(number)
    finally:
        # It ends in order, and leaves nothing.
        process.terminate()
        process.wait()


def unbooted(root, packages, script):
    """Runs a script of a shell in which all has to go well, in that Debian with nothing started."""
    done = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", CHANGED_ROOT, "sh",
         root, packages, script], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LONGEST)
    expect(done.returncode == 0, f"each line of the script goes well:\n{script}", done.stdout)
