"""The decoders of the Encoding standard, from its index files: what check-encodings.py expects.

Each is a function from bytes to text. They read on from an index: a byte that the standard
"restores" is read once more.
"""
import bisect

BAD = "\ufffd"


class Indexes:
    def __init__(self, folder):
        self.folder, self.loaded = folder, {}

    def __getitem__(self, name):
        if name not in self.loaded:
            lines = (self.folder / f"index-{name}.txt").read_text(encoding="utf-8").split("\n")
            rows = [line.split() for line in lines if line.strip() and line[0] != "#"]
            self.loaded[name] = {int(row[0]): int(row[1], 16) for row in rows}
        return self.loaded[name]


def pairs(data, lead_bytes, single, pair):
    """The steps that the two-byte encodings share.

    `single` gives what a byte means that is no lead; `pair` what two mean; None is an error.
    """
    text, at = [], 0
    while at < len(data):
        byte = data[at]
        at += 1
        if byte not in lead_bytes:
            text.append(single(byte) or BAD)
        elif at == len(data):
            text.append(BAD)
        else:
            meant = pair(byte, data[at])
            # An ASCII byte behind a lead is restored if they mean nothing together.
            if meant or data[at] >= 0x80:
                at += 1
            text.append(meant or BAD)
    return "".join(text)


def character(index, pointer):
    return chr(index[pointer]) if pointer in index else None


def ascii_only(byte):
    return chr(byte) if byte < 0x80 else None


def shift_jis(data, indexes):
    def single(byte):
        if byte <= 0x80:
            return chr(byte)
        return chr(0xFF61 - 0xA1 + byte) if 0xA1 <= byte <= 0xDF else None

    def pair(lead, byte):
        if not (0x40 <= byte <= 0x7E or 0x80 <= byte <= 0xFC):
            return None
        pointer = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 188
        pointer += byte - (0x40 if byte < 0x7F else 0x41)
        if 8836 <= pointer <= 10715:
            return chr(0xE000 - 8836 + pointer)
        return character(indexes["jis0208"], pointer)

    return pairs(data, [*range(0x81, 0xA0), *range(0xE0, 0xFD)], single, pair)


def big5(data, indexes):
    def pair(lead, byte):
        if not (0x40 <= byte <= 0x7E or 0xA1 <= byte <= 0xFE):
            return None
        pointer = (lead - 0x81) * 157 + byte - (0x40 if byte < 0x7F else 0x62)
        two = {1133: "\u00ca\u0304", 1135: "\u00ca\u030c", 1164: "\u00ea\u0304",
               1166: "\u00ea\u030c"}
        return two.get(pointer) or character(indexes["big5"], pointer)

    return pairs(data, range(0x81, 0xFF), ascii_only, pair)


def euc_kr(data, indexes):
    def pair(lead, byte):
        in_range = 0x41 <= byte <= 0xFE
        return character(indexes["euc-kr"], (lead - 0x81) * 190 + byte - 0x41) if in_range else None

    return pairs(data, range(0x81, 0xFF), ascii_only, pair)


def euc_jp(data, indexes):
    text, at, lead, is_supplement = [], 0, 0, False
    while at < len(data):
        byte = data[at]
        at += 1
        if lead == 0x8E and 0xA1 <= byte <= 0xDF:
            lead = 0
            text.append(chr(0xFF61 - 0xA1 + byte))
        elif lead == 0x8F and 0xA1 <= byte <= 0xFE:
            is_supplement, lead = True, byte
        elif lead:
            meant = None
            if 0xA1 <= lead <= 0xFE and 0xA1 <= byte <= 0xFE:
                index = indexes["jis0212" if is_supplement else "jis0208"]
                meant = character(index, (lead - 0xA1) * 94 + byte - 0xA1)
            lead, is_supplement = 0, False
            if not meant and byte < 0x80:
                at -= 1
            text.append(meant or BAD)
        elif byte in (0x8E, 0x8F) or 0xA1 <= byte <= 0xFE:
            lead = byte
        else:
            text.append(ascii_only(byte) or BAD)
    return "".join(text) + (BAD if lead else "")


