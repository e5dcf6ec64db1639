#!/usr/bin/env python3
"""Watches a site of good and sick pages with the real daemon, and holds its history against the plan.

    scripts/soak.py [--binary .build/release/pagewatch] [--targets 200] [--seconds 60]
    scripts/soak.py --kill 200 [--seed N]

Every target has an address of its own in 127.0.0.0/8 and is loaded every second. Half of the pages
change their titles after so many loads, a tenth each never answer, drip for ever, answer 200 and
500 in turn, and go to and fro between two titles; the rest stay as they are. Three runs: all with
`confirm: 1`, the healthy ones alone (what lateness is compared with), all with `confirm: 3`.

With --kill the daemon is killed at random moments, so many times, and after each its database is
looked at: sound, all that was announced is there, nothing twice, no count of a candidate lost.
Ends with 1 if anything is not as it must be.
"""
import argparse
import asyncio
import collections
import pathlib
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time

INTERVAL = 1.0
# A change that lateness may have from sick neighbours: the larger of a share and a span.
MOST_SHARE, MOST_SPAN = 0.20, 0.020
SICK = ("silent", "dripping", "flapping", "oscillating")
MASK = (1 << 64) - 1


class Page:
    """A page of the site: what it answers, and when it was asked."""

    def __init__(self, number, kind):
        self.number, self.kind = number, kind
        self.name = f"{kind}-{number}"
        self.address = f"127.{1 + number // 250}.{number // 50 % 5}.{1 + number % 250}"
        self.spell = 8 + number % 9
        self.arrivals = []
        self.titles = []

    def answer(self):
        """The status and title of the next answer."""
        count = len(self.arrivals) - 1
        if self.kind == "changing":
            return 200, f"{self.name} v{count // self.spell}"
        if self.kind == "oscillating":
            return 200, f"{self.name} {'AB'[count % 2]}"
        if self.kind == "flapping" and count % 2:
            return 500, "Internal Server Error"
        return 200, self.name


