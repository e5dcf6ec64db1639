/// UTF-8: one U+FFFD for each longest beginning of a character that goes wrong.
struct UTF8Decoder: ByteDecoder {
    /// The bytes of an unfinished character, the first in the lowest eight bits.
    private var pending: UInt32 = 0
    private var pendingCount = 0
    /// How many bytes the unfinished character has in all, and what its next one may be.
    private var length = 0
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    var isBetweenCharacters: Bool { pendingCount == 0 }

    mutating func decode(_ bytes: UnsafeRawBufferPointer, into output: inout UTF8Output) {
        var position = 0
        while position < bytes.count {
            if isBetweenCharacters {
                let end = bytes.endOfValidUTF8(from: position)
                output.append(verbatim: UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
                position = end
                guard position < bytes.count else { return }
            }
            decode(byte: bytes[position], into: &output)
            position += 1
        }
    }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        if pendingCount == 0 {
            begin(with: byte, into: &output)
        } else if next.contains(byte) {
            pending |= UInt32(byte) << UInt32(8 * pendingCount)
            pendingCount += 1
            next = 0x80...0xBF
            if pendingCount == length {
                output.append(PackedCharacter(bytes: pending))
                pendingCount = 0
            }
        } else {
            output.appendReplacement()
            begin(with: byte, into: &output)
        }
    }

    mutating func finish(into output: inout UTF8Output) {
        guard pendingCount > 0 else { return }
        pendingCount = 0
        output.appendReplacement()
    }

    func verbatimPrefix(of bytes: UnsafeRawBufferPointer) -> Int {
        isBetweenCharacters ? bytes.endOfValidUTF8(from: 0) : 0
    }

    private mutating func begin(with byte: UInt8, into output: inout UTF8Output) {
        pendingCount = 0
        if byte < 0x80 {
            output.append(ascii: byte)
        } else if let lead = UTF8Lead(byte) {
            pending = UInt32(byte)
            pendingCount = 1
            length = lead.length
            next = lead.second
        } else {
            output.appendReplacement()
        }
    }
}
