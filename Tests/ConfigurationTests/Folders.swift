import Glibc

/// Folders that a test makes and takes away.
enum Folders {
    /// Whether there is such a folder now.
    static func make(_ path: String) throws -> Bool {
        mkdir(path, 0o755) == 0 || errno == EEXIST
    }

    /// Moves a folder out of the way, or back.
    static func move(_ path: String, to other: String) -> Bool { rename(path, other) == 0 }

    static func remove(file path: String) -> Bool { unlink(path) == 0 }
}
