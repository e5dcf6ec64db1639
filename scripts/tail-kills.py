#!/usr/bin/env python3
"""Kills the service and a reader of its events at random moments, and counts what the reader lost.

    scripts/tail-kills.py [--binary .build/release/pagewatch] [--kills 50] [--targets 30] [--seed 1]

The pages' titles change with every load, each target is loaded every second. The reader is
`pagewatch tail --durable --cursor-file F --exec CMD`, whose CMD appends the event to a file. Each of
the two is killed (SIGKILL) so many times, in turns that are drawn; the service stays away for up to
half a second. A reader that finds no service when it starts ends with 3, and is started again as a
supervisor would. In the end the file must have every event of the history, in order once repeats are removed, byte for byte as
`pagewatch history --json` prints it. Ends with 1 if anything is lost or out of order.
"""
import argparse
import asyncio
import collections
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

# A reader that can't reach the service tries at least once a second.
PATIENCE = 30


class Site:
    """Pages whose titles are the numbers of their loads."""

    def __init__(self):
        self.loads = collections.Counter()

    async def start(self):
        self.server = await asyncio.start_server(self.handle, "127.0.0.1", 0, backlog=1024)
        self.port = self.server.sockets[0].getsockname()[1]

    async def handle(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode()
                self.loads[path] += 1
                body = f"<title>{path} {self.loads[path]} \u00e9\u65e5</title>".encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                             b"Content-Length: %d\r\n\r\n" % len(body) + body)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


class Pair:
    """The service and its reader."""

    def __init__(self, options, folder, port):
        self.binary = str(pathlib.Path(options.binary).resolve())
        self.folder = folder
        self.names = [f"t{number}" for number in range(options.targets)]
        lines = [f'  {name}: {{url: "http://127.0.0.1:{port}/{name}"}}' for name in self.names]
        (folder / "pagewatch.yaml").write_text(
            "limits: {per_host: 256}\ndefaults: {interval: 1s, confirm: 1}\ntargets:\n"
            + "\n".join(lines) + "\n")
        self.refused = 0
        self.is_over = False

    async def start_service(self):
        self.service = await asyncio.create_subprocess_exec(
            self.binary, "daemon", "--config", "pagewatch.yaml", "--state", "state", "--socket",
            "control.sock", cwd=self.folder, stdout=subprocess.PIPE)
        await self.service.stdout.readline()
        self.draining = asyncio.create_task(self.service.stdout.read())

    async def run_reader(self):
        """Starts the reader again and again, whyever it ends."""
        while not self.is_over:
            self.reader = await asyncio.create_subprocess_exec(
                self.binary, "tail", "--socket", "control.sock", "--durable", "--since", "seq:0",
                "--cursor-file", "cursor", "--exec", "cat >> log", cwd=self.folder,
                stderr=subprocess.DEVNULL)
            if await self.reader.wait() == 3:
                self.refused += 1
                await asyncio.sleep(0.1)

    async def end(self, process, number):
        """Sends a signal and waits for the end; the exit code."""
        try:
            process.send_signal(number)
        except ProcessLookupError:
            pass
        return await process.wait()

    def seen(self):
        """The events that the command has appended, and how many it has appended again."""
        path = self.folder / "log"
        lines = path.read_bytes().splitlines() if path.exists() else []
        once = list(dict.fromkeys(lines))
        return once, len(lines) - len(once)

    def kept(self):
        """The events of the history, in order."""
        lines = []
        for name in [[]] + [[name] for name in self.names]:
            lines += subprocess.run(
                [self.binary, "history", "--state", "state", "--json"] + name, cwd=self.folder,
                stdout=subprocess.PIPE, check=False).stdout.splitlines()
        return sorted(lines, key=seq)


def seq(line):
    try:
        return json.loads(line)["seq"]
    except (ValueError, KeyError):
        return -1


async def caught_up(pair, last):
    """Waits until the reader has handled an event behind this one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if any(seq(line) > last for line in pair.seen()[0][-50:]):
            return True
        await asyncio.sleep(0.1)
    return False


async def run(options):
    dice = random.Random(options.seed)
    site = Site()
    await site.start()
    turns = ["service"] * options.kills + ["reader"] * options.kills
    dice.shuffle(turns)
    counts = collections.Counter()
    print(f"{'killed: service':>15}{'reader':>8}{'events seen':>13}{'repeats':>9}{'lost':>7}"
          f"{'disorder':>10}{'seconds':>9}")

    def row(once, repeats, lost, disorder):
        print(f"{counts['service']:15}{counts['reader']:8}{len(once):13}{repeats:9}{lost:>7}"
              f"{disorder:10}{time.monotonic() - began:9.1f}", flush=True)

    with tempfile.TemporaryDirectory(prefix="pagewatch-tail-") as folder:
        pair = Pair(options, pathlib.Path(folder), site.port)
        began = time.monotonic()
        await pair.start_service()
        supervisor = asyncio.create_task(pair.run_reader())
        for number, victim in enumerate(turns, start=1):
            # Now and then at the very beginning of the other one or of itself.
            await asyncio.sleep(dice.choice([dice.uniform(0, 0.05), dice.uniform(0, 1)]))
            if victim == "service":
                await pair.end(pair.service, signal.SIGKILL)
                await pair.draining
                await asyncio.sleep(dice.choice([0, dice.uniform(0, 0.5)]))
                await pair.start_service()
            else:
                await pair.end(pair.reader, signal.SIGKILL)
            counts[victim] += 1
            if number % 20 == 0 and number < len(turns):
                once, repeats = pair.seen()
                row(once, repeats, "", disorder(once))
        await pair.end(pair.service, signal.SIGTERM)
        kept = pair.kept()
        await pair.start_service()
        is_through = await caught_up(pair, seq(kept[-1]))
        pair.is_over = True
        await pair.end(pair.reader, signal.SIGTERM)
        await supervisor
        await pair.end(pair.service, signal.SIGTERM)
        once, repeats = pair.seen()
        lost = [line for line in kept if line not in set(once)]
        row(once, repeats, len(lost), disorder(once))
        print(f"the reader found no service at its start {pair.refused} times")
        for line in lost[:10]:
            print("lost:", line.decode())
        if not is_through:
            print(f"the reader did not catch up within {PATIENCE} s")
    site.server.close()
    return not lost and not disorder(once) and is_through and len(kept) > options.kills


def disorder(lines):
    """How many events came before one with a lower number."""
    numbers = [seq(line) for line in lines]
    return sum(before > after for before, after in zip(numbers, numbers[1:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=".build/release/pagewatch")
    parser.add_argument("--kills", type=int, default=50, help="of each of the two")
    parser.add_argument("--targets", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(0 if asyncio.run(run(parser.parse_args())) else 1)


if __name__ == "__main__":
    main()
