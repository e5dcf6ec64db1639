import Glibc

/// What tells a file from the same file after an edit, without reading it.
package struct FileIdentity: Equatable, Sendable {
    /// A file that was written so shortly before it was read may be written again without another
    /// time: clocks of file systems tick some milliseconds apart.
    private static let settled: Int64 = 1_000_000_000

    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    /// In nanoseconds since 1970: of the last write, and of the last change of its inode.
    private let modified: Int64
    private let changed: Int64

    /// Nil if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
    }

    /// Whether an edit after this moment would show.
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Self.nanoseconds(now) - modified > Self.settled
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The files of targets that an earlier reading accepted, and what they stood on: one that is still
/// the same need not be read again.
package struct ReadFiles: Sendable {
    /// By path. Files that name secrets or other files are not among them: those may have changed.
    var identities: [String: FileIdentity] = [:]
    /// What they said, in the order of their lines.
    var targets: [String: [TargetDefinition]] = [:]
    /// Of the main file.
    var defaults = TargetSettings()

    /// Nothing was read before.
    package init() {}
}
