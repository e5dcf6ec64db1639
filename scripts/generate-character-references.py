#!/usr/bin/env python3
"""Writes Sources/Titles/HTML/CharacterReferenceTable.swift.

The names come from Python's html.entities.html5, which is the HTML standard's list.
Run from anywhere: scripts/generate-character-references.py
"""
import pathlib
from html.entities import html5

TARGET = pathlib.Path(__file__).parent.parent / "Sources/Titles/HTML/CharacterReferenceTable.swift"

HEAD = '''\
// swift-format-ignore-file
// Made by scripts/generate-character-references.py; change that, not this.

/// The named character references of the HTML standard, one a line, sorted by the bytes of the name:
/// name, blank, code points in hexadecimal joined by "+". A name has its semicolon, except for the
/// old ones that work without.
enum CharacterReferenceTable {
    static let lines: StaticString = """
'''


def line(name: str) -> str:
    return name + " " + "+".join(f"{ord(character):X}" for character in html5[name])


def main() -> None:
    names = sorted(html5, key=lambda name: name.encode())
    assert len(names) == 2231
    assert sum(not name.endswith(";") for name in names) == 106
    # What the reader of the table relies on, see CharacterReferences.swift.
    assert max(map(len, names)) == 32
    assert max(len(name) for name in names if not name.endswith(";")) == 6
    body = "".join(line(name) + "\n" for name in names)
    # The blank line at the end leaves the last record its newline.
    TARGET.write_text(HEAD + body + '\n"""\n}\n')


if __name__ == "__main__":
    main()
