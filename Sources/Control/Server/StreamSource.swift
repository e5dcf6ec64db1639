/// What a source of a stream has to give.
package enum StreamChunk {
    /// At least one byte. What is more than was asked for is kept and sent before the source is
    /// asked again.
    case bytes([UInt8])
    /// Nothing now: the source is asked again after ``StreamHandle/resume()``.
    case none
    /// Nothing yet: the source is asked again in the loop's next turn.
    case later
    case end
}

/// Where the bytes of an endless answer come from.
///
/// It is asked only when the client's socket takes more, so a slow reader holds up nothing and
/// nothing piles up for it: the bound is one chunk here, one block in libmicrohttpd, and the socket.
package protocol StreamSource: AnyObject {
    /// Whether it is to be cut off when its reader takes nothing for as long as a request may take
    /// to arrive. An answer that holds much is; one that waits for events isn't.
    var needsProgress: Bool { get }
    /// The next bytes for the client. Called on the loop's thread.
    func nextBytes(atMost count: Int) -> StreamChunk
    /// The stream is over: the source said so, the client has gone, or the server was closed.
    /// Told once.
    func streamEnded()
}

/// How the owner of a ``StreamSource`` says that it has more.
package struct StreamHandle {
    weak var stream: RunningStream?

    /// Has the source asked again, in the loop's next turn if it gave nothing before.
    package func resume() { stream?.resume() }
}

/// A stream on its way to a client.
///
/// Input: chunks of its source. Output: blocks, of the size that libmicrohttpd asks for.
final class RunningStream {
    /// What there is for libmicrohttpd now.
    enum Block: Equatable {
        case bytes(count: Int)
        case none, later, end
    }

    private let source: any StreamSource
    /// Wakes the connection, if it sleeps.
    private let wake: () -> Void
    private var left: ArraySlice<UInt8> = []
    private var wasResumed = false
    private(set) var isOver = false

    var needsProgress: Bool { source.needsProgress }

    init(source: any StreamSource, wake: @escaping () -> Void) {
        self.source = source
        self.wake = wake
    }

    func resume() {
        guard !isOver else { return }
        wasResumed = true
        wake()
    }

    /// Writes the next bytes to `buffer`.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Block {
        guard !isOver else { return .end }
        while left.isEmpty {
            wasResumed = false
            switch source.nextBytes(atMost: buffer.count) {
            case .bytes(let bytes): left = bytes[...]
            case .end: return .end
            case .later: return .later
            // A source may say that it has more while it is being asked.
            case .none: if !wasResumed { return .none }
            }
        }
        let count = min(left.count, buffer.count)
        buffer.copyBytes(from: left.prefix(count))
        left = left.dropFirst(count)
        if left.isEmpty { left = [] }
        return .bytes(count: count)
    }

    /// Tells the source that nobody will ask it again.
    func finish() {
        guard !isOver else { return }
        isOver = true
        left = []
        source.streamEnded()
    }
}
