#!/usr/bin/env python3
"""Prints the changelog of the Debian package, which comes from CHANGELOG.md and Version.swift.

    scripts/deb-changelog.py --time EPOCH [--commit HASH]
    scripts/deb-changelog.py --check

A version that is not released yet is told from all that were built before it by the commit's
time, and is older than the release: 0.2.0~20261130.181411.5425a49d. --check says what is wrong with
the two files.
"""
import argparse
import datetime
import pathlib
import re
import sys
import textwrap

PROJECT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 78
ENTRY = """\
pagewatch ({version}) unstable; urgency=medium

{changes}

 -- {maintainer}  {date:%a, %d %b %Y %H:%M:%S +0000}
"""


def number():
    source = (PROJECT / "Sources/pagewatch/Version.swift").read_text(encoding="utf-8")
    return re.search(r'static let number = "([^"]+)"', source).group(1)


def maintainer():
    control = (PROJECT / "packaging/debian/control").read_text(encoding="utf-8")
    return re.search(r"^Maintainer: (.+)$", control, re.MULTILINE).group(1)


def versions():
    """Of CHANGELOG.md, newest first: number, day of the release or None, and the changes."""
    text = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        found = re.fullmatch(r"(\d+\.\d+\.\d+) \((not released|\d{4}-\d\d-\d\d)\)", heading)
        if not found:
            sys.exit(f'CHANGELOG.md: "{heading}" is no version (write "0.1.0 (not released)" or '
                     '"0.1.0 (2026-11-30)")')
        day = None
        if found[2] != "not released":
            day = datetime.datetime.fromisoformat(found[2]).replace(tzinfo=datetime.timezone.utc)
        changes = [" ".join(change.split()) for change in re.split(r"^- ", body, flags=re.M)[1:]]
        if not changes:
            sys.exit(f"CHANGELOG.md: {found[1]} has no changes (begin each with \"- \")")
        yield found[1], day, changes


def checked():
    """All versions, where the files agree."""
    found = list(versions())
    if not found or found[0][0] != number():
        sys.exit(f"CHANGELOG.md: its first version is not {number()}, that of "
                 "Sources/pagewatch/Version.swift (write both)")
    for version, day, _ in found[1:]:
        if day is None:
            sys.exit(f'CHANGELOG.md: {version} was followed by another version (write the day of '
                     'its release in place of "not released")')
    return found


def entry(version, day, changes, options):
    if day is None:
        day = datetime.datetime.fromtimestamp(options.time, datetime.timezone.utc)
        version += f"~{day:%Y%m%d.%H%M%S}"
        if options.commit:
            version += f".{options.commit}"
    lines = [
        textwrap.fill(change, WIDTH, initial_indent="  * ", subsequent_indent="    ",
                      break_long_words=False, break_on_hyphens=False)
        for change in changes
    ]
    return ENTRY.format(
        version=version, changes="\n".join(lines), maintainer=maintainer(), date=day)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--time", type=int)
    parser.add_argument("--commit", default="")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    found = checked()
    if options.check:
        return
    if options.time is None:
        parser.error("--time is missing")
    print("\n".join(entry(*version, options) for version in found), end="")


main()
