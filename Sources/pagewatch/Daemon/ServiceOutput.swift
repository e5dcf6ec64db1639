import Glibc
import Reactor

/// The service's standard output: takes lines and writes what its reader takes, never waiting.
///
/// What a reader that is slow or has stopped leaves waits, up to a bound; lines beyond are dropped
/// and counted, which a line in their place tells once there is room. A reader that has gone is
/// no reason to end the service.
final class ServiceOutput {
    /// Bytes that wait for the reader: some 10,000 lines.
    private static let usualCapacity = 1 << 20
    /// A pipe that is ready takes this many bytes without blocking (PIPE_BUF).
    private static let pieceSize = 4096

    private enum Way {
        /// Never blocks: a file, or a description of our own that was told not to.
        case direct
        case socket
        /// Blocks, and is shared with others, who may rely on that: written when it is ready.
        case shared
    }

    private let descriptor: CInt
    private let own: FileDescriptor?
    private let way: Way
    private let capacity: Int
    private var waiting: [UInt8] = []
    private var dropped = 0
    /// Lines whose loss the first of the waiting lines tells.
    private var told = 0
    private var hasGone = false
    private var isWatched = false
    /// Whether a person reads it.
    let isTerminal: Bool

    /// - Parameter shared: The descriptor; whether it blocks is left as it is.
    init(_ shared: CInt = STDOUT_FILENO, capacity: Int = usualCapacity) {
        self.capacity = capacity
        isTerminal = isatty(shared) == 1
        var status = stat()
        _ = fstat(shared, &status)
        let kind = status.st_mode & S_IFMT
        // O_NONBLOCK is a property of the open file, which a shell may share: so another one.
        let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let raw =
            kind == S_IFIFO || kind == S_IFCHR ? open("/proc/self/fd/\(shared)", flags) : -1
        own = raw >= 0 ? FileDescriptor(owning: raw) : nil
        descriptor = raw >= 0 ? raw : shared
        way =
            switch kind {
            case S_IFSOCK: .socket
            case S_IFIFO, S_IFCHR: raw >= 0 ? .direct : .shared
            default: .direct
            }
    }

    /// Whether something waits to be written.
    var isWaiting: Bool { !waiting.isEmpty || dropped > 0 }

    /// Takes a line, without its line break.
    func add(_ line: String) {
        guard !hasGone else { return }
        // While some are dropped all are, so that the line about them stands in their place.
        guard dropped == 0, waiting.count + line.utf8.count < capacity else {
            dropped += 1
            return
        }
        waiting += line.utf8
        waiting.append(UInt8(ascii: "\n"))
    }

    /// Whether a write would not wait.
    var isReady: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, 0) == 1
    }

    /// Whether it was a terminal that has been closed.
    var hasHungUp: Bool {
        var request = pollfd(fd: descriptor, events: 0, revents: 0)
        return isTerminal && poll(&request, 1, 0) == 1 && request.revents & Int16(POLLHUP) != 0
    }

    /// Writes what the reader takes now.
    func flush() {
        while isWaiting {
            if waiting.isEmpty { tellDropped() }
            let (count, code) = writePiece()
            if count > 0 {
                waiting.removeFirst(count)
                told = 0
            } else if code == EAGAIN {
                return
            } else {
                return fail(code)
            }
        }
    }

    /// Has the loop turn when the reader takes more, for as long as something waits for it.
    func watch(on loop: EventLoop) {
        guard isWaiting != isWatched else { return }
        if isWatched {
            loop.unwatch(descriptor)
            isWatched = false
        } else {
            // What cannot be watched never waits for a reader: the next line tries again.
            isWatched = (try? loop.watch(descriptor, for: .writable) { _ in }) != nil
        }
    }

    /// Gives the reader a last chance to take what waits.
    func finish(within limit: Duration) {
        let end = MonotonicClock.now() + limit
        flush()
        while isWaiting, !hasGone {
            let left = (end - MonotonicClock.now()).millisecondsRoundedUp
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard left > 0, poll(&request, 1, CInt(clamping: left)) == 1 else { return }
            flush()
        }
    }

    private func tellDropped() {
        told = dropped
        dropped = 0
        let lines = told == 1 ? "1 line is" : "\(told) lines are"
        waiting += "(service): \(lines) missing here: standard output took no more\n".utf8
    }

    /// How many bytes were taken, or why none.
    private func writePiece() -> (count: Int, code: CInt) {
        guard way != .shared || isReady else { return (0, EAGAIN) }
        while true {
            let count = waiting.withUnsafeBytes { bytes in
                switch way {
                case .direct: write(descriptor, bytes.baseAddress, bytes.count)
                case .shared:
                    write(descriptor, bytes.baseAddress, min(bytes.count, Self.pieceSize))
                case .socket:
                    send(
                        descriptor, bytes.baseAddress, bytes.count,
                        CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
                }
            }
            if count >= 0 { return (count, EAGAIN) }
            let code = errno
            if code != EINTR { return (0, code) }
        }
    }

    /// Lets go what can't be written. A full disk may take later lines.
    private func fail(_ code: CInt) {
        hasGone = ![ENOSPC, EDQUOT, EFBIG].contains(code)
        let lines = waiting.count { $0 == UInt8(ascii: "\n") }
        dropped = hasGone ? 0 : dropped + (told > 0 ? told + lines - 1 : lines)
        told = 0
        waiting.removeAll()
    }
}
