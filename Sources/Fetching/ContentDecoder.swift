/// How decoding a body went wrong.
enum DecodingFailure: Error, Equatable {
    /// The bytes are not of the coding that the answer names.
    case corrupt(coding: String)
    case outOfMemory
}

/// One step of undoing a Content-Encoding: coded bytes in, plain bytes out.
protocol ContentDecoder: AnyObject {
    /// Whether the coded stream has come to its own end; what follows is ignored.
    var isComplete: Bool { get }

    /// Decodes the next bytes and hands out what comes of them, piece by piece.
    ///
    /// - Parameter output: Gets bytes that are valid only during the call; answers whether to go
    ///   on.
    func decode(
        _ input: UnsafeRawBufferPointer,
        output: (UnsafeRawBufferPointer) throws(DecodingFailure) -> Bool
    ) throws(DecodingFailure)
}

/// The undoing of all codings of an answer, the last applied first.
///
/// libcurl could decode too, but it reports neither a truncated gzip nor progress on the wire, and
/// it inflates what nobody reads: decoding here stops once no more content is wanted.
final class ContentDecoding {
    /// More codings than this on one body are taken for an attack.
    private static let mostCodings = 4

    private let decoders: [any ContentDecoder]

    /// Nil where there is nothing to decode: no coding, or one that is unknown, whose body is
    /// taken as it is, as browsers do.
    init?(codings: [String]) throws(DecodingFailure) {
        guard !codings.isEmpty else { return nil }
        guard codings.count <= Self.mostCodings else {
            throw .corrupt(coding: codings.joined(separator: ", "))
        }
        var decoders: [any ContentDecoder] = []
        for coding in codings.reversed() {
            switch coding {
            case "gzip", "x-gzip": decoders.append(try InflateDecoder(.gzip))
            case "deflate": decoders.append(try InflateDecoder(.deflate))
            case "br": decoders.append(try BrotliStreamDecoder())
            case "zstd": decoders.append(try ZstdStreamDecoder())
            default: return nil
            }
        }
        self.decoders = decoders
    }

    /// Whether every coding has come to its own end: the body was whole.
    var isComplete: Bool { decoders.allSatisfy(\.isComplete) }

    /// Decodes the next bytes of the body.
    func decode(
        _ input: UnsafeRawBufferPointer,
        output: (UnsafeRawBufferPointer) throws(DecodingFailure) -> Bool
    ) throws(DecodingFailure) {
        _ = try decode(input, step: 0, output: output)
    }

    private func decode(
        _ input: UnsafeRawBufferPointer, step: Int,
        output: (UnsafeRawBufferPointer) throws(DecodingFailure) -> Bool
    ) throws(DecodingFailure) -> Bool {
        guard step < decoders.count else { return try output(input) }
        var goesOn = true
        try decoders[step].decode(input) { piece throws(DecodingFailure) in
            goesOn = try self.decode(piece, step: step + 1, output: output)
            return goesOn
        }
        return goesOn
    }
}

/// The buffer that a decoder writes into: its own, freed with it.
///
/// Most pages have told all that they can by the end of their head, and then nothing more need be
/// decoded: the pieces are small at first, so that little is inflated in vain.
struct DecoderBuffer: ~Copyable {
    static let size = 16 << 10
    private static let smallPiece = 4 << 10
    /// How much comes in small pieces: 99 % of titles end by here.
    private static let smallPieces = 32 << 10

    private let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: size, alignment: MemoryLayout<UInt>.alignment)
    private var handedOut = 0

    deinit { bytes.deallocate() }

    /// How much of it the next piece may fill.
    var room: Int { handedOut < Self.smallPieces ? Self.smallPiece : Self.size }

    /// Where the next piece begins.
    var start: UnsafeMutableRawPointer? { bytes.baseAddress }

    /// The first `count` bytes, valid until the buffer is written again.
    mutating func filled(_ count: Int) -> UnsafeRawBufferPointer {
        handedOut = min(handedOut + count, Self.smallPieces)
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
}
