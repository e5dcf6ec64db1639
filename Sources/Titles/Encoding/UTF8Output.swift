/// Room for the UTF-8 that a decoder writes.
///
/// It wraps memory that its maker lends for one call. Nothing is written beyond the end, whatever
/// a decoder does: each store checks the room first.
struct UTF8Output {
    /// The most UTF-8 bytes that one input byte can turn into: a U+FFFD, or a character of
    /// U+0800 to U+FFFF in a single-byte encoding.
    static let bytesPerInputByte = 3

    /// Room for what a decoder still owed from the bytes before: at most three of them.
    static let slack = 16

    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    private(set) var count = 0

    /// - Parameter memory: Not empty; outlives this value.
    init?(_ memory: UnsafeMutableRawBufferPointer) {
        guard let base = memory.baseAddress else { return nil }
        self.base = base
        capacity = memory.count
    }

    /// Appends one ASCII byte.
    mutating func append(ascii byte: UInt8) {
        precondition(count < capacity, "a decoder wrote more than its input can mean")
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends a character of a table.
    mutating func append(_ character: PackedCharacter) {
        // All four bytes are stored at once; those beyond the character are overwritten later.
        precondition(count + 4 <= capacity, "a decoder wrote more than its input can mean")
        base.storeBytes(of: character.bytes.littleEndian, toByteOffset: count, as: UInt32.self)
        count += character.count
    }

    /// Appends a code point beyond ASCII that is no surrogate.
    mutating func append(codePoint: UInt32) {
        append(PackedCharacter(codePoint: codePoint))
    }

    /// Appends the mark of a malformed sequence, U+FFFD.
    mutating func appendReplacement() {
        append(.replacement)
    }

    /// Appends bytes that are valid UTF-8 already.
    mutating func append(verbatim bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        precondition(
            count + bytes.count <= capacity, "a decoder wrote more than its input can mean")
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }
}

extension PackedCharacter {
    /// U+FFFD, EF BF BD.
    static let replacement = PackedCharacter(bytes: 0xBD_BFEF)

    /// - Parameter codePoint: Beyond ASCII, at most U+10FFFF, no surrogate.
    init(codePoint: UInt32) {
        let last = 0x80 | codePoint & 0x3F
        if codePoint < 0x800 {
            bytes = 0xC0 | codePoint >> 6 | last << 8
        } else if codePoint < 0x10000 {
            bytes = 0xE0 | codePoint >> 12 | (0x80 | codePoint >> 6 & 0x3F) << 8 | last << 16
        } else {
            let second = 0x80 | codePoint >> 12 & 0x3F
            let third = 0x80 | codePoint >> 6 & 0x3F
            bytes = 0xF0 | codePoint >> 18 | second << 8 | third << 16 | last << 24
        }
    }
}
