/// The decoder of one family of encodings: an algorithm of the Encoding standard.
///
/// It takes one byte at a time and remembers what it has not finished, so the way the input is cut
/// cannot matter. For every byte it appends at most three, for those it held back included.
protocol ByteDecoder: Sendable {
    /// Whether ASCII bytes mean themselves wherever a character may begin.
    static var keepsASCII: Bool { get }

    /// Whether nothing is held back: the next byte begins a character.
    var isBetweenCharacters: Bool { get }

    /// Reads one byte.
    mutating func decode(byte: UInt8, into output: inout UTF8Output)

    /// Ends the input: what is held back becomes U+FFFD.
    mutating func finish(into output: inout UTF8Output)

    /// Reads several bytes.
    mutating func decode(_ bytes: UnsafeRawBufferPointer, into output: inout UTF8Output)

    /// How many of the next bytes are UTF-8 for what they mean, and can be used where they lie.
    ///
    /// May be asked at any time; gives 0 inside a character.
    func verbatimPrefix(of bytes: UnsafeRawBufferPointer) -> Int
}

extension ByteDecoder {
    static var keepsASCII: Bool { true }

    mutating func decode(_ bytes: UnsafeRawBufferPointer, into output: inout UTF8Output) {
        var position = 0
        while position < bytes.count {
            if Self.keepsASCII, bytes[position] < 0x80, isBetweenCharacters {
                let end = bytes.endOfASCII(from: position)
                output.append(verbatim: UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
                position = end
            } else {
                decode(byte: bytes[position], into: &output)
                position += 1
            }
        }
    }

    func verbatimPrefix(of bytes: UnsafeRawBufferPointer) -> Int {
        Self.keepsASCII && isBetweenCharacters ? bytes.endOfASCII(from: 0) : 0
    }
}

extension Encoding {
    /// A decoder of this encoding, at the beginning of a page.
    func makeByteDecoder() -> any ByteDecoder {
        switch self {
        case .utf8: UTF8Decoder()
        case .utf16LE: UTF16Decoder(isBigEndian: false)
        case .utf16BE: UTF16Decoder(isBigEndian: true)
        case .gbk, .gb18030: GB18030Decoder()
        case .big5: Big5Decoder()
        case .eucJP: EUCJPDecoder()
        case .iso2022JP: ISO2022JPDecoder()
        case .shiftJIS: ShiftJISDecoder()
        case .eucKR: EUCKRDecoder()
        case .replacement: ReplacementDecoder()
        default: SingleByteDecoder(self)
        }
    }
}
