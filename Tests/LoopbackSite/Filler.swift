/// Bytes that stand for content nobody reads.
enum Filler {
    /// The text, followed by words up to the size: the same each time, and hard to compress.
    static func fill(_ text: [UInt8], to size: Int) -> [UInt8] {
        var bytes = text
        bytes.reserveCapacity(max(size, text.count))
        // A linear congruential generator (Knuth's constants), by its high bits.
        var state: UInt64 = 1
        while bytes.count < size {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            for byte in String(state >> 24, radix: 16).utf8 where bytes.count < size - 1 {
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: " "))
        }
        return bytes
    }

    /// A pattern over and over: the bytes of the endless row from `offset` on.
    static func repeating(_ pattern: [UInt8], from offset: Int, count: Int) -> [UInt8] {
        if pattern.count == 1 { return Array(repeating: pattern[0], count: count) }
        let start = offset % pattern.count
        // Whole copies of the turned pattern, doubled until they are enough.
        var bytes = Array(pattern[start...] + pattern[..<start])
        bytes.reserveCapacity(2 * count)
        while bytes.count < count { bytes += bytes }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
