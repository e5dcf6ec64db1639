"""How Python's codecs differ from the Encoding standard: every valid sequence, with the reason.

Used by scripts/check-encodings.py. A range is two sequences that differ in their last byte; within
it, only those that the standard has are meant.
"""

# By the standard's name; no codec of Python is near x-user-defined.
CODECS = {
    "UTF-8": "utf-8", "IBM866": "cp866", "ISO-8859-2": "iso8859_2", "ISO-8859-3": "iso8859_3",
    "ISO-8859-4": "iso8859_4", "ISO-8859-5": "iso8859_5", "ISO-8859-6": "iso8859_6",
    "ISO-8859-7": "iso8859_7", "ISO-8859-8": "iso8859_8", "ISO-8859-8-I": "iso8859_8",
    "ISO-8859-10": "iso8859_10", "ISO-8859-13": "iso8859_13", "ISO-8859-14": "iso8859_14",
    "ISO-8859-15": "iso8859_15", "ISO-8859-16": "iso8859_16", "KOI8-R": "koi8_r",
    "KOI8-U": "koi8_u", "macintosh": "mac_roman", "windows-874": "cp874",
    "windows-1250": "cp1250", "windows-1251": "cp1251", "windows-1252": "cp1252",
    "windows-1253": "cp1253", "windows-1254": "cp1254", "windows-1255": "cp1255",
    "windows-1256": "cp1256", "windows-1257": "cp1257", "windows-1258": "cp1258",
    "x-mac-cyrillic": "mac_cyrillic", "GBK": "gb18030", "gb18030": "gb18030",
    "Big5": "big5hkscs", "EUC-JP": "euc_jp", "ISO-2022-JP": "iso2022_jp_ext",
    "Shift_JIS": "cp932", "EUC-KR": "cp949", "UTF-16LE": "utf-16-le", "UTF-16BE": "utf-16-be",
}

C1 = "no character in Windows: the standard keeps the control of that number, Python has none"

GB18030_2022 = [
    ("Python has the euro sign only as A2 E3; Windows also has it as 80", "80"),
    ("an ideographic space in GBK of old, as browsers have it; Python: private use", "a3a0"),
    ("in Unicode since 4.1 and 5.2, in the standard since its edition for gb18030-2022; Python has "
     "the edition of 2000: private use",
     "a6d9-a6df a6ec-a6ed a6f3 fe59 fe61 fe66-fe67 fe6d fe7e fe90 fea0"),
    ("gb18030-2005 gave the pair to U+1E3F, which Python has in four bytes", "a8bc"),
]

JIS = [
    ("Windows' full-width forms; Python follows Unicode's table of JIS X 0208",
     "a1c1-a1c2 a1dd a1f1-a1f2 a2cc"),
    ("row 13, of NEC: not in JIS X 0208", "ada1-adfe"),
    ("rows 89 to 92, of NEC and IBM: not in JIS X 0208",
     "f9a1-f9fe faa1-fafe fba1-fbfe fca1-fcfe"),
]

DIFFERENCES = {
    "KOI8-U": [
        ("the letter short U of Belarusian, as in KOI8-RU; Python has lines for boxes", "ae be")],
    "windows-874": [(C1, "81-84 86-90 98-9f")],
    "windows-1250": [(C1, "81 83 88 90 98")],
    "windows-1251": [(C1, "98")],
    "windows-1252": [(C1, "81 8d 8f 90 9d")],
    "windows-1253": [(C1, "81 88 8a 8c-90 98 9a 9c-9f")],
    "windows-1254": [(C1, "81 8d-90 9d-9e")],
    "windows-1255": [
        (C1, "81 8a 8c-90 9a 9c-9f"),
        ("the point holam haser, as Windows decodes it; Python has none there", "ca")],
    "windows-1257": [(C1, "81 83 88 8a 8c 90 98 9a 9c 9f")],
    "windows-1258": [(C1, "81 8a 8d-90 9a 9d-9e")],
    "GBK": GB18030_2022,
    "gb18030": GB18030_2022 + [
        ("the four bytes that gb18030-2005 gave to U+E7C7; Python has the edition of 2000",
         "8135f437")],
    "EUC-JP": JIS + [("a full-width tilde, as in Windows; Python has an ASCII one", "8fa2b7")],
    "Big5": [
        ("added by the Hong Kong supplement of 2008; Python has that of 2004",
         "877a-877e 87a1-87df"),
        ("a second place of a character that Big5 has already: left out of the supplement of 2004",
         "8e69 8e6f 8e7e 8eab 8eb4 8ecd 8ed0 8f57 8f69 8f6e 8fcb-8fcc 8ffe 906d 907a 90dc 90f1 "
         "91bf 9244 92af-92b2 92c8 92d1 9447 94ca 95d9 9644 96ed 96fc 9b76 9b78 9b7b 9bc6 9bde "
         "9bec 9bf6 9c42 9c53 9c62 9c68 9c6b 9c77 9cbc-9cbd 9cd0 9d57 9d5a 9dc4 9ea9 9eef 9efd "
         "9f60 9f66 9fcb 9fd8 a063 a077 a0d5 a0df a0e4 c6cf c6d3 c6d5 c6d7 c6de-c6df fa5f fa66 "
         "fabd fac5 fad5 fb48 fbb8 fbf3 fbf9 fc4f fc6c fcb9 fce2 fcf1 fdb7-fdb8 fdbb fdf1 fe52 "
         "fe6f feaa fedd"),
        ("another choice among signs that look alike, as Windows has made it",
         "a145 a14e a1c2 a1e3 a1f2-a1f3 a241-a242 a244 a246-a247"),
        ("pictures of controls and the euro sign, of the ETEN extension", "a3c0-a3e1"),
    ],
}


def sequences(text):
    """The sequences that a text such as `80 a1c1-a1c2` names."""
    for word in text.split():
        first, _, last = word.partition("-")
        first, last = bytes.fromhex(first), bytes.fromhex(last or first)
        assert first[:-1] == last[:-1], word
        yield [first[:-1] + bytes([byte]) for byte in range(first[-1], last[-1] + 1)]


def seven_bit(pair):
    """A pair of EUC-JP as ISO-2022-JP writes it, behind both names of the character set."""
    low = bytes(byte - 0x80 for byte in pair)
    return [b"\x1b$" + name + low + b"\x1b(B" for name in (b"@", b"B")]


def listed(encoding):
    """The sequences that may differ, range by range."""
    if encoding == "ISO-2022-JP":
        return [[form for pair in named for form in seven_bit(pair)]
                for _, text in JIS for named in sequences(text)]
    return [named for _, text in DIFFERENCES.get(encoding, []) for named in sequences(text)]
