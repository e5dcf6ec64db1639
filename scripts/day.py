#!/usr/bin/env python3
"""Has the real daemon watch 1,000 targets for a day that passes in minutes.

    scripts/day.py [--binary .build/release/pagewatch] [--targets 1000] [--hours 24] [--warm-up 3]
                   [--factor 200]

Its clocks and waits run faster by the factor, by Debian's package `faketime`; the site's do not.
So the timeouts are near the interval of five minutes: what a load takes is 200 times as much in
there. Most pages stay as they are; some change their titles by plan, fail by plan or always,
redirect, never answer, reset the connection, or are large and compressed.

Each half hour after the warm-up gives the median of the memory, and the least number of
descriptors: kept connections come and go. Ends with 1 if the memory grows (least squares, beyond
two standard errors) by more than 1 % of itself a day, or varies too much to tell; if descriptors
do; if the loads are not as many as the schedule gives, within 1 %; if a target waited for two
intervals; or if its history is not what its page did.

The daemon is killed at the end: the two seconds that it has for an orderly one are 10 ms here.
"""
import argparse
import asyncio
import collections
import gzip
import os
import pathlib
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time

import soak

INTERVAL = 300.0
HALF_HOUR = 1800.0
# What all clocks begin with: in there, CLOCK_BOOTTIME counts from 1970, too, and the schedule takes
# no machine to be up for more than ten years.
FIRST_TIME = 5 * 365 * 86400
# What the site keeps a connection without a request for, in simulated seconds.
KEEP = 60.0
# Of the resident memory, a day.
MOST_GROWTH = 0.01
# What two standard errors above the slope must stay below, to tell that there is no growth.
MOST_POSSIBLE = 0.02
CONFIRM, FAILURES = 2, 3
SHARES = (("changing", 150), ("failing", 30), ("broken", 30), ("redirecting", 50),
          ("large", 20), ("silent", 4), ("resetting", 10))


class Page:
    """A page of the site: what it answers, and when it was asked, in simulated seconds."""

    def __init__(self, number, kind):
        self.number, self.kind = number, kind
        self.name = f"{kind}-{number}"
        self.address = f"127.1.{number // 250}.{1 + number % 250}"
        self.spell = 12 + number % 25
        self.arrivals = []
        # A title for each good answer, None for each failure.
        self.answers = []
        self.body = large(self.name, number) if kind == "large" else None

    def answer(self):
        """The status and title of the next answer."""
        count = len(self.arrivals) - 1
        if self.kind == "changing":
            return 200, f"{self.name} v{count // self.spell}"
        if self.kind == "broken" or (self.kind == "failing" and count % 48 >= 42):
            return 500, None
        return 200, self.name

    @property
    def fails(self):
        return self.kind in ("broken", "silent", "resetting")


def large(name, seed):
    """A compressed page whose title stands behind 200 KB."""
    numbers = random.Random(seed)
    style = " ".join(f".a{numbers.randrange(10**6)}{{top:{number}px}}" for number in range(9500))
    return gzip.compress(f"<!doctype html><style>{style}</style><title>{name}</title>".encode())