def pages(count):
    tenth = count // 10
    kinds = ["changing"] * (count // 2)
    for kind in SICK:
        kinds += [kind] * tenth
    kinds += ["steady"] * (count - len(kinds))
    return [Page(number, kind) for number, kind in enumerate(kinds)]


class Site:
    """Serves the pages on one port of all addresses of loopback."""

    def __init__(self, all_pages):
        self.pages = {page.name: page for page in all_pages}

    async def start(self):
        self.server = await asyncio.start_server(self.handle, "0.0.0.0", 0, backlog=1024)
        self.port = self.server.sockets[0].getsockname()[1]

    async def handle(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                now = time.monotonic()
                page = self.pages[head.split(b" ", 2)[1].decode()[1:]]
                page.arrivals.append(now)
                if page.kind == "silent":
                    await reader.read()
                    return
                if page.kind == "dripping":
                    return await self.drip(writer)
                status, title = page.answer()
                if status == 200:
                    page.titles.append(title)
                body = f"<!doctype html><title>{title}</title><p>{'.' * 2000}".encode()
                writer.write(
                    b"HTTP/1.1 %d X\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
                    % (status, len(body)) + body)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def drip(self, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>drip")
        while not writer.is_closing():
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.2)


# What the daemon writes.


class Blob:
    """Reads what `docs/STORE.md` tells of the bytes of an event."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def unsigned(self):
        number = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def optional_text(self):
        self.at += 1
        if not self.data[self.at - 1]:
            return None
        count = self.unsigned()
        self.at += count
        return self.data[self.at - count:self.at].decode()


def event(kind, data):
    """The event as a tuple: its kind, and the titles it tells."""
    blob = Blob(data)
    blob.unsigned()
    if kind == "firstSeen":
        return kind, blob.optional_text()
    if kind == "titleChanged":
        return kind, blob.optional_text(), blob.optional_text()
    if kind in ("oscillating", "unstable", "settled"):
        return (kind,) + tuple(sorted(blob.optional_text() for _ in range(blob.unsigned())))
    return (kind,)


class History:
    """A copy of a state folder's database, so that the daemon finds its own as it left it."""

    def __init__(self, state):
        with tempfile.TemporaryDirectory() as folder:
            for path in pathlib.Path(state).glob("history.db*"):
                if not path.name.endswith("-shm"):
                    shutil.copy(path, folder)
            database = sqlite3.connect(f"{folder}/history.db")
            self.check = database.execute("PRAGMA integrity_check").fetchall()
            self.events = collections.defaultdict(list)
            self.rows = []
            for seq, name, load, kind, data in database.execute(
                    "SELECT seq, name, load, kind, data FROM events"
                    " LEFT JOIN targets ON targets.id = events.target ORDER BY seq"):
                self.rows.append((seq, name, load))
                self.events[name].append(event(kind, data))
            self.runs = collections.defaultdict(list)
            for name, title, count in database.execute(
                    "SELECT name, title, count FROM titles"
                    " JOIN targets ON targets.id = titles.target ORDER BY titles.id"):
                self.runs[name].append((title, count))
            database.close()


class Daemon:
    """The real daemon on the site; its lines are read as they come."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.lines = []

    @staticmethod
    def configure(folder, all_pages, port, confirm):
        text = (f"defaults: {{interval: 1s, confirm: {confirm}, first_byte_timeout: 3s,"
                " timeout: 4s}\ntargets:\n")
        for page in all_pages:
            text += f'  {page.name}: {{url: "http://{page.address}:{port}/{page.name}"}}\n'
        (folder / "pagewatch.yaml").write_text(text)

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            self.binary, "daemon", "--config", str(self.folder / "pagewatch.yaml"), "--state",
            str(self.folder / "state"), "--socket", str(self.folder / "control.sock"),
            stdout=asyncio.subprocess.PIPE)
        self.reading = asyncio.create_task(self.read())

    async def read(self):
        async for line in self.process.stdout:
            self.lines.append(line.decode())

    async def end(self, number):
        """Sends a signal; the seconds until the end, and how it ended."""
        began = time.monotonic()
        try:
            self.process.send_signal(number)
        except ProcessLookupError:
            pass
        code = await self.process.wait()
        await self.reading
        return time.monotonic() - began, code


# What must be in the history.


def plan(titles, confirm):
    """The events that good loads with these titles must have led to, without oscillation."""
    events, told, run = [], None, (None, 0)
    for title in titles:
        run = (title, run[1] + 1 if run[0] == title else 1)
        if run[1] < confirm or title == told:
            continue
        events.append(("firstSeen", title) if told is None else ("titleChanged", told, title))
        told = title
    return events


def expected(page, titles, confirm):
    if page.kind in ("silent", "dripping"):
        return [("failing",)]
    if page.kind != "oscillating":
        return plan(titles, confirm)
    both = tuple(sorted(set(titles)))
    if confirm > 1:
        return [("unstable",) + both]
    # The fourth switch is told as what it is, and then none.
    return plan(titles[:4], 1) + [("oscillating",) + both]


def differences(all_pages, history, confirm):
    found = []
    for page in all_pages:
        # Their loads run on when the next is due, which is told, too.
        overruns = page.kind in ("silent", "dripping")
        told = [event for event in history.events[page.name]
                if not (overruns and event == ("gap",))]
        # The last answer may have come when the daemon was told to end.
        if told not in (expected(page, page.titles, confirm),
                        expected(page, page.titles[:-1], confirm)):
            found.append(f"{page.name}: {told}\n    for {expected(page, page.titles, confirm)}")
    return found


# How late loads start.


class Hash:
    """The hash that spreads targets and makes jitter (FNV-1a, then mixed)."""

    def __init__(self):
        self.value = 0xcbf29ce484222325

    def add(self, data):
        for byte in data:
            self.value = (self.value ^ byte) * 0x100000001b3 & MASK
        return self

    def mixed(self):
        mixed = self.value
        mixed = (mixed ^ mixed >> 33) * 0xff51afd7ed558ccd & MASK
        mixed = (mixed ^ mixed >> 33) * 0xc4ceb9fe1a85ec53 & MASK
        return mixed ^ mixed >> 33


def lateness(page):
    """How long after its place on the beat each load came, jitter aside; the least is zero."""
    phase = Hash().add(page.name.encode() + b"\xff").mixed()
    offsets = []
    # The first load comes at once, and the second finds the target's place in the interval.
    for number, arrival in enumerate(page.arrivals[1:], start=1):
        seed = Hash().add(phase.to_bytes(8, "little") + number.to_bytes(8, "little"))
        jitter = (seed.mixed() * int(INTERVAL * 1e8)) >> 64
        offsets.append(arrival - (number - 1) * INTERVAL - jitter / 1e9)
    return [offset - min(offsets) for offset in offsets]


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0.0


# The runs.


async def watch(options, all_pages, confirm, title):
    """One run of the daemon to its orderly end; what was not as it must be, and the p99."""
    site = Site(all_pages)
    await site.start()
    found = []
    with tempfile.TemporaryDirectory(prefix="pagewatch-soak-") as folder:
        folder = pathlib.Path(folder)
        Daemon.configure(folder, all_pages, site.port, confirm)
        daemon = Daemon(options.binary, folder)
        await daemon.start()
        await asyncio.sleep(options.seconds)
        status = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text().split("\n")
        resident = [line.split()[1] for line in status if line.startswith("VmRSS")]
        span, code = await daemon.end(signal.SIGTERM)
        if code != 0 or span > 2:
            found.append(f"ended with {code} after {span:.2f} s")
        history = History(folder / "state")
    site.server.close()
    if history.check != [("ok",)]:
        found.append(f"integrity_check: {history.check}")
    found += differences(all_pages, history, confirm)
    healthy = [page for page in all_pages if page.kind not in SICK]
    fewest = min(len(page.arrivals) for page in healthy)
    if fewest < options.seconds / (INTERVAL * 1.1) - 2:
        found.append(f"a healthy target was loaded {fewest} times")
    late = [value for page in healthy for value in lateness(page)]
    loads = sum(len(page.arrivals) for page in all_pages)
    changes = sum(event[0] == "titleChanged" for events in history.events.values()
                  for event in events)
    p50, p99 = percentile(late, 0.5), percentile(late, 0.99)
    print(f"{title:24}{len(all_pages):9}{loads:8}{changes:9}{len(found):13}"
          f"{p50 * 1000:9.1f}{p99 * 1000:9.1f}{max(late) * 1000:9.1f}"
          f"{int(resident[0]) / 1024 if resident else 0:9.1f}{span:7.2f}", flush=True)
    return found, p99


async def soak(options):
    print(f"{'run':24}{'targets':>9}{'loads':>8}{'changes':>9}{'differences':>13}"
          f"{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}{'RSS MiB':>9}{'end s':>7}")
    healthy = [page for page in pages(options.targets) if page.kind not in SICK]
    alone, without = await watch(options, healthy, 1, "healthy, confirm 1")
    found, p99 = await watch(options, pages(options.targets), 1, "all, confirm 1")
    confirmed, _ = await watch(options, pages(options.targets), 3, "all, confirm 3")
    found = alone + found + confirmed
    if p99 - without > max(MOST_SHARE * without, MOST_SPAN):
        found.append(f"p99 of the lateness is {p99 * 1000:.1f} ms with sick neighbours,"
                     f" {without * 1000:.1f} ms without")
    return found


class Kills:
    """What must hold after each kill."""

    def __init__(self, all_pages):
        self.pages = all_pages
        self.announced = collections.defaultdict(set)
        self.last = 0
        self.loads = collections.defaultdict(int)
        self.found = []

    def look(self, number, state, lines):
        history = History(state)
        if history.check != [("ok",)]:
            self.found.append(f"kill {number}: integrity_check: {history.check}")
        for line in lines:
            name, _, rest = line.rstrip("\n").partition(": ")
            kind, _, text = rest.partition(": ")
            if kind in ("first seen", "title changed", "unstable"):
                self.announced[name].add((kind, ", ".join(sorted(text.split(", ")))))
        for page in self.pages:
            self.compare(number, page, history)
        before = self.last
        for seq, name, load in history.rows:
            if seq <= before:
                continue
            self.last = seq
            if name and load is not None:
                if load < self.loads[name]:
                    self.found.append(f"kill {number}: {name}: load {load} came again")
                self.loads[name] = load
        return history

    def compare(self, number, page, history):
        events = [event for event in history.events[page.name] if event != ("gap",)]
        told = collections.Counter(self.text(event) for event in events)
        for one, count in told.items():
            if count > 1 and page.kind != "oscillating" and (
                    one[0] in ("first seen", "title changed")):
                self.found.append(f"kill {number}: {page.name}: {one} came {count} times")
        # Loads that kills hide can make a failing page of one that fails every other time, and a
        # page unstable again; but what is told once must not be told again before it has ended.
        was_confirmed = any(count >= 3 for _, count in history.runs[page.name])
        for before, after in zip(events, events[1:]):
            if before == after and not (after[0] == "unstable" and was_confirmed):
                self.found.append(f"kill {number}: {page.name}: {after} came again")
        turns = [event[0] for event in events if event[0] in ("failing", "recovered")]
        if turns[::2].count("recovered") or turns[1::2].count("failing"):
            self.found.append(f"kill {number}: {page.name}: {turns}")
        for one in self.announced[page.name]:
            if one not in told:
                self.found.append(f"kill {number}: {page.name}: {one} was announced and is lost")
        chain = [event for event in events if event[0] in ("firstSeen", "titleChanged")]
        confirmed = [title for title, count in history.runs[page.name] if count >= 3]
        versions = [title for title, before in zip(confirmed, [None] + confirmed)
                    if title != before]
        if [event[-1] for event in chain] != versions:
            self.found.append(f"kill {number}: {page.name}: {chain} for {history.runs[page.name]}")
        for before, after in zip(chain, chain[1:]):
            if before[-1] != after[1]:
                self.found.append(f"kill {number}: {page.name}: {before} and then {after}")

    @staticmethod
    def text(event):
        quoted = [f'"{title}"' for title in event[1:]]
        if event[0] == "titleChanged":
            return "title changed", " -> ".join(quoted)
        return {"firstSeen": "first seen"}.get(event[0], event[0]), ", ".join(sorted(quoted))


async def kill(options):
    chance = random.Random(options.seed)
    all_pages = pages(options.targets)
    kills = Kills(all_pages)
    site = Site(all_pages)
    await site.start()
    crossing = 0
    with tempfile.TemporaryDirectory(prefix="pagewatch-soak-") as folder:
        folder = pathlib.Path(folder)
        Daemon.configure(folder, all_pages, site.port, 3)
        told = collections.Counter()
        for number in range(1, options.kill + 1):
            daemon = Daemon(options.binary, folder)
            shown = {page.name: len(page.titles) for page in all_pages}
            await daemon.start()
            # Mostly too short for the three loads that confirm a title.
            await asyncio.sleep(chance.uniform(0.05, 2.2))
            await daemon.end(signal.SIGKILL)
            history = kills.look(number, folder / "state", daemon.lines)
            for page in all_pages:
                changes = [event for event in history.events[page.name]
                           if event[0] == "titleChanged"]
                if len(changes) > told[page.name]:
                    title = changes[-1][2]
                    crossing += page.titles[shown[page.name]:].count(title) < 3
                told[page.name] = len(changes)
            if len(kills.found) > 20:
                break
        starts = sum(event == ("service",) for event in history.events[None])
    site.server.close()
    print(f"{number} kills (seed {options.seed}): {len(kills.found)} differences,"
          f" {sum(map(len, kills.announced.values()))} announced, {sum(told.values())} changes of"
          f" which {crossing} were confirmed over a kill, {starts} starts told,"
          f" {sum(len(page.arrivals) for page in all_pages)} loads")
    if options.kill >= 50 and not crossing:
        kills.found.append("no change was confirmed over a kill")
    return kills.found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--binary", default=".build/release/pagewatch")
    arguments.add_argument("--targets", type=int, default=200)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--kill", type=int, default=0, metavar="N")
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    options = arguments.parse_args()
    found = asyncio.run(kill(options) if options.kill else soak(options))
    for line in found[:20]:
        print(line)
    if len(found) > 20:
        print(f"and {len(found) - 20} more")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
