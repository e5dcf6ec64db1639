/// The keys and values of one JSON object, such as the line of an event.
///
/// Objects and arrays within it are kept as they stand. It never fails on hostile bytes: what is no
/// object is nil.
struct JSONFields {
    private enum Value {
        case string(String)
        /// A number, a word (`true`, `null`), an object or an array, as it stands.
        case other(ArraySlice<UInt8>)
    }

    private var values: [String: Value] = [:]

    /// Nil unless the bytes are one object, with blanks around it at most.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = JSONReader(rest: bytes)
        guard reader.take("{") else { return nil }
        if !reader.take("}") {
            repeat {
                guard let key = reader.string(), reader.take(":") else { return nil }
                if let text = reader.string() {
                    values[key] = .string(text)
                } else if let other = reader.other() {
                    values[key] = .other(other)
                } else {
                    return nil
                }
            } while reader.take(",")
            guard reader.take("}") else { return nil }
        }
        guard reader.isAtEnd else { return nil }
    }

    /// The string behind a key; nil if there is none, or it is null.
    func string(_ key: String) -> String? {
        if case .string(let text)? = values[key] { text } else { nil }
    }

    /// The whole number behind a key.
    func number(_ key: String) -> Int64? {
        if case .other(let bytes)? = values[key] {
            Int64(String(decoding: bytes, as: UTF8.self))
        } else {
            nil
        }
    }

    /// The number behind a key, whole or not.
    func fraction(_ key: String) -> Double? {
        if case .other(let bytes)? = values[key] {
            Double(String(decoding: bytes, as: UTF8.self))
        } else {
            nil
        }
    }

    /// Whether `true` stands behind a key; nil unless `true` or `false` does.
    func flag(_ key: String) -> Bool? {
        if case .other(let bytes)? = values[key] {
            Bool(String(decoding: bytes, as: UTF8.self))
        } else {
            nil
        }
    }

    /// The object behind a key.
    func fields(_ key: String) -> JSONFields? {
        if case .other(let bytes)? = values[key] { JSONFields(bytes) } else { nil }
    }
}

/// Takes JSON from bytes, piece by piece.
private struct JSONReader {
    var rest: ArraySlice<UInt8>

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    var isAtEnd: Bool {
        mutating get {
            skipBlanks()
            return rest.isEmpty
        }
    }

    /// Takes a mark, if it is next.
    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Takes a string, if one is next. What is no UTF-8 in it comes out as U+FFFD.
    mutating func string() -> String? {
        skipBlanks()
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var inside = rest.dropFirst()
        var text: [UInt8] = []
        while let byte = inside.popFirst() {
            if byte == UInt8(ascii: "\"") {
                rest = inside
                return String(decoding: text, as: UTF8.self)
            }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard let scalar = Self.escape(&inside) else { return nil }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        return nil
    }

    private static func escape(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let letter = rest.popFirst() else { return nil }
        switch letter {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = unit(&rest) else { return nil }
            guard unit & 0xFC00 == 0xD800 else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
            var behind = rest
            guard behind.popFirst() == UInt8(ascii: "\\"), behind.popFirst() == UInt8(ascii: "u"),
                let low = Self.unit(&behind), low & 0xFC00 == 0xDC00
            else { return "\u{FFFD}" }
            rest = behind
            return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}"
        default: return Unicode.Scalar(letter)
        }
    }

    /// Four hexadecimal digits.
    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { return nil }
        rest = rest.dropFirst(4)
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// Takes a number or a word, or an object or array whole, if one is next.
    mutating func other() -> ArraySlice<UInt8>? {
        skipBlanks()
        let begin = rest
        var depth = 0
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""):
                guard depth > 0, string() != nil else { return nil }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return taken(from: begin) }
                depth -= 1
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return taken(from: begin) }
            default: break
            }
            rest = rest.dropFirst()
            if depth == 0, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                return taken(from: begin)
            }
        }
        return nil
    }

    private func taken(from begin: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        rest.startIndex > begin.startIndex ? begin[..<rest.startIndex] : nil
    }
}
