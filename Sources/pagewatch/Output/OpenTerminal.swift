import Glibc

/// A terminal that was opened once more, for writes that never wait.
///
/// The caller's descriptor blocks, and must go on doing so: it is shared with other programs. Even
/// when poll(2) calls it ready, it waits if there is less room than bytes.
final class OpenTerminal {
    let descriptor: CInt

    /// Nil if `descriptor` is no terminal, or one that may not be opened.
    init?(_ descriptor: CInt) {
        guard isatty(descriptor) == 1 else { return nil }
        self.descriptor = open(
            "/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard self.descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
    }
}
