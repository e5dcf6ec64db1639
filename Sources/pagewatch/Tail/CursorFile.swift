import Events
import Glibc

/// The file of `--cursor-file`: the number of the last event that was handled.
///
/// It is replaced as a whole, so it is never a half one, whenever the program or the machine stops.
struct CursorFile {
    /// The longest number has 19 digits; what is longer than this is something else.
    private static let mostBytes = 64

    /// As the user gave it, for messages.
    private let path: String
    /// Where the file really is: behind symbolic links, which are not to be replaced.
    private let realPath: String

    /// - Throws: If there can't be such a file of that name.
    init(path: String) throws(UsageError) {
        self.path = path
        guard let found = RealPath.find(path) else {
            throw Self.failure(path, "can't be read", errno)
        }
        realPath = found
    }

    /// The number in the file; nil if it is not there, or nothing is in it.
    func read() throws(UsageError) -> Int64? {
        // O_NONBLOCK: opening a pipe must not wait for its writer.
        let descriptor = open(realPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure(path, "can't be read", errno)
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw UsageError(
                "\(escaped(path)) is not a file for a cursor (name one that may be replaced)")
        }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw Self.failure(path, "can't be read", errno) }
        if count == 0 { return nil }
        var digits = bytes[..<count]
        if digits.last == UInt8(ascii: "\n") { digits.removeLast() }
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, let seq = Int64(String(decoding: digits, as: UTF8.self)), seq < .max else {
            throw UsageError(
                "\(escaped(path)) does not hold the number of an event (write one into it, or remove"
                    + " it to begin anew)")
        }
        return seq
    }

    /// Puts a number in its place; it is on the disk when this returns.
    func write(_ seq: Int64) throws(UsageError) {
        // One name for all runs: what a run that was killed has left is written over by the next.
        let temporary = realPath + ".new"
        let descriptor = open(
            temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw Self.failure(path, "can't be replaced", errno) }
        let line = Array("\(seq)\n".utf8)
        let isWritten =
            Glibc.write(descriptor, line, line.count) == line.count && fsync(descriptor) == 0
        let code = errno
        _ = close(descriptor)
        // If the machine stops before the folder is on the disk, too, the number before stands: some
        // events come twice, and none is lost.
        guard isWritten else { throw Self.failure(path, "can't be replaced", code) }
        guard rename(temporary, realPath) == 0 else {
            throw Self.failure(path, "can't be replaced", errno)
        }
    }

    private static func failure(_ path: String, _ what: String, _ code: CInt) -> UsageError {
        UsageError("\(escaped(path)) \(what): \(systemMessage(code))")
    }
}
