/// UTF-16LE and UTF-16BE: a surrogate without its partner becomes U+FFFD.
struct UTF16Decoder: ByteDecoder {
    static var keepsASCII: Bool { false }

    private let isBigEndian: Bool
    private var firstByte: UInt8?
    private var leadSurrogate: UInt16?

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    var isBetweenCharacters: Bool { firstByte == nil && leadSurrogate == nil }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        guard let first = firstByte else {
            firstByte = byte
            return
        }
        firstByte = nil
        let (high, low) = isBigEndian ? (first, byte) : (byte, first)
        decode(unit: UInt16(high) << 8 | UInt16(low), into: &output)
    }

    /// Half a surrogate pair and an odd byte behind it are one error, as the standard has it.
    mutating func finish(into output: inout UTF8Output) {
        guard !isBetweenCharacters else { return }
        firstByte = nil
        leadSurrogate = nil
        output.appendReplacement()
    }

    private mutating func decode(unit: UInt16, into output: inout UTF8Output) {
        let isTrail = unit & 0xFC00 == 0xDC00
        if let lead = leadSurrogate {
            leadSurrogate = nil
            if isTrail {
                let high = UInt32(lead & 0x3FF) << 10
                output.append(codePoint: 0x10000 + (high | UInt32(unit & 0x3FF)))
                return
            }
            output.appendReplacement()
        }
        if unit & 0xFC00 == 0xD800 {
            leadSurrogate = unit
        } else if isTrail {
            output.appendReplacement()
        } else if unit < 0x80 {
            output.append(ascii: UInt8(truncatingIfNeeded: unit))
        } else {
            output.append(codePoint: UInt32(unit))
        }
    }
}
