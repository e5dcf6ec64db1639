#!/usr/bin/env python3
"""Tells what the daemon costs while its targets are at rest.

    scripts/idle.py [--binary .build/release/pagewatch] [--targets 10000] [--hosts 1000]
                    [--seconds 20]

Loads every target once from a site of its own, and looks at the daemon after that, and again after
a restart: the resident memory, and how often its threads woke up though nothing was due. Ends with
1 if it is more than 35 MiB (for 10,000 targets), or if anything woke up.
"""
import argparse
import asyncio
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

MOST_MEMORY = 35.0
PAGE = b"<!doctype html><title>A page at rest</title><p>Nothing new.</p>"


async def handle(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
                         % len(PAGE) + PAGE)
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


def configure(folder, targets, port, hosts):
    lines = ["defaults: {interval: 1d, confirm: 1}", "targets:"]
    for number in range(targets):
        host = number % hosts
        address = f"127.1.{host // 250}.{1 + host % 250}"
        lines.append(f'  page-{number}: {{url: "http://{address}:{port}/page/{number}"}}')
    (folder / "pagewatch.yaml").write_text("\n".join(lines) + "\n")


def memory(pid):
    """Resident, and of that what is not mapped from files, in MiB."""
    values = {}
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        values[key] = value.split()
    return int(values["VmRSS"][0]) / 1024, int(values["RssAnon"][0]) / 1024


def switches(pid):
    """How often its threads went to sleep, which each wake-up ends with."""
    total = 0
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


async def calls(pid, seconds):
    """The system calls that return within so many seconds; None without strace."""
    if not shutil.which("strace"):
        return None
    tracer = await asyncio.create_subprocess_exec(
        "strace", "-f", "-p", str(pid), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    await asyncio.sleep(seconds)
    tracer.send_signal(signal.SIGINT)
    _, text = await tracer.communicate()
    return [line for line in text.decode().splitlines()
            if "strace: Process" not in line and "unfinished" not in line
            and "<detached" not in line and "resuming interrupted" not in line]


async def start(options, folder):
    return await asyncio.create_subprocess_exec(
        options.binary, "daemon", "--config", str(folder / "pagewatch.yaml"), "--state",
        str(folder / "state"), "--socket", str(folder / "control.sock"), stdout=asyncio.subprocess.PIPE, limit=1 << 24)


async def observe(process, options, title, found):
    """Prints what it costs at rest, and whether it was."""
    # Until the store has had its first sweep, and kept connections have gone.
    await asyncio.sleep(options.settle)
    before = switches(process.pid)
    await asyncio.sleep(options.seconds)
    woken = switches(process.pid) - before
    resident, own = memory(process.pid)
    traced = await calls(process.pid, 5)
    print(f"{title:16}{options.targets:8} targets: RSS {resident:6.1f} MiB, {own:6.1f} of its own,"
          f" {woken} wake-ups in {options.seconds:g} s,"
          f" {'no strace' if traced is None else f'{len(traced)} system calls in 5 s'}", flush=True)
    for line in (traced or [])[:10]:
        print(f"    {line}")
    if resident > MOST_MEMORY * max(1, options.targets / 10000):
        found.append(f"{title}: more than {MOST_MEMORY:g} MiB")
    if woken or traced:
        found.append(f"{title}: it woke up though nothing was due")


async def run(options):
    server = await asyncio.start_server(handle, "0.0.0.0", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    found = []
    with tempfile.TemporaryDirectory(prefix="pagewatch-idle-") as folder:
        folder = pathlib.Path(folder)
        configure(folder, options.targets, port, options.hosts)
        process = await start(options, folder)
        seen = 0
        while seen < options.targets:
            line = await asyncio.wait_for(process.stdout.readline(), 120)
            seen += b": first seen: " in line
        await observe(process, options, "after its loads", found)
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        process = await start(options, folder)
        await process.stdout.readline()
        await observe(process, options, "after a restart", found)
        process.send_signal(signal.SIGTERM)
        await process.communicate()
    server.close()
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--binary", default=".build/release/pagewatch")
    arguments.add_argument("--targets", type=int, default=10000)
    # libcurl forgets addresses, a minute old, and closes connections only when it loads again.
    arguments.add_argument("--hosts", type=int, default=1000)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--settle", type=float, default=75)
    found = asyncio.run(run(arguments.parse_args()))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
