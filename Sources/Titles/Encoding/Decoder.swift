/// Turns the bytes of one page into UTF-8, piece by piece.
///
/// A byte order mark is not looked for here: the caller drops the first
/// ``EncodingDecision/bomLength`` bytes.
struct Decoder {
    /// How much input is decoded at a time: its output stays in the processor's first cache.
    private static let blockSize = 4096

    /// Shorter runs are copied rather than handed out in place: a piece has its price too.
    private static let shortestRunInPlace = 64

    /// What the bytes are read as.
    let encoding: Encoding

    private(set) var decoder: any ByteDecoder
    /// Room for one block's output; empty until something has to be decoded.
    private var scratch: [UInt8] = []

    /// Starts at the beginning of a page.
    init(_ encoding: Encoding) {
        self.encoding = encoding
        decoder = encoding.makeByteDecoder()
    }

    /// Reads the next bytes of the page and hands out what they say, as pieces of valid UTF-8.
    ///
    /// A piece is never empty and never begins or ends inside a character. What is UTF-8 already
    /// is handed out in place: pieces are valid only during the call. How the input is cut never
    /// changes the concatenation of all pieces.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var rest = bytes
        while !rest.isEmpty {
            let run = decoder.verbatimPrefix(of: rest)
            if run == rest.count || run >= Self.shortestRunInPlace {
                body(UnsafeRawBufferPointer(rebasing: rest[..<run]))
                rest = UnsafeRawBufferPointer(rebasing: rest[run...])
            } else {
                let length = min(rest.count, Self.blockSize)
                let block = UnsafeRawBufferPointer(rebasing: rest[..<length])
                write({ $0.decode(block, into: &$1) }, body)
                rest = UnsafeRawBufferPointer(rebasing: rest[length...])
            }
        }
    }

    /// Ends the page: what was left unfinished becomes U+FFFD.
    mutating func finish(_ body: (UnsafeRawBufferPointer) -> Void) {
        guard !decoder.isBetweenCharacters else { return }
        write({ $0.finish(into: &$1) }, body)
    }

    /// Reads the next bytes of the page and appends what they say to `output`.
    mutating func decode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        decode(bytes) { output.append(contentsOf: $0) }
    }

    /// Ends the page, appending to `output`.
    mutating func finish(into output: inout [UInt8]) {
        finish { output.append(contentsOf: $0) }
    }

    /// Lets the decoder write into the scratch memory, then hands out what it wrote.
    private mutating func write(
        _ action: (inout any ByteDecoder, inout UTF8Output) -> Void,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        if scratch.isEmpty {
            let size = Self.blockSize * UTF8Output.bytesPerInputByte + UTF8Output.slack
            scratch = [UInt8](repeating: 0, count: size)
        }
        Self.write(&decoder, into: &scratch, action, body)
    }

    private static func write(
        _ decoder: inout any ByteDecoder, into scratch: inout [UInt8],
        _ action: (inout any ByteDecoder, inout UTF8Output) -> Void,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        scratch.withUnsafeMutableBytes { memory in
            guard var output = UTF8Output(memory) else { return }
            action(&decoder, &output)
            guard output.count > 0 else { return }
            body(UnsafeRawBufferPointer(rebasing: memory[..<output.count]))
        }
    }
}
