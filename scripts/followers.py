#!/usr/bin/env python3
"""Has many readers follow the events of a busy service, and tells what that costs it.

    scripts/followers.py [--binary .build/release/pagewatch] [--targets 200] [--readers 50]
                         [--seconds 30] [--pairs 2]

Every target is loaded every second and shows another title each time. Runs come in pairs: without
readers, then with readers of /v1/events as JSON lines, of whom one stops reading for most of the
run. All the others must get the same bytes, which are every event in order; the one that stopped
must be told exactly how many events it missed. What the loads take of a processor is what the
process takes but for the API (pagewatch_api_cpu_seconds_total of /metrics: requests, readers, and
the writing of lines). Ends with 1 if not, if the loads come later or take more with readers than
without, or if the service needs more than so many microseconds for an event of a reader.
"""
import argparse
import asyncio
import hashlib
import json
import multiprocessing
import pathlib
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

INTERVAL = 1.0
# What loads may be later with readers, at the 99th percentile, in seconds.
MOST_LATE = 0.020
# What an event may cost the service for each reader, in seconds of the processor.
MOST_COST = 0.5e-6
# What all but the API may take more of the processor with readers than without.
MOST_SHARE = 1.10


class Site:
    """Serves pages whose titles change, and keeps when each was asked for."""

    def __init__(self):
        self.arrivals = {}

    async def handle(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                times = self.arrivals.setdefault(head.split(b" ", 2)[1], [])
                times.append(time.monotonic())
                body = b"<!doctype html><title>Number %d</title><p>%s" % (len(times), b"." * 2000)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                             b"Content-Length: %d\r\n\r\n" % len(body) + body)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def lateness(self, begin, end):
        """How much later than an interval after the one before loads came in that time."""
        late = []
        for times in self.arrivals.values():
            times = [moment for moment in times if begin <= moment < end]
            late += [max(0, after - before - INTERVAL) for before, after in zip(times, times[1:])]
        return sorted(late)


class Reader:
    """One that follows from a number on, over HTTP/1.0: the bytes are the events' alone."""

    def __init__(self, path, since, keeps):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.sendall(b"GET /v1/events?since=seq:%d HTTP/1.0\r\nHost: pagewatch\r\n"
                            b"Accept: application/x-ndjson\r\n\r\n" % since)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)
        assert head.startswith(b"HTTP/1.1 200 "), head
        self.digest = hashlib.sha256()
        self.count = 0
        self.kept = [] if keeps else None

    def take(self):
        data = self.socket.recv(1 << 16)
        self.digest.update(data)
        self.count += data.count(b"\n")
        if self.kept is not None:
            self.kept.append(data)
        return bool(data)


def read_events(path, count, pause, results):
    """Follows in a process of its own. The first reader stops `pause[0]` seconds after the start,
    until `pause[1]`; the second keeps what it gets."""
    # From the first reader on the events are kept, so that all can begin with the same.
    first = Reader(path, ask(path)["nextEvent"] - 1, keeps=False)
    since = ask(path)["nextEvent"] - 1
    readers = [Reader(path, since, keeps=number < 2) for number in range(count)]
    first.socket.close()
    chooser = selectors.DefaultSelector()
    for reader in readers:
        chooser.register(reader.socket, selectors.EVENT_READ, reader)
    results.send(since)
    start, stopped, resumed = time.monotonic(), False, False
    while chooser.get_map() or not resumed:
        for key, _ in chooser.select(0.05):
            if not key.data.take():
                chooser.unregister(key.data.socket)
        passed = time.monotonic() - start
        if not stopped and passed > pause[0]:
            stopped = True
            chooser.unregister(readers[0].socket)
        if stopped and not resumed and passed > pause[1]:
            resumed = True
            chooser.register(readers[0].socket, selectors.EVENT_READ, readers[0])
    results.send(([(reader.digest.hexdigest(), reader.count) for reader in readers[1:]],
                  [b"".join(reader.kept) for reader in readers[:2]]))


