import Glibc
import Reactor

/// A file that lines are appended to, each whole or not at all.
///
/// `O_APPEND` puts each write to the end that the file has then, so a file that was cut by its
/// rotation (copytruncate) goes on at its new end.
struct AppendedFile: ~Copyable {
    /// How long a pipe's reader may take before lines are given up, in milliseconds.
    private static let patience: CInt = 1000

    private let descriptor: FileDescriptor
    private let device: dev_t
    private let inode: ino_t
    private let isRegular: Bool
    /// Whether what stands at the end is a piece of a line.
    private var isTorn = false

    /// Opens the file, made with mode 0640 if it is missing.
    ///
    /// - Throws: ``SystemError``; its `code` says why.
    init(_ path: String) throws(SystemError) {
        // Without O_NONBLOCK a pipe that nobody reads would hold the thread.
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        var raw = open(path, flags)
        if raw == -1, errno == ENOENT {
            raw = open(path, flags | O_CREAT, 0o640)
            // The group is to read it whatever the umask says.
            if raw >= 0 { _ = fchmod(raw, 0o640) }
        }
        guard raw >= 0 else { throw SystemError(code: errno, action: "open it") }
        var status = stat()
        _ = fstat(raw, &status)
        descriptor = FileDescriptor(owning: raw)
        (device, inode) = (status.st_dev, status.st_ino)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isTorn = isRegular && status.st_size > 0 && Self.isTorn(path, size: status.st_size)
    }

    /// Whether the path leads to this file still.
    borrowing func isAt(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }

    /// Appends whole lines, in one write unless the disk gets full.
    ///
    /// - Returns: How many bytes went, always whole lines, and why no more did.
    mutating func append(_ lines: [UInt8]) -> (written: Int, problem: CInt?) {
        // A line that a crash cut off must not run into the next.
        if isTorn {
            let (count, code) = write([UInt8(ascii: "\n")])
            guard count == 1 else { return (0, code) }
            isTorn = false
        }
        var written = 0
        while written < lines.count {
            let (count, code) = write(lines[written...])
            // The rest of a write that went in part tells why it did not go as a whole.
            guard count > 0 else { return (mend(lines, written), code) }
            written += count
        }
        return (written, nil)
    }

    /// Takes the piece of a line off that a full disk has left.
    ///
    /// - Returns: How many of the bytes are in the file now.
    private mutating func mend(_ lines: [UInt8], _ written: Int) -> Int {
        let end = lines[..<written].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let piece = written - end
        guard piece > 0 else { return end }
        // The write has left the offset behind its last byte. Where the file is not as long, it
        // was cut meanwhile; nobody else makes it longer.
        let offset = lseek(descriptor.raw, 0, SEEK_CUR)
        var status = stat()
        guard isRegular, offset >= piece, fstat(descriptor.raw, &status) == 0,
            status.st_size == offset,
            ftruncate(descriptor.raw, offset - off_t(piece)) == 0
        else {
            isTorn = true
            return end
        }
        return end
    }

    private func write(_ bytes: ArraySlice<UInt8>) -> (count: Int, code: CInt) {
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor.raw, $0.baseAddress, $0.count)
            }
            if count >= 0 { return (count, EIO) }
            let code = errno
            if code == EINTR { continue }
            guard code == EAGAIN, isReady() else { return (0, code) }
        }
    }

    private func isReady() -> Bool {
        var request = pollfd(fd: descriptor.raw, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, Self.patience) > 0
    }

    /// Whether the last byte is no line's end; false where that can't be read.
    private static func isTorn(_ path: String, size: off_t) -> Bool {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { return false }
        defer { _ = close(raw) }
        var last: UInt8 = 0
        return pread(raw, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
    }
}
