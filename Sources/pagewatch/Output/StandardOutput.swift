import CLinux
import Glibc

/// The program's standard output: collects lines and writes them when told to, when it holds a
/// good deal, and at the end.
///
/// A reader that is slow never makes the loop wait: what can't be written at once is kept, and
/// whoever writes holds back while ``isFull`` and calls ``flush()`` again once ``descriptor`` is
/// writable. Results must be seen as they happen, so ``flush()`` is called once per turn of the
/// loop. A reader that has gone ends the program by SIGPIPE, as any filter. Any other failure is
/// told once on standard error; what is written afterwards is dropped, and ``finish()`` says so.
final class StandardOutput {
    /// Bytes held before they are written unasked.
    private static let capacity = 64 << 10
    /// Bytes held for a slow reader before nothing more should be begun.
    private static let mostHeld = 1 << 20
    /// A pipe that is ready takes this many bytes without blocking (PIPE_BUF).
    private static let pieceSize = 4096

    /// Where it writes; for waiting until it takes more.
    let descriptor: CInt
    /// Whether a person reads it.
    let isTerminal: Bool
    private let terminal: OpenTerminal?
    /// Regular files never block, so they get their bytes in one piece.
    private let isRegularFile: Bool
    private var buffer: [UInt8] = []
    /// How many of them are written.
    private var written = 0
    /// Whether something could not be written; further output is in vain.
    private(set) var hasFailed = false

    /// - Parameter descriptor: Stays open, and whether it blocks is left as it is.
    init(descriptor: CInt = STDOUT_FILENO) {
        isTerminal = isatty(descriptor) == 1
        terminal = OpenTerminal(descriptor)
        self.descriptor = terminal?.descriptor ?? descriptor
        var status = stat()
        isRegularFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Bytes that are still to be written.
    var held: Int { buffer.count - written }

    /// Whether so much is held that nothing should be begun that brings more.
    var isFull: Bool { held >= Self.mostHeld }

    /// Takes text; lines come with their line breaks.
    func write(_ text: String) { write(bytes: text.utf8) }

    /// Takes bytes.
    func write(bytes: some Collection<UInt8>) {
        guard !hasFailed else { return }
        buffer.append(contentsOf: bytes)
        if held >= Self.capacity { flush() }
    }

    /// Writes what the reader takes without a wait.
    func flush() { writeHeld(wait: 0) }

    /// Writes the rest, however long the reader lets it wait, and tells whether all went well.
    func finish() -> ExitCode {
        while held > 0 { writeHeld(wait: -1) }
        return hasFailed ? .unusable : .fine
    }

    /// Drops what is held and all that follows, without a word.
    func abandon() {
        hasFailed = true
        buffer = []
        written = 0
    }

    private func writeHeld(wait: CInt) {
        while !hasFailed, held > 0, isRegularFile || isReady(within: wait) {
            guard let count = writePiece() else { break }
            written += count
        }
        // Moving the rest to the front costs as much as there is of it: not for every piece.
        if written == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.count <= 2 * Self.capacity)
            written = 0
        } else if written > buffer.count / 2 {
            buffer.removeFirst(written)
            written = 0
        }
    }

    /// How many bytes were taken, or nil if no more can be written now.
    private func writePiece() -> Int? {
        let count = buffer.withUnsafeBytes { bytes in
            let limit = isRegularFile ? held : min(held, Self.pieceSize)
            let piece = UnsafeRawBufferPointer(rebasing: bytes[written..<(written + limit)])
            return Glibc.write(descriptor, piece.baseAddress, piece.count)
        }
        if count >= 0 { return count }
        let code = errno
        switch code {
        case EINTR: return 0
        // Somebody else has filled it meanwhile.
        case EAGAIN: return nil
        case EPIPE: endBySignal()
        default: break
        }
        fail(code)
        return nil
    }

    /// Whether a write would not block; asked first, because a descriptor that blocks would stop
    /// the loop. An error is told better by the write itself.
    private func isReady(within milliseconds: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&request, 1, milliseconds)
            if count == 0 { return false }
            if count > 0 || errno != EINTR { return true }
        }
    }

    private func fail(_ code: CInt) {
        abandon()
        StandardError.write("pagewatch: can't write to standard output: \(systemMessage(code))\n")
    }

    /// Ends the program as an unhandled SIGPIPE does: the output's reader has gone.
    func endBySignal() {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
    }
}

/// The program's standard error: lines for people, each written at once.
enum StandardError {
    /// Writes text with its line break; there is nobody to tell if that fails.
    static func write(_ text: String) { write(bytes: Array(text.utf8)) }

    /// Writes bytes as they are; `descriptor` is another one in tests.
    static func write(bytes: [UInt8], to descriptor: CInt = STDERR_FILENO) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == -1, errno == EAGAIN {
                    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    guard poll(&request, 1, 1000) > 0 else { return }
                } else if count != -1 || errno != EINTR {
                    return
                }
            }
        }
    }
}

/// What the C library says about an error number.
func systemMessage(_ code: CInt) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
            return "error \(code)"
        }
        return String(cString: base)
    }
}