def pages(count):
    kinds = [kind for kind, share in SHARES for _ in range(max(1, share * count // 1000))]
    kinds += ["steady"] * (count - len(kinds))
    return [Page(number, kind) for number, kind in enumerate(kinds)]


class Connection(asyncio.Protocol):
    """One connection to the site; keeps it for a simulated minute after an answer."""

    def __init__(self, site):
        self.site = site
        self.received = b""
        self.end = None

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, _):
        if self.end:
            self.end.cancel()

    def data_received(self, data):
        self.received += data
        if not self.received.endswith(b"\r\n\r\n"):
            return
        path = self.received.split(b" ", 2)[1].decode()
        self.received = b""
        if self.end:
            self.end.cancel()
        self.end = None
        self.answer(path)

    def answer(self, path):
        page = self.site.pages[path.split("/")[1]]
        if path.endswith("/there"):
            return self.send(200, page, page.name)
        page.arrivals.append(self.site.now())
        if page.kind == "resetting":
            # Without this the end would be an orderly one.
            self.transport.abort()
        elif page.kind == "redirecting":
            page.answers.append(page.name)
            self.write(302, b"", f"Location: /{page.name}/there\r\n".encode())
        elif page.kind != "silent":
            status, title = page.answer()
            page.answers.append(title)
            self.send(status, page, title)

    def send(self, status, page, title):
        if page.body:
            return self.write(status, page.body, b"Content-Encoding: gzip\r\n")
        self.write(status, f"<!doctype html><title>{title}</title><p>{'.' * 2000}".encode())

    def write(self, status, body, more=b""):
        self.transport.write(
            b"HTTP/1.1 %d X\r\nContent-Type: text/html\r\n%sContent-Length: %d\r\n\r\n"
            % (status, more, len(body)) + body)
        self.end = self.site.loop.call_later(KEEP / self.site.factor, self.transport.close)


class Site:
    """Serves the pages on one port of all addresses of loopback."""

    def __init__(self, all_pages, factor):
        self.pages = {page.name: page for page in all_pages}
        self.factor = factor
        self.began = time.monotonic()

    def now(self):
        """Simulated seconds since the daemon began."""
        return (time.monotonic() - self.began) * self.factor

    async def start(self):
        self.loop = asyncio.get_running_loop()
        self.server = await self.loop.create_server(
            lambda: Connection(self), "0.0.0.0", 0, backlog=1024)
        self.port = self.server.sockets[0].getsockname()[1]


def configure(folder, all_pages, port):
    lines = [f"defaults: {{interval: 5min, confirm: {CONFIRM}, failures: {FAILURES}, timeout: 4min,"
             " connect_timeout: 4min, first_byte_timeout: 4min, stall_timeout: 4min}", "targets:"]
    lines += [f'  {page.name}: {{url: "http://{page.address}:{port}/{page.name}"}}'
              for page in all_pages]
    (folder / "pagewatch.yaml").write_text("\n".join(lines) + "\n")


def memory(pid):
    """Resident, and of that what is not mapped from files, in MiB."""
    values = {}
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        values[key] = value.split()
    return int(values["VmRSS"][0]) / 1024, int(values["RssAnon"][0]) / 1024


def without_sockets(pid):
    """How many descriptors are no sockets."""
    count = 0
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            count += not os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:")
        except OSError:
            # Closed meanwhile: a socket.
            pass
    return count


Row = collections.namedtuple("Row", "hour resident own descriptors others loads")


async def observe(pid, site, options):
    """The rows of the table, printed as they come."""
    rows = []
    print(f"{'hour':>6}{'RSS MiB':>9}{'own MiB':>9}{'descriptors':>13}{'no sockets':>12}"
          f"{'loads':>9}")
    begin = options.warm_up * 3600
    while site.now() < begin:
        await asyncio.sleep(0.1)
    while begin < options.hours * 3600:
        begin += HALF_HOUR
        samples, least = [], None
        while site.now() < begin:
            await asyncio.sleep(0.1)
            samples.append(memory(pid))
            count = len(os.listdir(f"/proc/{pid}/fd"))
            least = min(least or count, count)
        row = Row(begin / 3600, statistics.median(sample[0] for sample in samples),
                  statistics.median(sample[1] for sample in samples), least, without_sockets(pid),
                  sum(len(page.arrivals) for page in site.pages.values()))
        rows.append(row)
        print(f"{row.hour:6.1f}{row.resident:9.2f}{row.own:9.2f}{row.descriptors:13}{row.others:12}"
              f"{row.loads:9}", flush=True)
    return rows


# What must hold.


def slope(rows, values, whole):
    """By how much of `whole` the values grow a day, by least squares, and the standard error."""
    days = [row.hour / 24 for row in rows]
    middle, mean = statistics.fmean(days), statistics.fmean(values)
    spread = sum((day - middle) ** 2 for day in days)
    rise = sum((day - middle) * (value - mean) for day, value in zip(days, values)) / spread
    rest = sum((value - mean - rise * (day - middle)) ** 2 for day, value in zip(days, values))
    return rise / whole, (rest / (len(rows) - 2) / spread) ** 0.5 / whole


def growth(rows):
    found = []
    resident = [row.resident for row in rows]
    descriptors = [row.descriptors for row in rows]
    for title, values, whole in (("RSS", resident, resident),
                                 ("own memory", [row.own for row in rows], resident),
                                 ("descriptors", descriptors, descriptors)):
        rise, error = slope(rows, values, statistics.fmean(whole))
        of = "RSS" if whole is resident else "them"
        print(f"{title}: {rise * 100:+.2f} % of {of} a day, standard error {error * 100:.2f} %")
        if rise - 2 * error > MOST_GROWTH:
            found.append(f"{title}: growth of {rise * 100:.2f} % a day")
        # Sockets are a small number that comes and goes: they need not be as steady.
        elif rise + 2 * error > MOST_POSSIBLE and whole is resident:
            found.append(f"{title}: it varies too much to tell a growth of 1 % a day")
    if rows[0].others != rows[-1].others:
        found.append(f"{rows[0].others} descriptors that are no sockets became {rows[-1].others}")
    return found


def extra_loads(page, begin):
    """Loads since then that did not come by the interval: of confirming, and of failing again."""
    extra, failures, last = 0, 0, None
    for arrival, title in zip(page.arrivals, page.answers):
        if title is None:
            extra += failures < FAILURES - 1 and arrival >= begin
            failures += 1
            continue
        failures = 0
        extra += last not in (None, title) and arrival >= begin
        last = title
    return extra


def schedule(all_pages, begin, end):
    """What is wrong with the loads between two moments, whole intervals apart."""
    found, done, expected = [], 0, 0
    for page in all_pages:
        done += sum(begin <= arrival < end for arrival in page.arrivals)
        expected += (end - begin) / INTERVAL + extra_loads(page, begin)
        moments = page.arrivals + [end]
        waited = max((after - before for before, after in zip(moments, moments[1:])), default=end)
        # Jitter is a tenth of the interval; one start may be missed by the load before, if that
        # waits for an answer.
        if waited > 2.1 * INTERVAL:
            found.append(f"{page.name}: not loaded for {waited:.0f} s")
    print(f"loads after the warm-up: {done}, by the schedule {expected:.0f}"
          f" ({(done / expected - 1) * 100:+.2f} %)")
    if abs(done / expected - 1) > 0.01:
        found.append(f"{done} loads after the warm-up, not {expected:.0f}")
    return found


def expected_events(page, answers):
    """What these answers must have led to."""
    if page.fails:
        return [("failing",)]
    events, failures = [], 0
    told, run = None, (None, 0)
    for title in answers:
        if title is None:
            failures += 1
            if failures == FAILURES:
                events.append(("failing",))
            continue
        if failures >= FAILURES:
            events.append(("recovered",))
        failures = 0
        run = (title, run[1] + 1 if run[0] == title else 1)
        if title != told and (told is None or run[1] == CONFIRM):
            events.append(("firstSeen", title) if told is None else ("titleChanged", told, title))
            told = title
    return events


def differences(all_pages, state):
    """Whose history is not what its page did."""
    history = soak.History(state)
    found = [] if history.check == [("ok",)] else [f"integrity_check: {history.check}"]
    told = collections.Counter()
    for page in all_pages:
        events = history.events[page.name]
        told.update(event[0] for event in events)
        # The wait for a load that never ends may run into the next one, which is told, too.
        events = [event for event in events if event != ("gap",)]
        # Killed at any moment, the daemon may not have written what the last answer led to.
        if events not in (expected_events(page, page.answers),
                          expected_events(page, page.answers[:-1])):
            found.append(f"{page.name}: {events}\n    for {expected_events(page, page.answers)}")
    print(f"history: {dict(told)}, of the service {[event[0] for event in history.events[None]]}")
    return found


async def start(options, folder, site):
    """The program around the daemon, and the daemon's own number."""
    # Not by LD_PRELOAD alone: then the library changes the environment before main, and a Swift
    # program finds its arguments by where that lies.
    site.began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        "faketime", "-m", "-f", f"-{int(time.time()) - FIRST_TIME} x{options.factor:g}",
        options.binary, "daemon", "--config", str(folder / "pagewatch.yaml"), "--state",
        str(folder / "state"), "--socket", str(folder / "control.sock"),
        stdout=asyncio.subprocess.DEVNULL)
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text():
        await asyncio.sleep(0.01)
    return process, int(children.read_text())


async def run(options):
    all_pages = pages(options.targets)
    site = Site(all_pages, options.factor)
    await site.start()
    with tempfile.TemporaryDirectory(prefix="pagewatch-day-") as folder:
        folder = pathlib.Path(folder)
        configure(folder, all_pages, site.port)
        process, pid = await start(options, folder, site)
        try:
            rows = await observe(pid, site, options)
            end = site.now()
        finally:
            if process.returncode is None:
                os.kill(pid, signal.SIGKILL)
            await process.wait()
        begin = options.warm_up * 3600
        end = begin + (end - begin) // INTERVAL * INTERVAL
        found = growth(rows) + schedule(all_pages, begin, end)
        found += differences(all_pages, folder / "state")
    site.server.close()
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--binary", default=".build/release/pagewatch")
    arguments.add_argument("--targets", type=int, default=1000)
    arguments.add_argument("--hours", type=float, default=24)
    arguments.add_argument("--warm-up", type=float, default=3)
    arguments.add_argument("--factor", type=float, default=200)
    options = arguments.parse_args()
    if not shutil.which("faketime"):
        print("the program faketime is missing (install Debian's package faketime)")
        return 1
    found = asyncio.run(run(options))
    for line in found[:20]:
        print(line)
    if len(found) > 20:
        print(f"... and {len(found) - 20} more")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
