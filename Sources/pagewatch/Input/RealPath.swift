import Glibc

/// Where a file that is replaced as a whole really is.
enum RealPath {
    /// The path behind symbolic links, which are not to be replaced; of a file that is not there,
    /// the path itself.
    ///
    /// - Returns: Nil if there can't be such a file; `errno` says why.
    static func find(_ path: String) -> String? {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        return errno == ENOENT ? path : nil
    }
}
