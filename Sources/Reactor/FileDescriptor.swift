import Glibc

/// The sole owner of an open file descriptor: closed when the value ends.
package struct FileDescriptor: ~Copyable {
    package let raw: CInt

    /// Takes over a descriptor that nothing else will close.
    package init(owning raw: CInt) {
        self.raw = raw
    }

    deinit {
        // close(2) is not retried: on Linux the descriptor is gone even after EINTR,
        // and a second close could hit one that another part just opened.
        _ = close(raw)
    }
}
