#!/usr/bin/env python3
"""Writes Sources/Titles/Encoding/Tables from the Encoding standard's index files.

Usage: scripts/generate-encodings.py [DIRECTORY]

DIRECTORY holds encodings.json and the index-*.txt files of https://encoding.spec.whatwg.org/;
the default is ../shared/data/encoding beside the project. The tables go into string literals,
in the order of the pointers: array literals of this size take the compiler minutes.
"""

import json
import pathlib
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "Sources" / "Titles" / "Encoding" / "Tables"

HEADER = """\
// swift-format-ignore-file
// Made by scripts/generate-encodings.py from the {sources} of the WHATWG Encoding
// standard (see NOTICE). Do not edit.

"""

# The Swift case of each single-byte table. ISO-8859-8-I reads the table of ISO-8859-8.
SINGLE_BYTE = [
    ("ibm866", "ibm866"),
    ("iso8859_2", "iso-8859-2"),
    ("iso8859_3", "iso-8859-3"),
    ("iso8859_4", "iso-8859-4"),
    ("iso8859_5", "iso-8859-5"),
    ("iso8859_6", "iso-8859-6"),
    ("iso8859_7", "iso-8859-7"),
    ("iso8859_8", "iso-8859-8"),
    ("iso8859_10", "iso-8859-10"),
    ("iso8859_13", "iso-8859-13"),
    ("iso8859_14", "iso-8859-14"),
    ("iso8859_15", "iso-8859-15"),
    ("iso8859_16", "iso-8859-16"),
    ("koi8r", "koi8-r"),
    ("koi8u", "koi8-u"),
    ("macintosh", "macintosh"),
    ("windows874", "windows-874"),
    ("windows1250", "windows-1250"),
    ("windows1251", "windows-1251"),
    ("windows1252", "windows-1252"),
    ("windows1253", "windows-1253"),
    ("windows1254", "windows-1254"),
    ("windows1255", "windows-1255"),
    ("windows1256", "windows-1256"),
    ("windows1257", "windows-1257"),
    ("windows1258", "windows-1258"),
    ("macCyrillic", "x-mac-cyrillic"),
]

# Name of the Swift constant and of its file, index file, pointers in a row of the standard's
# algorithm.
MULTI_BYTE = [
    ("jis0208", "JIS0208", "jis0208", 94,
     "JIS X 0208 with its vendor extensions: Shift_JIS, EUC-JP and ISO-2022-JP."),
    ("jis0212", "JIS0212", "jis0212", 94, "JIS X 0212: the three-byte characters of EUC-JP."),
    ("eucKR", "EUCKR", "euc-kr", 190, "The unified Hangul code: EUC-KR."),
    ("big5", "Big5", "big5", 157, "Big5 with the Hong Kong supplement."),
    ("gb18030", "GB18030", "gb18030", 190, "The two-byte characters of GBK and gb18030."),
]

# Stands for a pointer without a character: every character of an index is beyond ASCII.
GAP = "."

# Written as they are; everything else (marks, controls, blanks, private use, right-to-left
# letters, which would turn the line around) as an escape.
PLAIN_CATEGORIES = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Pd", "Ps", "Pe", "Po", "Sm",
                    "Sc", "So"}


def read_index(directory, name):
    """Pointer to code point."""
    index = {}
    for line in (directory / f"index-{name}.txt").read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if line.startswith("#") or len(fields) < 2:
            continue
        index[int(fields[0])] = int(fields[1], 16)
    return index


def literal(code_point):
    character = chr(code_point)
    if code_point < 0x80:
        raise ValueError(f"U+{code_point:04X}: the tables cannot hold ASCII")
    plain = (
        unicodedata.category(character) in PLAIN_CATEGORIES
        and unicodedata.bidirectional(character) not in {"R", "AL", "AN"}
        # What changes under normalization must survive editors and version control.
        and unicodedata.normalize("NFC", character) == character
    )
    return character if plain else f"\\u{{{code_point:X}}}"


def rows(index, length, per_row):
    """The text of the pointers below `length`, one row of the index a line."""
    for start in range(0, length, per_row):
        stop = min(start + per_row, length)
        yield "".join(literal(index[p]) if p in index else GAP for p in range(start, stop))


