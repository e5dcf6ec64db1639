import CMicrohttpd
import Glibc
import Reactor

/// The file that a Unix socket of ours is bound to; known again by its inode.
struct SocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Binds a socket that does not listen yet: nobody can connect before ``listen`` is called, so
    /// nobody can before the file has its group and mode.
    init(
        binding socket: CInt, to address: UnixAddress, path: String, mode: mode_t, group: String?
    ) throws(ListeningError) {
        let groupID = try group.map { (name) throws(ListeningError) in
            try Self.groupID(name, path)
        }
        // The file's mode begins as the socket's, less the umask.
        _ = fchmod(socket, mode & 0o600)
        guard address.withPointer({ bind(socket, $0, $1) }) == 0 else {
            throw Self.failure(path, errno)
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Self.failure(path, errno) }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
        do throws(ListeningError) {
            if let group, let groupID, lchown(path, uid_t.max, groupID) != 0 {
                let reason = SystemError.reason(of: errno)
                throw .unusable(place: path, reason: "give it to group \(group): \(reason)")
            }
            guard chmod(path, mode) == 0 else { throw Self.failure(path, errno) }
        } catch {
            removeIfOurs()
            throw error
        }
    }

    /// Removes the file, unless another one has its name by now.
    func removeIfOurs() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
            return
        }
        unlink(path)
    }

    /// Removes a socket's file that nobody serves. To be called under the folder's lock.
    static func removeUnserved(
        _ path: String, _ address: UnixAddress
    ) throws(ListeningError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(path, errno) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .unusable(
                place: path, reason: "is there and no socket (remove it, or name another path)")
        }
        let probe = try ListeningSocket.newSocket(AF_UNIX, for: path)
        let code = address.withPointer { connect(probe.raw, $0, $1) } == 0 ? 0 : errno
        switch code {
        case ECONNREFUSED:
            guard unlink(path) == 0 || errno == ENOENT else { throw failure(path, errno) }
        case ENOENT: return
        // EAGAIN: its backlog is full. EPROTOTYPE: no stream socket, but one that is served.
        case 0, EAGAIN, EPROTOTYPE: throw .inUse(path)
        default: throw failure(path, code)
        }
    }

    private static func failure(_ path: String, _ code: CInt) -> ListeningError {
        ListeningError(path, code)
    }

    private static func groupID(
        _ name: String, _ path: String
    ) throws(ListeningError) -> gid_t {
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            throw .unusable(
                place: path, reason: "there is no group \"\(name)\" (groupadd --system \(name))")
        }
        return entry.gr_gid
    }
}

/// The right to look at and replace a socket's file: a lock on its folder, which leaves no file
/// behind and ends with the process.
struct FolderLock: ~Copyable {
    /// It is held for a few system calls.
    private static let tries = 100
    private static let pauseMilliseconds: CInt = 10

    private let descriptor: FileDescriptor

    init(around path: String) throws(ListeningError) {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        let raw = open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else {
            let reason = SystemError.reason(of: errno)
            throw .unusable(place: path, reason: "open the folder \(folder): \(reason)")
        }
        let descriptor = FileDescriptor(owning: raw)
        var left = Self.tries
        while flock(raw, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else {
                // Some network file systems have no locks: then there is none.
                break
            }
            left -= 1
            guard left > 0 else {
                throw .failed(place: path, reason: "another process keeps \(folder) locked")
            }
            poll(nil, 0, Self.pauseMilliseconds)
        }
        self.descriptor = descriptor
    }

    /// Lets the next one in, also if it is not the value's end yet.
    borrowing func release() { _ = flock(descriptor.raw, LOCK_UN) }
}
