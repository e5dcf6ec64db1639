/// Finds the scalars that could forge a line, move a cursor or turn text around.
///
/// They are U+0000-001F, U+007F-009F, U+2028/2029 and the bidi controls (U+061C, U+200E/F,
/// U+202A-E, U+2066-9). JSON and the text for people escape exactly these, so that what a server
/// sends is never more than one line's part.
enum UnsafeScalars {
    /// The unsafe scalar that begins at `index` and its length in bytes, or nil.
    ///
    /// All of them begin with an ASCII control, C2, D8 or E2, and are one UTF-16 unit each.
    @inline(__always)
    static func scalar(
        in bytes: UnsafeBufferPointer<UInt8>, at index: Int
    ) -> (value: UInt16, length: Int)? {
        let first = bytes[index]
        if first < 0x20 || first == 0x7F { return (UInt16(first), 1) }
        if first < 0xC2 { return nil }
        let left = bytes.count - index
        switch first {
        case 0xC2 where left > 1 && bytes[index + 1] < 0xA0:
            return (UInt16(bytes[index + 1]), 2)
        case 0xD8 where left > 1 && bytes[index + 1] == 0x9C:
            return (0x061C, 2)
        case 0xE2 where left > 2:
            let value =
                0x2000 | UInt16(bytes[index + 1] & 0x3F) << 6 | UInt16(bytes[index + 2] & 0x3F)
            switch value {
            case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: return (value, 3)
            default: return nil
            }
        default: return nil
        }
    }
}

/// Appends `text`, and escapes in it every unsafe scalar and two ASCII characters: those to which
/// the form around the text gives a meaning. 0, which is always escaped, stands for none.
///
/// Runs of plain text are found eight bytes at a time and copied whole.
func appendEscaped(
    _ text: String, also first: UInt8, _ second: UInt8, to output: inout [UInt8]
) {
    let firstInAll = UInt64(first) &* ASCIIWord.ones
    let secondInAll = UInt64(second) &* ASCIIWord.ones
    var text = text
    // For a native string this is a look at its own bytes, not a copy.
    text.withUTF8 { bytes in
        let raw = UnsafeRawBufferPointer(bytes)
        var start = 0
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count {
                let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if ASCIIWord.isPrintable(word)
                    && !ASCIIWord.hasZero(word ^ firstInAll)
                    && !ASCIIWord.hasZero(word ^ secondInAll)
                {
                    index += 8
                    continue
                }
            }
            let byte = bytes[index]
            if byte >= 0x20 && byte < 0x7F {
                if byte == first || byte == second {
                    output.append(contentsOf: bytes[start..<index])
                    appendEscape(of: byte, to: &output)
                    start = index + 1
                }
                index += 1
            } else if let (value, length) = UnsafeScalars.scalar(in: bytes, at: index) {
                output.append(contentsOf: bytes[start..<index])
                appendUnicodeEscape(of: value, to: &output)
                index += length
                start = index
            } else {
                index += 1
            }
        }
        output.append(contentsOf: bytes[start...])
    }
}

/// Questions about eight bytes at a time.
private enum ASCIIWord {
    /// The lowest bit of every byte.
    static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Whether any byte is 0.
    @inline(__always)
    static func hasZero(_ word: UInt64) -> Bool { (word &- ones) & ~word & highs != 0 }

    /// Whether every byte is from U+0020 to U+007E.
    @inline(__always)
    static func isPrintable(_ word: UInt64) -> Bool {
        // With no high bit set, a byte below 0x20 borrows, and only 0x7F carries into the high bit.
        ((word &- 0x20 &* ones) | (word &+ ones) | word) & highs == 0
    }
}

/// `\"` and `\\` as JSON has them; any other character as `\uXXXX`.
private func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
    default:
        appendUnicodeEscape(of: UInt16(byte), to: &output)
    }
}

private func appendUnicodeEscape(of value: UInt16, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    output.append(UInt8(ascii: "u"))
    var shift: UInt16 = 16
    while shift > 0 {
        shift -= 4
        let digit = UInt8(truncatingIfNeeded: value >> shift & 0xF)
        output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
    }
}
