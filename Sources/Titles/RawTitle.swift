/// The bytes that a title was read from, before decoding.
///
/// They tell whether a title that reads otherwise than before is another one, or the same one in
/// another encoding. Where the title begins and ends is known from the tokenizer, in bytes of UTF-8;
/// decoding once more, byte by byte, tells which bytes of the page these are.
struct RawTitle {
    /// Longer titles have no bytes.
    private static let most = 1 << 16

    /// The number of the title that the bytes are of; see ``TitleSearch/version``.
    private(set) var version = 0
    /// How much UTF-8 the title's text is as the tokenizer reads it; nil before its end is known.
    var decodedLength: Int?
    /// All that was read from the title's start tag on, as far as it can matter.
    private var text: [UInt8] = []
    /// What reads the text, as it was before that.
    private var decoder: any ByteDecoder = UTF8Decoder()

    /// Begins with a title whose start tag ends in `slice`.
    ///
    /// - Parameters:
    ///   - version: The title's number.
    ///   - slice: A part of the page that was just read.
    ///   - count: How much of what the slice says comes before the title's text, in UTF-8.
    ///   - decoder: What read the slice, as it was before that.
    mutating func begin(
        _ version: Int, in slice: UnsafeRawBufferPointer, behind count: Int,
        decodedBy decoder: any ByteDecoder
    ) {
        self.version = version
        self.decoder = decoder
        text = Array(slice.dropFirst(Self.decode(slice, with: &self.decoder, until: count)))
    }

    /// Goes on with the next slice of the page.
    mutating func append(_ slice: UnsafeRawBufferPointer) {
        if text.count <= Self.most { text.append(contentsOf: slice) }
    }

    /// The bytes between the tags of the title; nil if the title is too long, or never ended.
    var bytes: [UInt8]? {
        guard let decodedLength else { return nil }
        var decoder = decoder
        // What is malformed may be known as such only by the byte behind it: so the `<` counts, too.
        let end = text.withUnsafeBytes {
            Self.decode($0, with: &decoder, until: decodedLength + 1)
        }
        let length = end - (decoder is UTF16Decoder ? 2 : 1)
        return length <= Self.most && length >= 0 ? Array(text[..<length]) : nil
    }

    /// Decodes until so much was said.
    ///
    /// - Returns: How many bytes that took; 0 if there are too few.
    private static func decode(
        _ bytes: UnsafeRawBufferPointer, with decoder: inout any ByteDecoder, until count: Int
    ) -> Int {
        withUnsafeTemporaryAllocation(
            byteCount: UTF8Output.bytesPerInputByte + UTF8Output.slack, alignment: 1
        ) { room in
            var said = 0
            for (index, byte) in bytes.enumerated() {
                guard var output = UTF8Output(room) else { break }
                decoder.decode(byte: byte, into: &output)
                said += output.count
                if said >= count { return index + 1 }
            }
            return 0
        }
    }
}
