import CTestLinux
import Glibc
import Reactor

/// A folder of a test's own, removed with all that is in it when the value goes
/// or the process exits.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Throws: ``SystemError`` if it can't be made.
    package init() throws(SystemError) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/pagewatch-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemError(code: errno, action: "make a folder in \(base)")
        }
        let path = String(
            decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.path = path
        Self.standing.withLock { _ = $0.insert(path) }
    }

    deinit {
        let path = path
        Self.standing.withLock { _ = $0.remove(path) }
        Self.removeTree(path)
    }

    /// Folders that are not removed yet. Values of static properties never go: their folders are
    /// removed when the process exits.
    private static let standing: Locked<Set<String>> = {
        atexit { for path in TemporaryFolder.standing.withLock({ $0 }) { removeTree(path) } }
        return Locked([])
    }()

    private static func removeTree(_ path: String) {
        CStrings.with([path]) { paths in
            guard let walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, nil) else { return }
            defer { fts_close(walk) }
            while let entry = fts_read(walk) {
                // A folder comes twice: before what is in it, and after.
                if CInt(entry.pointee.fts_info) != FTS_D { remove(entry.pointee.fts_accpath) }
            }
        }
    }

    /// The path of a name in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in the folder, and answers its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws(SystemError) -> String {
        try TextFile.write(text, to: file(name))
        return file(name)
    }
}
