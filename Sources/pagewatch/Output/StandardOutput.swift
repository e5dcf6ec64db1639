import Glibc

/// The program's standard output: collects lines and writes them when told to, when it holds a
/// good deal, and at the end.
///
/// Results must be seen as they happen, so whoever writes calls ``flush()`` once per turn of the
/// loop. A reader that has gone ends the program by SIGPIPE, as any filter. Any other failure is
/// told once on standard error; what is written afterwards is dropped, and ``finish()`` says so.
final class StandardOutput {
    /// Bytes held before they are written unasked.
    private static let capacity = 64 << 10
    /// A pipe that is ready takes this many bytes without blocking (PIPE_BUF).
    private static let pieceSize = 4096
    /// How often a wait for a slow reader looks for a signal, in milliseconds.
    private static let signalCheckInterval: CInt = 100

    private let descriptor: CInt
    /// Regular files never block, so they get their bytes in one piece.
    private let isRegularFile: Bool
    private var buffer: [UInt8] = []
    /// Whether something could not be written; further output is in vain.
    private(set) var hasFailed = false

    /// - Parameter descriptor: Stays open, and whether it blocks is left as it is.
    init(descriptor: CInt = STDOUT_FILENO) {
        self.descriptor = descriptor
        var status = stat()
        isRegularFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a person reads it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Takes text; lines come with their line breaks.
    func write(_ text: String) { write(bytes: text.utf8) }

    /// Takes bytes.
    func write(bytes: some Collection<UInt8>) {
        guard !hasFailed else { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.capacity { flush() }
    }

    /// Writes what was collected; waits for a reader that is slow, but not when the program shall
    /// end.
    func flush() {
        guard !hasFailed, !buffer.isEmpty else { return }
        buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, let count = writePiece(rest) { rest = rest.dropFirst(count) }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the rest and tells whether all went well.
    func finish() -> ExitCode {
        flush()
        return hasFailed ? .unusable : .fine
    }

    /// How many bytes were taken, or nil if no more can be written.
    private func writePiece(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let limit = isRegularFile ? bytes.count : Self.pieceSize
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(limit))
        while true {
            // Asked first, because a descriptor that blocks would not let Ctrl-C through.
            guard isRegularFile || waitUntilReady() else { return nil }
            let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
            if count >= 0 { return count }
            let code = errno
            switch code {
            case EINTR, EAGAIN: continue
            case EPIPE: endBySignal()
            default: break
            }
            fail(code)
            return nil
        }
    }

    /// Waits until a write would not block; false if a signal asks the program to end meanwhile.
    private func waitUntilReady() -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&request, 1, Self.signalCheckInterval)
            // An error of poll's, or a condition that write will tell better.
            if count > 0 || (count < 0 && errno != EINTR) { return true }
            if isEndPending() {
                hasFailed = true
                return false
            }
        }
    }

    /// The loop takes signals through a descriptor, so here they only wait.
    private func isEndPending() -> Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return [SIGINT, SIGTERM, SIGHUP].contains { sigismember(&pending, $0) == 1 }
    }

    private func fail(_ code: CInt) {
        hasFailed = true
        StandardError.write("pagewatch: can't write to standard output: \(systemMessage(code))\n")
    }

    /// Ends the program as an unhandled SIGPIPE does.
    private func endBySignal() {
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
