import Glibc

/// A regular file, read whole.
enum WholeFile {
    /// Why a file could not be read.
    enum Failure: Error, Equatable {
        case system(CInt)
        case notRegular
        case tooLarge(most: Int)

        /// Whether the same may go well later, though nobody touches the file.
        var isPassing: Bool {
            guard case .system(let code) = self else { return false }
            return [EMFILE, ENFILE, ENOMEM, EIO, EAGAIN, EBUSY, ESTALE, ETIMEDOUT].contains(code)
        }

        /// The rest of a sentence that begins with the file.
        var words: String {
            switch self {
            case .system(let code): "can't be read: " + WholeFile.message(code)
            case .notRegular: "is no regular file"
            case .tooLarge(let most): "has more than \(WrittenSize.write(Int64(most)))"
            }
        }
    }

    /// The bytes of a file of at most `most` bytes.
    static func read(_ path: String, atMost most: Int) throws(Failure) -> [UInt8] {
        // A pipe that nobody writes to would hold an open without O_NONBLOCK.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw status.st_mode & S_IFMT == S_IFDIR ? .system(EISDIR) : .notRegular
        }
        guard status.st_size <= most else { throw .tooLarge(most: most) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size) + 1)
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .system(errno)
            }
            bytes += buffer[..<count]
            // It may have grown meanwhile.
            guard bytes.count <= most else { throw .tooLarge(most: most) }
        }
    }

    /// The system's words for an error number.
    static func message(_ code: CInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
    }
}
