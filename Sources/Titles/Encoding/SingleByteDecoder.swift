/// Every encoding in which a byte is a character: ASCII below 0x80, a table above.
struct SingleByteDecoder: ByteDecoder {
    /// What 0x80 to 0xFF mean; U+FFFD for a byte without a character.
    private let upperHalf: [PackedCharacter]

    init(_ encoding: Encoding) {
        if let table = SingleByteTables.upperHalf(of: encoding) {
            upperHalf = PackedCharacter.all(of: table, reserving: 128)
                .map { $0.exists ? $0 : .replacement }
        } else {
            // x-user-defined: private use, so that a script could get the bytes back.
            upperHalf = (0..<128).map { PackedCharacter(codePoint: 0xF780 + $0) }
        }
    }

    var isBetweenCharacters: Bool { true }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        if byte < 0x80 {
            output.append(ascii: byte)
        } else {
            output.append(upperHalf[Int(byte & 0x7F)])
        }
    }

    mutating func finish(into output: inout UTF8Output) {}
}

/// The encodings that are not decoded for safety's sake: any content becomes one U+FFFD.
struct ReplacementDecoder: ByteDecoder {
    static var keepsASCII: Bool { false }

    private var hasReported = false

    var isBetweenCharacters: Bool { true }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        guard !hasReported else { return }
        hasReported = true
        output.appendReplacement()
    }

    mutating func finish(into output: inout UTF8Output) {}
}