def iso_2022_jp(data, indexes):
    states = {b"(B": "ascii", b"(J": "roman",
              b"(I": "katakana", b"$@": "lead",
              b"$B": "lead"}
    text, at, state, last_was_escape = [], 0, "ascii", False
    while at < len(data):
        byte = data[at]
        at += 1
        if byte == 0x1B:
            chosen = states.get(bytes(data[at:at + 2]))
            if chosen:
                at += 2
                state = chosen
                if last_was_escape:
                    text.append(BAD)
                last_was_escape = True
            else:
                last_was_escape = False
                text.append(BAD)
            continue
        last_was_escape = False
        if state == "lead" and 0x21 <= byte <= 0x7E:
            meant = None
            if at < len(data) and data[at] != 0x1B:
                if 0x21 <= data[at] <= 0x7E:
                    pointer = (byte - 0x21) * 94 + data[at] - 0x21
                    meant = character(indexes["jis0208"], pointer)
                at += 1
            text.append(meant or BAD)
        elif state == "katakana" and 0x21 <= byte <= 0x5F:
            text.append(chr(0xFF61 - 0x21 + byte))
        elif state == "roman" and byte in (0x5C, 0x7E):
            text.append("\u00a5" if byte == 0x5C else "\u203e")
        elif state in ("ascii", "roman") and byte < 0x80 and byte not in (0x0E, 0x0F):
            text.append(chr(byte))
        else:
            text.append(BAD)
    return "".join(text)


def gb18030(data, indexes):
    ranges = sorted(indexes["gb18030-ranges"].items())
    starts = [start for start, _ in ranges]

    def four(pointer):
        if 39419 < pointer < 189000 or pointer > 1237575:
            return None
        if pointer == 7457:
            return "\ue7c7"
        start, code_point = ranges[bisect.bisect(starts, pointer) - 1]
        return chr(code_point + pointer - start)

    text, at = [], 0
    while at < len(data):
        first, rest = data[at], data[at + 1:at + 4]
        at += 1
        meant = None
        if first <= 0x80:
            meant = chr(first) if first < 0x80 else "\u20ac"
        elif first <= 0xFE and rest and 0x30 <= rest[0] <= 0x39:
            # Without its four bytes, all but the first are read again; at the end there is one
            # error for all that is left.
            if len(rest) == 1 or len(rest) == 2 and 0x81 <= rest[1] <= 0xFE:
                at = len(data)
            elif len(rest) == 3 and 0x81 <= rest[1] <= 0xFE and 0x30 <= rest[2] <= 0x39:
                at += 3
                pointer = ((first - 0x81) * 10 + rest[0] - 0x30) * 126 + rest[1] - 0x81
                meant = four(pointer * 10 + rest[2] - 0x30)
        elif first <= 0xFE and rest:
            if 0x40 <= rest[0] <= 0x7E or 0x80 <= rest[0] <= 0xFE:
                pointer = (first - 0x81) * 190 + rest[0] - (0x40 if rest[0] < 0x7F else 0x41)
                meant = character(indexes["gb18030"], pointer)
            if meant or rest[0] >= 0x80:
                at += 1
        text.append(meant or BAD)
    return "".join(text)


def utf_16(data, order):
    text, at = [], 0
    units = [int.from_bytes(data[i:i + 2], order) for i in range(0, len(data) - 1, 2)]
    while at < len(units):
        unit = units[at]
        at += 1
        if 0xD800 <= unit <= 0xDBFF and at < len(units) and 0xDC00 <= units[at] <= 0xDFFF:
            text.append(chr(0x10000 + (unit - 0xD800 << 10) + units[at] - 0xDC00))
            at += 1
        else:
            text.append(BAD if 0xD800 <= unit <= 0xDFFF else chr(unit))
    return "".join(text) + (BAD if len(data) % 2 else "")


def single_byte(data, index):
    return "".join(chr(b) if b < 0x80 else character(index, b - 0x80) or BAD for b in data)


def user_defined(data):
    return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in data)


def decoder(name, indexes):
    """The function that decodes an encoding of the standard."""
    tables = {"Shift_JIS": shift_jis, "Big5": big5, "EUC-KR": euc_kr, "EUC-JP": euc_jp,
              "ISO-2022-JP": iso_2022_jp, "GBK": gb18030, "gb18030": gb18030}
    if name in tables:
        return lambda data: tables[name](data, indexes)
    others = {"UTF-8": lambda data: data.decode("utf-8", "replace"),
              "UTF-16LE": lambda data: utf_16(data, "little"),
              "UTF-16BE": lambda data: utf_16(data, "big"),
              "x-user-defined": user_defined}
    index = name.lower().removesuffix("-i")
    return others.get(name) or (lambda data: single_byte(data, indexes[index]))
