import Glibc
import Reactor

/// A copy of a database whose first page is destroyed, with a new first page in its place.
///
/// That page has the file's head and the list of tables, without which SQLite reads nothing. It
/// is the same in every file in which the same tables were made in the same order, but for a few
/// numbers: those are set here as far as a reader needs them.
struct FirstPage {
    private static let size = 4096
    /// Places in the head, which the file format defines.
    private enum Place {
        /// 1 for a rollback journal, 2 for a log; for writers and for readers.
        static let journal = 18...19
        static let changeCounter = 24
        static let pageCount = 28
        static let freePages = 32..<40
        static let validFor = 92
    }

    /// Makes the copy; a log beside the original is copied, too.
    ///
    /// - Parameter sound: A file with the same tables, closed or not in use.
    static func graft(of damaged: String, from sound: String, to path: String) throws {
        for name in [path, path + "-wal", path + "-shm"] { _ = unlink(name) }
        try copy(damaged, to: path)
        let hasLog = access(damaged + "-wal", F_OK) == 0
        if hasLog { try copy(damaged + "-wal", to: path + "-wal") }
        let file = FileDescriptor(
            owning: try call("open \(path)") { open(path, O_RDWR | O_CLOEXEC) })
        var status = stat()
        try call("look at \(path)") { fstat(file.raw, &status) }
        var page = try firstPage(of: sound)
        for place in Place.journal { page[place] = hasLog ? 2 : 1 }
        for place in Place.freePages { page[place] = 0 }
        put(UInt32(clamping: Int(status.st_size) / size), at: Place.pageCount, in: &page)
        for place in 0..<4 {
            page[Place.validFor + place] = page[Place.changeCounter + place]
        }
        guard pwrite(file.raw, page, page.count, 0) == page.count else {
            throw SystemError(code: errno, action: "write \(path)")
        }
    }

    private static func put(_ number: UInt32, at place: Int, in page: inout [UInt8]) {
        for byte in 0..<4 {
            page[place + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(byte)))
        }
    }

    private static func firstPage(of path: String) throws -> [UInt8] {
        let file = FileDescriptor(
            owning: try call("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        var page = [UInt8](repeating: 0, count: size)
        guard pread(file.raw, &page, page.count, 0) == page.count else {
            throw SystemError(code: EIO, action: "read \(path)")
        }
        return page
    }

    private static func copy(_ path: String, to other: String) throws {
        let source = FileDescriptor(
            owning: try call("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        let target = FileDescriptor(
            owning: try call("create \(other)") {
                open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
            })
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(source.raw, &buffer, buffer.count)
            if count == 0 { return }
            guard count > 0, write(target.raw, buffer, count) == count else {
                throw SystemError(code: errno, action: "copy \(path)")
            }
        }
    }
}
