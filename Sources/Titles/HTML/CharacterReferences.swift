/// Looks up the character references of HTML: `&amp;`, `&copy`, `&#x20AC;`.
enum CharacterReferences {
    /// Letters and digits of the longest name; its semicolon comes on top.
    static let longestName = 31
    /// The longest name that works without a semicolon.
    private static let longestOpenName = 6
    /// At most this many bytes of UTF-8 come out of one reference.
    static let longestText = 6

    /// What a reference stands for: one or two scalars as UTF-8.
    struct Match {
        /// Bytes of the name that are part of the reference, without the semicolon.
        let nameLength: Int
        let hasSemicolon: Bool
        let first: Unicode.Scalar
        let second: Unicode.Scalar?
    }

    /// Finds the longest reference at the start of `name`.
    ///
    /// - Parameters:
    ///   - name: The letters and digits after the ampersand, at most ``longestName``.
    ///   - isClosed: Whether a semicolon follows them.
    /// - Returns: nil if no reference begins like this.
    static func match(_ name: UnsafeRawBufferPointer, isClosed: Bool) -> Match? {
        if isClosed, let (first, second) = scalars(of: name, closed: true) {
            return Match(nameLength: name.count, hasSemicolon: true, first: first, second: second)
        }
        var length = min(name.count, longestOpenName)
        while length >= 2 {
            let prefix = UnsafeRawBufferPointer(rebasing: name[..<length])
            if let (first, second) = scalars(of: prefix, closed: false) {
                return Match(nameLength: length, hasSemicolon: false, first: first, second: second)
            }
            length -= 1
        }
        return nil
    }

    /// What a numeric reference stands for, oddities of old pages included; anything above U+10FFFF
    /// means too large.
    static func scalar(ofNumber value: UInt32) -> Unicode.Scalar {
        if value >= 0x80, value <= 0x9F, let meant = windows1252(value) { return meant }
        guard value != 0, let scalar = Unicode.Scalar(value) else { return "\u{FFFD}" }
        return scalar
    }

    /// Pages that write windows-1252's bytes as references mean its characters.
    private static func windows1252(_ value: UInt32) -> Unicode.Scalar? {
        switch value {
        case 0x80: "\u{20AC}"
        case 0x82: "\u{201A}"
        case 0x83: "\u{0192}"
        case 0x84: "\u{201E}"
        case 0x85: "\u{2026}"
        case 0x86: "\u{2020}"
        case 0x87: "\u{2021}"
        case 0x88: "\u{02C6}"
        case 0x89: "\u{2030}"
        case 0x8A: "\u{0160}"
        case 0x8B: "\u{2039}"
        case 0x8C: "\u{0152}"
        case 0x8E: "\u{017D}"
        case 0x91: "\u{2018}"
        case 0x92: "\u{2019}"
        case 0x93: "\u{201C}"
        case 0x94: "\u{201D}"
        case 0x95: "\u{2022}"
        case 0x96: "\u{2013}"
        case 0x97: "\u{2014}"
        case 0x98: "\u{02DC}"
        case 0x99: "\u{2122}"
        case 0x9A: "\u{0161}"
        case 0x9B: "\u{203A}"
        case 0x9C: "\u{0153}"
        case 0x9E: "\u{017E}"
        case 0x9F: "\u{0178}"
        default: nil
        }
    }

    /// A binary search over the lines of the table; bytes, not lines, are halved.
    private static func scalars(
        of name: UnsafeRawBufferPointer, closed: Bool
    ) -> (Unicode.Scalar, Unicode.Scalar?)? {
        CharacterReferenceTable.lines.withUTF8Buffer { table in
            var low = 0
            var high = table.count
            while low < high {
                var start = (low + high) / 2
                while start > low, table[start - 1] != UInt8(ascii: "\n") { start -= 1 }
                switch order(of: name, closed: closed, at: start, in: table) {
                case 0: return readScalars(after: start + name.count + (closed ? 2 : 1), in: table)
                case ..<0: high = start
                default:
                    low = start
                    while low < high, table[low] != UInt8(ascii: "\n") { low += 1 }
                    low += 1
                }
            }
            return nil
        }
    }

    /// Compares a name with the one of the line that starts at `start`: below 0 if it sorts before.
    private static func order(
        of name: UnsafeRawBufferPointer, closed: Bool, at start: Int,
        in table: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var at = start
        for byte in name {
            // Every line ends in a newline, which no name holds: `at` stays inside the table.
            if byte != table[at] { return Int(byte) - Int(sortKey(table[at])) }
            at += 1
        }
        if closed {
            if table[at] != UInt8(ascii: ";") {
                return Int(UInt8(ascii: ";")) - Int(sortKey(table[at]))
            }
            at += 1
        }
        return table[at] == UInt8(ascii: " ") ? 0 : -1
    }

    /// The blank after a name sorts before everything, as the end of a string does.
    private static func sortKey(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: " ") ? 0 : byte
    }

    private static func readScalars(
        after start: Int, in table: UnsafeBufferPointer<UInt8>
    ) -> (Unicode.Scalar, Unicode.Scalar?)? {
        var at = start
        let first = readHexadecimal(&at, in: table)
        var second: UInt32?
        if table[at] == UInt8(ascii: "+") {
            at += 1
            second = readHexadecimal(&at, in: table)
        }
        guard let first = Unicode.Scalar(first) else { return nil }
        return (first, second.flatMap(Unicode.Scalar.init))
    }

    private static func readHexadecimal(
        _ at: inout Int, in table: UnsafeBufferPointer<UInt8>
    ) -> UInt32 {
        var value: UInt32 = 0
        while let digit = table[at].hexadecimalDigit {
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }
}

extension UInt8 {
    /// The value of this byte as an ASCII hexadecimal digit.
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
