import CMicrohttpd
import Glibc
import Reactor

/// Where clients reach the service.
///
/// Input: a path, a port, or a socket that systemd opened. Output: connections, which
/// `HTTPServer` accepts. The file of a Unix socket goes with the value that made it.
package struct ListeningSocket: ~Copyable {
    /// Connections that the kernel keeps until they are accepted.
    static let backlog: CInt = 128

    private let descriptor: FileDescriptor
    private let file: SocketFile?
    /// What was asked for: a path, or `HOST:PORT`.
    package let place: String
    /// Whether only processes of this machine that the file's mode lets in can connect.
    package let isUnix: Bool

    var raw: CInt { descriptor.raw }

    /// Listens on a Unix socket. A socket file that nobody serves is replaced.
    ///
    /// - Parameters:
    ///   - mode: Of the socket's file, whatever the umask is.
    ///   - group: The name of the file's group; the process's own if nil.
    /// - Throws: ``ListeningError/inUse(_:)`` if another process serves it.
    package init(
        path: String, mode: mode_t = 0o660, group: String? = nil
    ) throws(ListeningError) {
        guard let address = UnixAddress(path: path) else {
            throw .unusable(
                place: path,
                reason: "a socket's path has 1 to \(UnixAddress.room - 1) bytes and no NUL")
        }
        // Two that start at once would both find the file served by nobody.
        let lock = try FolderLock(around: path)
        try SocketFile.removeUnserved(path, address)
        let descriptor = try Self.newSocket(AF_UNIX, for: path)
        let file = try SocketFile(
            binding: descriptor.raw, to: address, path: path, mode: mode, group: group)
        guard listen(descriptor.raw, Self.backlog) == 0 else {
            let code = errno
            file.removeIfOurs()
            throw ListeningError(path, code)
        }
        lock.release()
        self.init(descriptor, file: file, place: path, isUnix: true)
    }

    /// Takes over a socket that listens already.
    init(_ descriptor: consuming FileDescriptor, file: SocketFile?, place: String, isUnix: Bool) {
        self.descriptor = descriptor
        self.file = file
        self.place = place
        self.isUnix = isUnix
    }

    deinit {
        file?.removeIfOurs()
    }

    static func newSocket(
        _ family: CInt, for place: String
    ) throws(ListeningError) -> FileDescriptor {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let raw = socket(family, CInt(kind), 0)
        guard raw >= 0 else {
            throw ListeningError(place, errno)
        }
        return FileDescriptor(owning: raw)
    }
}
