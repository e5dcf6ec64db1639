#!/usr/bin/env python3
"""Boots the systemd of this machine in namespaces of its own, for the tests of the service.

    machine.py [--root FOLDER] [--bind SOURCE:PLACE]... [--copy SOURCE:PLACE]... [--host-network]

Its root is this machine's, or the one in FOLDER, with a memory file system over it: nothing of either is
changed, and nothing is left. Once it has booted, a line on standard output tells the number of its first process; the
tests enter by that (nsenter), and see its files in /proc/NUMBER/root. It ends with a line on standard
input, with SIGTERM, or with whoever started it.

--bind shows a file of this machine inside, --copy puts a copy of a file or a folder there.
"""
import argparse
import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE, MS_SHARED = 4096, 16384, 1 << 18, 1 << 20
MNT_DETACH = 2
CLONE_NEW = {"mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000,
             "pid": 0x20000000, "network": 0x40000000}
PR_SET_PDEATHSIG = 1
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}[os.uname().machine]
# How long it may take to boot on a busy machine.
PATIENCE = 90
MANAGER = "/lib/systemd/systemd"
TARGET = "machine.target"

# Units that would reach outside, wait for devices, or only take time.
MASKED = """
    systemd-sysctl.service systemd-modules-load.service systemd-udevd.service
    systemd-udev-trigger.service systemd-udevd-control.socket systemd-udevd-kernel.socket
    systemd-firstboot.service systemd-machine-id-commit.service systemd-random-seed.service
    systemd-hwdb-update.service systemd-journal-catalog-update.service systemd-update-done.service
    systemd-remount-fs.service systemd-binfmt.service systemd-timesyncd.service
    systemd-pcrphase.service systemd-pcrphase-sysinit.service ldconfig.service modprobe@.service
    proc-sys-fs-binfmt_misc.automount dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount
    sys-kernel-tracing.mount sys-kernel-config.mount sys-fs-fuse-connections.mount
""".split()


def checked(result, what):
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def mount(source, place, kind="", flags=0, data=""):
    checked(LIBC.mount(source.encode(), place.encode(), kind.encode(), ctypes.c_ulong(flags),
                       data.encode()), f"mount {place}")


def place_of(kind):
    """Where a hierarchy of that kind of file system is mounted."""
    with open("/proc/self/mounts") as mounts:
        for line in mounts:
            _, place, found = line.split()[:3]
            if found == kind:
                return place
    sys.exit("machine: no cgroup v2 is mounted")


