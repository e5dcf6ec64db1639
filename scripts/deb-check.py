#!/usr/bin/env python3
"""Says where the package's files, the units and what is written about them have drifted apart.

    scripts/deb-check.py

Compares text alone: needs no package, no systemd, and no man-db, without which systemd-analyze does
not look for the manuals that units name.
"""
import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = "no one two three four five six seven eight nine ten eleven twelve many".split()
PERIODS = {"daily": "day", "weekly": "week", "monthly": "month"}


def text(path):
    return (PROJECT / path).read_text(encoding="utf-8")


def settings(rotation):
    """The lines of a file for logrotate without comments, ends, and what a shell makes of them."""
    lines = (line.strip() for line in rotation.splitlines())
    return [re.sub(r" 2>/dev/null( \|\| :)?$", "", line) for line in lines
            if line and not line.startswith("#") and line != "}"]


def rotation():
    """How the log is rotated: as docs tell, and as the files that make log and user have it."""
    path = "packaging/debian/pagewatch.logrotate"
    lines = settings(text(path))
    words = dict(line.partition(" ")[::2] for line in lines)

    period = next((PERIODS[line] for line in lines if line in PERIODS), "time")
    size = words.get("maxsize", "").replace("M", " MB")
    kept = NUMBERS[min(int(words.get("rotate", 0)), len(NUMBERS) - 1)]
    told = f"rotates the log for tailing each {period} or at {size}, and keeps {kept}"
    if told not in text("docs/PACKAGING.md"):
        yield f'docs/PACKAGING.md: {path} is such that it should say "{told}"'

    signal = re.search(r"--signal=(\w+)", text(path))
    document = "docs/SERVICE.md"
    sentences = re.split(r"[.;:] ", " ".join(text(document).split()))
    if not signal or not any("logrotate" in sentence and f"SIG{signal[1]}" in sentence
                             for sentence in sentences):
        yield f"{document}: it should say that logrotate sends the signal of {path}"

    folder = lines[0].partition("*")[0].rstrip("/")
    made = re.search(rf"^d {folder} 2750 (\w+) (\w+) ", text("systemd/tmpfiles.d/pagewatch.conf"), re.M)
    if not made or words.get("su") != f"{made[1]} {made[2]}":
        yield f"{path}: su {words.get('su')} is not who has {folder} in systemd/tmpfiles.d"

    # Those that the tests of the service fall back upon.
    tests = "Tests/ServiceTests/RunningTests.swift"
    block = re.search(r'let rotation = """\n(.*?)"""', text(tests), re.S)
    for line in settings(block[1]) if block else []:
        if line not in lines:
            yield f'{tests}: "{line}" is not in {path}'


def manuals():
    """That each manual that a unit names is there."""
    for unit in sorted((PROJECT / "systemd").glob("pagewatch*.*")):
        if unit.is_dir():
            continue
        for name, section in re.findall(r"man:(pagewatch[\w.-]*)\((\d)\)", unit.read_text()):
            if not (PROJECT / f"man/{name}.{section}").exists():
                yield f"systemd/{unit.name}: man/{name}.{section} is not there"


def main():
    problems = [*rotation(), *manuals()]
    print("".join(f"{problem}\n" for problem in problems), end="", file=sys.stderr)
    sys.exit(1 if problems else 0)


main()
