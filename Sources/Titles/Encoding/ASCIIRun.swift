extension UnsafeRawBufferPointer {
    /// The end of the run of ASCII bytes that starts at `start`.
    func endOfASCII(from start: Int) -> Int {
        var position = start
        // Thirty-two bytes a step. The loads stay inside: `position + 32 <= count`.
        while position + 32 <= count {
            let first = word(at: position) | word(at: position + 8)
            let second = word(at: position + 16) | word(at: position + 24)
            guard (first | second) & 0x8080_8080_8080_8080 == 0 else { break }
            position += 32
        }
        while position + 8 <= count {
            let high = word(at: position) & 0x8080_8080_8080_8080
            guard high == 0 else { return position + high.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < count, self[position] < 0x80 { position += 1 }
        return position
    }

    /// Eight bytes, the first in the lowest eight bits.
    private func word(at position: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
}