class Group:
    """A control group of the machine's own; whatever runs in it ends with it."""

    def __init__(self):
        self.path = os.path.join(place_of("cgroup2"), f"pagewatch-machine-{os.getpid()}")
        os.mkdir(self.path)

    def enter(self):
        with open(os.path.join(self.path, "cgroup.procs"), "w") as file:
            file.write("0")

    def end(self):
        with open(os.path.join(self.path, "cgroup.kill"), "w") as file:
            file.write("1")
        for _ in range(200):
            for folder, _, _ in os.walk(self.path, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    pass
            if not os.path.exists(self.path):
                return
            time.sleep(0.02)
        print(f"machine: {self.path} is still busy", file=sys.stderr)


def build_root(options):
    """Makes the machine's file systems and goes there; called in its namespaces."""
    mount("none", "/", flags=MS_REC | MS_PRIVATE)
    base = "/mnt"
    mount("machine", base, "tmpfs", data="mode=755,size=1g")
    for name in ["changes", "work", "root"]:
        os.mkdir(f"{base}/{name}")
    root = f"{base}/root"
    mount("machine", root, "overlay",
          data=f"lowerdir={options.root},upperdir={base}/changes,workdir={base}/work")

    held = MS_NOSUID | MS_NODEV | MS_NOEXEC
    mount("proc", f"{root}/proc", "proc", held)
    # Not all of what is set there belongs to a namespace.
    mount(f"{root}/proc/sys", f"{root}/proc/sys", flags=MS_BIND)
    mount("none", f"{root}/proc/sys", flags=MS_BIND | MS_REMOUNT | MS_RDONLY | held)
    mount("sysfs", f"{root}/sys", "sysfs", held | MS_RDONLY)
    mount("cgroup2", f"{root}/sys/fs/cgroup", "cgroup2", held)
    for name, mode in [("run", "755"), ("tmp", "1777"), ("dev", "755")]:
        mount("tmpfs", f"{root}/{name}", "tmpfs", MS_NOSUID, f"mode={mode}")
    for name in ["null", "zero", "full", "random", "urandom", "tty"]:
        open(f"{root}/dev/{name}", "w").close()
        mount(f"/dev/{name}", f"{root}/dev/{name}", flags=MS_BIND)
    for name in ["pts", "shm"]:
        os.mkdir(f"{root}/dev/{name}")
    mount("devpts", f"{root}/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
          "newinstance,ptmxmode=0666,mode=620,gid=5")
    mount("tmpfs", f"{root}/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    os.symlink("pts/ptmx", f"{root}/dev/ptmx")
    os.symlink("/proc/self/fd", f"{root}/dev/fd")
    for number, name in enumerate(["stdin", "stdout", "stderr"]):
        os.symlink(f"fd/{number}", f"{root}/dev/{name}")

    for pair in options.copy:
        source, place = pair.split(":")
        place = root + place
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, place, dirs_exist_ok=True)
        else:
            shutil.copy(source, place)
    for pair in options.bind:
        source, place = pair.split(":")
        place = root + place
        os.makedirs(os.path.dirname(place), exist_ok=True)
        open(place, "a").close()
        mount(source, place, flags=MS_BIND)
    settle(root)

    os.makedirs(f"{root}/mnt/outside", exist_ok=True)
    os.chdir(root)
    checked(LIBC.syscall(SYS_PIVOT_ROOT, b".", b"mnt/outside"), "pivot_root")
    os.chdir("/")
    checked(LIBC.umount2(b"/mnt/outside", MNT_DETACH), "umount")
    # As a container's manager leaves it: what systemd mounts for a service, such as its credentials,
    # is to arrive there.
    mount("none", "/", flags=MS_REC | MS_SHARED)


def settle(root):
    """Writes what makes it a machine of its own, which starts nothing but what it is told to."""
    units = f"{root}/etc/systemd/system"
    os.makedirs(units, exist_ok=True)
    for name in os.listdir(units):
        if name.endswith((".wants", ".requires")):
            shutil.rmtree(f"{units}/{name}")
    for name in MASKED:
        if os.path.lexists(f"{units}/{name}"):
            os.remove(f"{units}/{name}")
        os.symlink("/dev/null", f"{units}/{name}")
    with open(f"{units}/{TARGET}", "w") as file:
        file.write("[Unit]\nDescription=Tests\nRequires=basic.target\nAfter=basic.target\n")
    with open(f"{root}/etc/machine-id", "w") as file:
        file.write(os.urandom(16).hex() + "\n")
    shutil.rmtree(f"{root}/var/log/journal", ignore_errors=True)
    os.makedirs(f"{root}/var/log/journal")
    if os.path.lexists(f"{root}/usr/sbin/policy-rc.d"):
        os.remove(f"{root}/usr/sbin/policy-rc.d")


def first_process(options):
    """The machine's first process, from its namespaces to systemd."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    build_root(options)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        # No devices, no kernel of its own.
        "container": "pagewatch-tests",
    }
    os.execve(MANAGER, [MANAGER, "--system", f"--unit={TARGET}", "--show-status=no",
                        "--log-target=journal-or-kmsg", "--log-level=info"], environment)


def boot(options, group, console):
    """Starts the machine; answers the number of its first process."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.close(ready)
        group.enter()
        wanted = dict(CLONE_NEW)
        if options.host_network:
            del wanted["network"]
        checked(LIBC.unshare(sum(wanted.values())), "unshare")
        number = os.fork()
        if number == 0:
            try:
                null = os.open("/dev/null", os.O_RDONLY)
                os.dup2(null, 0)
                os.dup2(console, 1)
                os.dup2(console, 2)
                first_process(options)
            except BaseException as problem:
                print(f"machine: {problem}", file=sys.stderr, flush=True)
            finally:
                os._exit(1)
        os.write(tell, str(number).encode())
        os.close(tell)
        os.waitpid(number, 0)
        os._exit(0)
    os.close(tell)
    number = int(os.read(ready, 16) or b"0")
    return child, number


def inside(number, *command):
    return subprocess.run(
        ["nsenter", "--target", str(number), "--all", "--", *command], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default="/")
    parser.add_argument("--bind", action="append", default=[])
    parser.add_argument("--copy", action="append", default=[])
    parser.add_argument("--host-network", action="store_true")
    options = parser.parse_args()
    starter = os.getppid()
    # Ends this program in order, wherever it is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    group = Group()
    console = os.memfd_create("console")
    try:
        child, number = boot(options, group, console)
        end = time.monotonic() + PATIENCE
        while number == 0 or inside(number, "systemctl", "is-active", TARGET) != 0:
            if number == 0 or time.monotonic() > end or os.waitpid(child, os.WNOHANG)[0] != 0:
                os.lseek(console, 0, 0)
                sys.stderr.write(os.read(console, 1 << 16).decode(errors="replace"))
                sys.exit("machine: it does not boot")
            time.sleep(0.05)
        print(number, flush=True)
        while os.getppid() == starter:
            if os.waitpid(child, os.WNOHANG)[0] != 0:
                sys.exit("machine: it has ended")
            time.sleep(0.2)
    finally:
        group.end()


main()
