/// How decoding a body went wrong.
enum DecodingFailure: Error, Equatable {
    /// The bytes are not of the coding that the answer names.
    case corrupt(coding: String)
    case outOfMemory
    /// More has come out of one of its codings than may.
    case tooLarge
}

/// One step of undoing a Content-Encoding: coded bytes in, plain bytes out.
protocol ContentDecoder: AnyObject {
    /// Whether the coded stream has come to its own end; what follows is ignored.
    var isComplete: Bool { get }
    /// Whether more may come out of it though it is given nothing.
    var mayHoldOutput: Bool { get }

    /// Decodes up to one piece of output.
    ///
    /// - Parameter input: What it has taken is cut off its front. What it leaves it wants again.
    /// - Returns: Bytes of its own, valid until the next call; none if it needs more input.
    func decode(
        _ input: inout UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> UnsafeRawBufferPointer
}

/// The undoing of all codings of an answer, the last applied first.
///
/// libcurl could decode too, but it reports neither a truncated gzip nor progress on the wire, and
/// it inflates what nobody reads: decoding here stops once no more content is wanted. It is pulled,
/// one small step a call, so that it can stop anywhere: a few hundred bytes can hold hours of work,
/// whose output need not even be long.
final class ContentDecoding {
    /// More codings than this on one body are taken for an attack.
    private static let mostCodings = 4
    /// Bytes that are given to a decoder at a time; output or none, they take well under 1 ms.
    private static let mostInput = 16 << 10

    /// A decoder and what is still to go through it.
    private struct Step {
        let decoder: any ContentDecoder
        /// Of the step before it: its buffer, which is not written again before this is empty.
        var input = UnsafeRawBufferPointer(start: nil, count: 0)
        var outputBytes: Int64 = 0
    }

    private var steps: [Step]
    private let mostOutput: Int64

    /// Nil where there is nothing to decode: no coding, or one that is unknown, whose body is
    /// taken as it is, as browsers do.
    ///
    /// - Parameter mostOutput: Bytes that may come out of each of the codings.
    init?(codings: [String], mostOutput: Int64 = .max) throws(DecodingFailure) {
        guard !codings.isEmpty else { return nil }
        guard codings.count <= Self.mostCodings else {
            throw .corrupt(coding: codings.joined(separator: ", "))
        }
        var steps: [Step] = []
        for coding in codings.reversed() {
            switch coding {
            case "gzip", "x-gzip": steps.append(Step(decoder: try InflateDecoder(.gzip)))
            case "deflate": steps.append(Step(decoder: try InflateDecoder(.deflate)))
            case "br": steps.append(Step(decoder: try BrotliStreamDecoder()))
            case "zstd": steps.append(Step(decoder: try ZstdStreamDecoder()))
            default: return nil
            }
        }
        self.steps = steps
        self.mostOutput = mostOutput
    }

    /// Whether every coding has come to its own end: the body was whole.
    var isComplete: Bool { steps.allSatisfy(\.decoder.isComplete) }

    /// Takes one decoder one piece further: the one nearest to the end that can go on.
    ///
    /// - Parameter input: The next bytes of the body; what was taken is cut off its front.
    /// - Returns: Plain bytes, valid until the next call; empty if none have come out yet; nil
    ///   when nothing can go on without more input.
    func next(
        _ input: inout UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> UnsafeRawBufferPointer? {
        for index in steps.indices.reversed() {
            let decoder = steps[index].decoder
            let waiting = index == 0 ? input : steps[index].input
            guard !waiting.isEmpty || decoder.mayHoldOutput else { continue }
            var part = UnsafeRawBufferPointer(rebasing: waiting.prefix(Self.mostInput))
            let given = part.count
            let output = try decoder.decode(&part)
            // Behind its end nothing counts.
            let taken = decoder.isComplete ? waiting.count : given - part.count
            let rest = UnsafeRawBufferPointer(rebasing: waiting.dropFirst(taken))
            if index == 0 { input = rest } else { steps[index].input = rest }
            steps[index].outputBytes += Int64(output.count)
            guard steps[index].outputBytes <= mostOutput else { throw .tooLarge }
            guard index + 1 < steps.count else { return output }
            steps[index + 1].input = output
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return nil
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
