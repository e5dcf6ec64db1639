/// The bytes that a title was read from, before decoding.
///
/// They tell whether a title that reads otherwise than before is another one, or the same one in
/// another encoding. Where the title begins is known from the tokenizer; its end tag is looked for,
/// as every encoding but UTF-16 writes it as ASCII.
struct RawTitle {
    /// Longer titles have no bytes.
    private static let most = 1 << 16

    private static let endTag = Array("</title".utf8)

    /// The number of the title that the bytes are of; see ``TitleSearch/version``.
    private(set) var version = 0
    /// All that was read from the title's start tag on, as far as it can matter.
    private var text: [UInt8] = []

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
        text = Array(slice.dropFirst(Self.bytes(of: slice, saying: count, decodedBy: decoder)))
    }

    /// Goes on with the next slice of the page.
    mutating func append(_ slice: UnsafeRawBufferPointer) {
        if text.count <= Self.most + Self.endTag.count { text.append(contentsOf: slice) }
    }

    /// The bytes between the tags of the title; nil if they cannot be found.
    var bytes: [UInt8]? {
        var at = text.startIndex
        while let start = text[at...].firstIndex(of: UInt8(ascii: "<")), start <= Self.most {
            if isEndTag(at: start) { return Array(text[..<start]) }
            at = start + 1
        }
        return nil
    }

    private func isEndTag(at start: Int) -> Bool {
        let name = text[start...].prefix(Self.endTag.count)
        guard name.lazy.map(\.lowercasedASCII).elementsEqual(Self.endTag),
            name.endIndex < text.endIndex
        else { return false }
        let next = text[name.endIndex]
        return next.isASCIIWhitespace || next == UInt8(ascii: "/") || next == UInt8(ascii: ">")
    }

    /// How many of the slice's bytes it takes to say so much.
    private static func bytes(
        of slice: UnsafeRawBufferPointer, saying count: Int, decodedBy decoder: any ByteDecoder
    ) -> Int {
        var decoder = decoder
        var said = 0
        return withUnsafeTemporaryAllocation(
            byteCount: UTF8Output.bytesPerInputByte + UTF8Output.slack, alignment: 1
        ) { room in
            for (index, byte) in slice.enumerated() where said < count {
                guard var output = UTF8Output(room) else { break }
                decoder.decode(byte: byte, into: &output)
                said += output.count
                if said >= count { return index + 1 }
            }
            return 0
        }
    }
}
