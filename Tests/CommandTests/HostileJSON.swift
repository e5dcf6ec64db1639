/// A JSON value, as far as the tests look at one.
enum JSONValue: Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value of a key; null where there is none.
    subscript(key: String) -> JSONValue {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var integer: Int? { number.flatMap { Int(exactly: $0) } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// Nil if the text is no JSON.
    init?(_ text: some StringProtocol) {
        var reader = JSONText(rest: Array(text.utf8)[...])
        guard let value = reader.value(), reader.isAtEnd() else { return nil }
        self = value
    }
}

/// Reads what stands at the beginning of the rest, and takes it off.
private struct JSONText {
    var rest: ArraySlice<UInt8>

    mutating func isAtEnd() -> Bool {
        skipSpace()
        return rest.isEmpty
    }

    mutating func value() -> JSONValue? {
        skipSpace()
        switch rest.first {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return word("true", .boolean(true))
        case UInt8(ascii: "f"): return word("false", .boolean(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func word(_ text: String, _ value: JSONValue) -> JSONValue? {
        guard rest.starts(with: text.utf8) else { return nil }
        rest = rest.dropFirst(text.utf8.count)
        return value
    }

    private mutating func number() -> JSONValue? {
        let digits = rest.prefix { "+-.eE0123456789".utf8.contains($0) }
        rest = rest[digits.endIndex...]
        return Double(String(decoding: digits, as: UTF8.self)).map { .number($0) }
    }

    private mutating func object() -> JSONValue? {
        guard take("{") else { return nil }
        var members: [String: JSONValue] = [:]
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard let key = string(), take(":"), let value = value() else { return nil }
            members[key] = value
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array() -> JSONValue? {
        guard take("[") else { return nil }
        var elements: [JSONValue] = []
        if take("]") { return .array(elements) }
        repeat {
            guard let value = value() else { return nil }
            elements.append(value)
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var units: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: units, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = escape() else { return nil }
                units += escaped
            default: units.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> [UInt8]? {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "u"):
            let digits = String(decoding: rest.prefix(4), as: UTF8.self)
            rest = rest.dropFirst(4)
            // The program writes no surrogates: what needs two of them stands as UTF-8.
            guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value)
            else { return nil }
            return Array(String(scalar).utf8)
        case let byte?: return [byte]
        case nil: return nil
        }
    }
}
