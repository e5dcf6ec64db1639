/// Why stored bytes are no state of this version's.
package enum StateError: Error, Equatable, CustomStringConvertible {
    /// Made by a newer version, whose form this one does not know.
    case newer(version: Int, known: Int)
    case damaged(String)

    package var description: String {
        switch self {
        case .newer(let version, let known):
            "the target's state has form \(version), and this version knows forms up to \(known) "
                + "(use the version that wrote it)"
        case .damaged(let what): "the target's state is damaged: \(what)"
        }
    }
}

/// Writes numbers and texts one behind the other, each text once.
struct StateWriter {
    private var body: [UInt8] = []
    private var texts: [String] = []

    mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            body.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        body.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func write(_ number: Int) { write(UInt64(clamping: number)) }

    mutating func write(_ truth: Bool) { body.append(truth ? 1 : 0) }

    /// Small for numbers near 0 on both sides.
    mutating func write(signed number: Int64) {
        write(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    /// Eight bytes, for numbers that are as likely large as small.
    mutating func write(fixed number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            body.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    mutating func write(_ text: String) { write(text as String?) }

    /// 0 for nil, else the text's number from 1.
    mutating func write(_ text: String?) {
        guard let text else { return write(0) }
        if let known = texts.firstIndex(where: { isSame($0, text) }) { return write(known + 1) }
        texts.append(text)
        write(texts.count)
    }

    mutating func write<Value>(
        _ value: Value?, _ body: (inout StateWriter, Value) -> Void
    ) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    mutating func write<Value>(
        each values: [Value], _ body: (inout StateWriter, Value) -> Void
    ) {
        write(values.count)
        for value in values { body(&self, value) }
    }

    /// The version, the texts, then the rest.
    func bytes(version: UInt8) -> [UInt8] {
        var head = StateWriter()
        head.write(texts.count)
        for text in texts {
            head.write(text.utf8.count)
            head.body += text.utf8
        }
        return [version] + head.body + body
    }
}

/// Reads what a ``StateWriter`` wrote; takes nothing for granted.
struct StateReader {
    /// Bounds what damaged bytes can claim; a state has about ten of each.
    private static let mostItems = 64

    /// More loads than there will be.
    private static let mostCounted: UInt64 = 1 << 60

    private let bytes: ArraySlice<UInt8>
    private var at: Int
    private var texts: [String] = []

    /// - Parameter bytes: What follows the version.
    init(_ bytes: ArraySlice<UInt8>) throws(StateError) {
        self.bytes = bytes
        at = bytes.startIndex
        for _ in 0..<(try count()) {
            let length = try int()
            guard length <= bytes.endIndex - at else { throw .damaged("a text is cut off") }
            guard let text = String(validating: bytes[at..<(at + length)], as: UTF8.self) else {
                throw .damaged("a text is not UTF-8")
            }
            texts.append(text)
            at += length
        }
    }

    /// Whether all was read.
    var isAtEnd: Bool { at == bytes.endIndex }

    mutating func number() throws(StateError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let byte = try self.byte()
            // The tenth byte has room for one bit.
            guard shift < 63 || byte <= 1 else { break }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        throw .damaged("a number is too long")
    }

    /// A number of things that were counted, with room to go on counting.
    mutating func counter() throws(StateError) -> UInt64 {
        let number = try self.number()
        guard number <= Self.mostCounted else { throw .damaged("it counts to \(number)") }
        return number
    }

    mutating func int() throws(StateError) -> Int { Int(truncatingIfNeeded: try counter()) }

    mutating func truth() throws(StateError) -> Bool {
        let byte = try self.byte()
        guard byte <= 1 else { throw .damaged("\(byte) is neither yes nor no") }
        return byte == 1
    }

    mutating func signed() throws(StateError) -> Int64 {
        let number = try self.number()
        return Int64(bitPattern: (number >> 1) ^ (0 &- (number & 1)))
    }

    mutating func fixed() throws(StateError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) {
            number |= UInt64(try byte()) << UInt64(shift)
        }
        return number
    }

    mutating func textOrNil() throws(StateError) -> String? {
        let index = try int()
        guard index <= texts.count else { throw .damaged("text \(index) of \(texts.count)") }
        return index == 0 ? nil : texts[index - 1]
    }

    mutating func text() throws(StateError) -> String {
        guard let text = try textOrNil() else { throw .damaged("a text is missing") }
        return text
    }

    mutating func optional<Value>(
        _ body: (inout StateReader) throws(StateError) -> Value
    ) throws(StateError) -> Value? {
        try truth() ? try body(&self) : nil
    }

    mutating func each<Value>(
        _ body: (inout StateReader) throws(StateError) -> Value
    ) throws(StateError) -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try count()) { values.append(try body(&self)) }
        return values
    }

    private mutating func count() throws(StateError) -> Int {
        let count = try int()
        guard count <= Self.mostItems else { throw .damaged("it lists \(count) things") }
        return count
    }

    private mutating func byte() throws(StateError) -> UInt8 {
        guard at < bytes.endIndex else { throw .damaged("its end is missing") }
        defer { at += 1 }
        return bytes[at]
    }
}