def joined(lines):
    """Lines of a multi-line literal that read as one: Swift wants no backslash after the last."""
    return "\\\n".join(f"            {line}" for line in lines) + "\n"


def write(name, text):
    (TARGET / name).write_text(text, encoding="utf-8")
    print(f"{name}: {len(text.encode('utf-8'))} bytes")


def single_byte_tables(directory):
    out = [HEADER.format(sources="single-byte index files")]
    out.append("/// The upper halves, 0x80 to 0xFF, of the single-byte encodings.\n///\n")
    out.append(f"/// `{GAP}` stands for a byte without a character.\n")
    out.append("enum SingleByteTables {\n")
    out.append("    /// The 128 characters of an encoding, or `nil` for one that is no single-byte table.\n")
    out.append("    static func upperHalf(of encoding: Encoding) -> StaticString? {\n")
    out.append("        switch encoding {\n")
    for case, name in SINGLE_BYTE:
        cases = ".iso8859_8, .iso8859_8i" if case == "iso8859_8" else f".{case}"
        out.append(f"        case {cases}:\n            \"\"\"\n")
        out.append(joined(rows(read_index(directory, name), 128, 32)))
        out.append("            \"\"\"\n")
    out.append("        default: nil\n        }\n    }\n}\n")
    write("SingleByteTables.swift", "".join(out))


def multi_byte_tables(directory):
    for constant, file, name, per_row, summary in MULTI_BYTE:
        index = read_index(directory, name)
        length = max(index) + 1
        # What an index leaves out at its start is a number here, not text.
        first = min(index) // per_row * per_row
        out = [HEADER.format(sources=f"file index-{name}.txt")]
        out.append("extension CharacterIndex {\n")
        out.append(f"    /// {summary}\n")
        out.append(f"    static let {constant} = CharacterIndex(\n")
        out.append(f"        count: {length}, firstPointer: {first},\n        characters: \"\"\"\n")
        shifted = {pointer - first: code_point for pointer, code_point in index.items()}
        out.append(joined(rows(shifted, length - first, per_row)))
        out.append("            \"\"\")\n}\n")
        write(f"Index{file}.swift", "".join(out))


def gb18030_ranges(directory):
    ranges = sorted(read_index(directory, "gb18030-ranges").items())
    out = [HEADER.format(sources="file index-gb18030-ranges.txt")]
    out.append("extension GB18030Decoder {\n")
    out.append("    /// The first pointer of each range of four-byte characters, ascending.\n")
    out.append("    static let rangePointers: [UInt32] = [\n")
    out.append(numbers([pointer for pointer, _ in ranges], "{}"))
    out.append("    ]\n\n    /// The code point of each range's first pointer.\n")
    out.append("    static let rangeCodePoints: [UInt32] = [\n")
    out.append(numbers([code_point for _, code_point in ranges], "0x{:04X}"))
    out.append("    ]\n}\n")
    write("IndexGB18030Ranges.swift", "".join(out))


def numbers(values, form):
    text = ""
    for start in range(0, len(values), 10):
        text += "        " + " ".join(form.format(v) + "," for v in values[start:start + 10]) + "\n"
    return text


def labels(directory):
    out = [HEADER.format(sources="label list (encodings.json)")]
    out.append("extension Encoding {\n")
    out.append("    /// Each line: an encoding's name, then its labels in lower case.\n")
    out.append("    static let labelList: StaticString = \"\"\"\n")
    for group in json.loads((directory / "encodings.json").read_text()):
        for encoding in group["encodings"]:
            out.append(f"        {encoding['name']} {' '.join(encoding['labels'])}\n")
    out.append("        \"\"\"\n}\n")
    write("EncodingLabelList.swift", "".join(out))


def main():
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared/data/encoding"
    if not (directory / "encodings.json").exists():
        sys.exit(f"{directory}: no encodings.json here (give the directory of the index files)")
    labels(directory)
    single_byte_tables(directory)
    multi_byte_tables(directory)
    gb18030_ranges(directory)


if __name__ == "__main__":
    main()
