import Events
import Glibc

/// A title file on the disk: read whole, replaced whole.
struct TitleStorage {
    /// A title file is far smaller; a larger one is something else.
    private static let mostBytes = 1 << 30
    /// How long another run may hold the folder, in tries of 20 ms.
    private static let lockTries = 250
    private static let lockInterval: UInt32 = 20_000

    /// As the user gave it, for messages.
    private let path: String
    /// Where the file really is: behind symbolic links, which are not to be replaced.
    private let realPath: String
    private let folder: String

    /// - Throws: If there can't be a title file of that name.
    init(path: String) throws(TitleFileError) {
        self.path = path
        guard let found = RealPath.find(path) else {
            throw Self.failure(path, "can't be read", errno)
        }
        realPath = found
        let parts = realPath.utf8.lastIndex(of: UInt8(ascii: "/"))
        switch parts {
        case nil: folder = "."
        case realPath.utf8.startIndex: folder = "/"
        case let slash?: folder = String(realPath[..<slash])
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            throw Self.failure(path, "can't be replaced, its folder can't be written", errno)
        }
    }

    /// The titles in the file; none if it is not there.
    func read() throws(TitleFileError) -> TitleTable {
        guard let (bytes, _) = try contents() else { return TitleTable() }
        return try table(from: bytes)
    }

    /// Reads the file, lets `change` at its titles, and puts the outcome in its place.
    ///
    /// The new file is complete on the disk before it takes the old one's name. Its mode stays. A
    /// file that would be the same is left alone.
    ///
    /// - Parameter isRehearsal: The new file is made and removed again.
    func replace(
        isRehearsal: Bool = false, _ change: (inout TitleTable) -> Void
    ) throws(TitleFileError) {
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw Self.failure(path, "can't be replaced", errno) }
        defer { _ = close(lock) }
        try waitForLock(lock)
        let old = try contents()
        var table =
            try old.map { (bytes, _) throws(TitleFileError) in try self.table(from: bytes) }
            ?? TitleTable()
        change(&table)
        let bytes = TitleFormat.bytes(of: table)
        if let old, old.bytes == bytes { return }
        let temporary = "\(folder)/.pagewatch-titles.\(getpid())"
        do {
            try write(bytes, mode: old?.mode, to: temporary)
        } catch {
            _ = unlink(temporary)
            throw error
        }
        guard !isRehearsal else {
            _ = unlink(temporary)
            return
        }
        guard rename(temporary, realPath) == 0 else {
            let code = errno
            _ = unlink(temporary)
            throw Self.failure(path, "can't be replaced", code)
        }
        // The new name is on the disk once its folder is. Not every file system can tell.
        _ = fsync(lock)
    }

    /// Keeps other runs out between reading and replacing. File systems without locks do without.
    private func waitForLock(_ descriptor: CInt) throws(TitleFileError) {
        for _ in 0..<Self.lockTries {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            switch errno {
            case EWOULDBLOCK, EINTR: _ = usleep(Self.lockInterval)
            default: return
            }
        }
        throw TitleFileError(
            message: "\(escaped(path)): another program holds its folder locked (try again later)")
    }

    private func table(from bytes: [UInt8]) throws(TitleFileError) -> TitleTable {
        do {
            return try TitleFormat.table(from: bytes)
        } catch {
            throw TitleFileError(
                message: "\(escaped(path)):\(error.line): \(error.problem)"
                    + " (mend or remove it; nothing was changed)")
        }
    }

    /// The file's bytes and mode; nil if it is not there.
    private func contents() throws(TitleFileError) -> (bytes: [UInt8], mode: mode_t)? {
        // O_NONBLOCK: opening a pipe must not wait for its writer.
        let descriptor = open(realPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure(path, "can't be read", errno)
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw Self.failure(path, "can't be read", errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.mostBytes else {
            throw TitleFileError(
                message: "\(escaped(path)) is not a file for titles (name one that may be replaced)"
            )
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size))
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { return (bytes, status.st_mode & 0o7777) }
            if count > 0 {
                bytes.append(contentsOf: chunk[..<count])
            } else if errno != EINTR {
                throw Self.failure(path, "can't be read", errno)
            }
        }
    }

    private func write(
        _ bytes: [UInt8], mode: mode_t?, to temporary: String
    ) throws(TitleFileError) {
        // Left by a run of the same number that was killed.
        _ = unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
        guard descriptor >= 0 else { throw Self.failure(path, "can't be replaced", errno) }
        defer { _ = close(descriptor) }
        if let mode, fchmod(descriptor, mode) != 0 {
            throw Self.failure(path, "can't be replaced", errno)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Self.failure(path, "can't be replaced", errno)
            }
        }
        guard fsync(descriptor) == 0 else {
            throw Self.failure(path, "can't be replaced", errno)
        }
    }

    private static func failure(_ path: String, _ what: String, _ code: CInt) -> TitleFileError {
        TitleFileError(message: "\(escaped(path)) \(what): \(systemMessage(code))")
    }
}