def processor_time(pid):
    """What it has used, in user mode and in the kernel, in seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / 100, int(fields[12]) / 100


def memory(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024


def told(data, since):
    """What a reader was told: how many events, how many missed, and what is wrong with it."""
    events = [json.loads(line) for line in data.splitlines()]
    missed = sum(event["count"] for event in events if event["event"] == "missed")
    numbers = [event["seq"] for event in events if event["event"] != "missed"]
    wrong = []
    if any(later <= earlier for earlier, later in zip(numbers, numbers[1:])):
        wrong.append("events are not in order")
    if len(numbers) + missed != numbers[-1] - since:
        wrong.append(f"{len(numbers)} events and {missed} missed, of {numbers[-1] - since}")
    if events[-1].get("state") != "stopping":
        wrong.append("the last event is not that the service stops")
    return len(numbers), missed, wrong


def get(path, what):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        client.sendall(b"GET %s HTTP/1.0\r\nHost: pagewatch\r\n\r\n" % what)
        answer = b""
        while block := client.recv(1 << 16):
            answer += block
    return answer.partition(b"\r\n\r\n")[2]


def ask(path):
    return json.loads(get(path, b"/v1/status"))


def api_time(path):
    """What the API has taken of a processor, in seconds."""
    for line in get(path, b"/metrics").decode().splitlines():
        if line.startswith("pagewatch_api_cpu_seconds_total "):
            return float(line.split()[1])
    raise ValueError("no pagewatch_api_cpu_seconds_total")


def check_readers(results, since, found):
    """Holds what the readers got against each other, and tells it."""
    others, (paused, whole) = results.recv()
    if len(set(others)) != 1:
        found.append(f"{len(set(others))} different streams among {len(others)} readers")
    count, missed, wrong = told(whole, since)
    found += [f"a reader: {text}" for text in wrong]
    if missed:
        found.append(f"a reader that read all the time missed {missed} events")
    got, missed, wrong = told(paused, since)
    found += [f"the reader that stopped: {text}" for text in wrong]
    if not missed:
        found.append("the reader that stopped missed nothing: let it stop for longer")
    print(f"    {len(others)} readers got {count} events each; the one that stopped got {got}"
          f" and was told of {missed} missed")
    return count


async def run(options, has_readers, found):
    """One run: the share of a processor, the lateness, and the events of each reader."""
    site = Site()
    server = await asyncio.start_server(site.handle, "0.0.0.0", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="pagewatch-followers-") as folder:
        folder = pathlib.Path(folder)
        lines = ["defaults: {interval: 1s, confirm: 1}", "targets:"]
        for number in range(options.targets):
            address = f"127.1.{number // 250}.{1 + number % 250}"
            lines.append(f'  page-{number}: {{url: "http://{address}:{port}/{number}"}}')
        (folder / "pagewatch.yaml").write_text("\n".join(lines) + "\n")
        path = str(folder / "control.sock")
        process = await asyncio.create_subprocess_exec(
            options.binary, "daemon", "--config", str(folder / "pagewatch.yaml"), "--state",
            str(folder / "state"), "--socket", path, stdout=subprocess.DEVNULL)
        await asyncio.sleep(5)
        child = None
        if has_readers:
            results, theirs = multiprocessing.Pipe()
            pause = (2, 2 + options.seconds * 0.8)
            child = multiprocessing.Process(
                target=read_events, args=(path, options.readers, pause, theirs))
            child.start()
            while not results.poll():
                await asyncio.sleep(0.01)
            since = results.recv()
        first = ask(path)["nextEvent"]
        begin, before = time.monotonic(), (*processor_time(process.pid), api_time(path))
        await asyncio.sleep(options.seconds)
        end, after = time.monotonic(), (*processor_time(process.pid), api_time(path))
        events = ask(path)["nextEvent"] - first
        if has_readers:
            # The one that stopped needs a moment to come up to the others.
            await asyncio.sleep(4)
        high = memory(process.pid)
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        code = await process.wait()
        if code or time.monotonic() - began > 2:
            found.append(f"the service ended with {code} after {time.monotonic() - began:.1f} s")
        user, system, api = ((now - then) / (end - begin) for then, now in zip(before, after))
        late = site.lateness(begin, end)
        p99 = late[len(late) * 99 // 100]
        print(f"{'with' if has_readers else 'without'} readers: {user + system:7.2%} of a processor"
              f" ({user:.2%} user, {system:.2%} system; API {api:.2%}), {events / (end - begin):.0f} events/s,"
              f" {len(late)} loads, late by {statistics.median(late) * 1000:.1f} ms (median),"
              f" {p99 * 1000:.1f} ms (99 %), {high:.0f} MiB at most", flush=True)
        if child:
            while not results.poll():
                await asyncio.sleep(0.01)
            check_readers(results, since, found)
            child.join()
    server.close()
    return user + system, p99, events / (end - begin), user + system - api


async def all_runs(options):
    found = []
    pairs = []
    for _ in range(options.pairs):
        pairs.append((await run(options, False, found), await run(options, True, found)))
    share = statistics.median(with_[0] / without[0] for without, with_ in pairs)
    more = statistics.median(with_[1] - without[1] for without, with_ in pairs)
    cost = statistics.median(
        (with_[0] - without[0]) / with_[2] / options.readers for without, with_ in pairs)
    loads = statistics.median(with_[3] / without[3] for without, with_ in pairs)
    print(f"with {options.readers} readers the loads need {loads:.2f} times as much of a processor,"
          f" the whole service {share:.2f} times, {cost * 1e6:.2f} us for an event of a reader;"
          f" loads are {more * 1000:+.1f} ms late (99 %)")
    if loads > MOST_SHARE:
        found.append(f"loads need more than {MOST_SHARE:g} times as much")
    if cost > MOST_COST:
        found.append(f"more than {MOST_COST * 1e6:g} us for an event of a reader")
    if more > MOST_LATE:
        found.append(f"loads are later by more than {MOST_LATE * 1000:g} ms")
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--binary", default=".build/release/pagewatch")
    arguments.add_argument("--targets", type=int, default=200)
    arguments.add_argument("--readers", type=int, default=50)
    arguments.add_argument("--seconds", type=float, default=30)
    arguments.add_argument("--pairs", type=int, default=2)
    found = asyncio.run(all_runs(arguments.parse_args()))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
