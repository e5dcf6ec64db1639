import Glibc
import Reactor

/// The names of the files in a state folder.
package struct StateFolder: Equatable, Sendable {
    package let path: String

    package init(_ path: String) {
        let trimmed = path.reversed().drop { $0 == "/" }.reversed()
        self.path = trimmed.isEmpty ? "/" : String(trimmed)
    }

    package var database: String { path + "/history.db" }
    package var lock: String { path + "/lock" }

    /// Whether there is a store in it.
    package var hasDatabase: Bool { access(database, F_OK) == 0 }

    /// Makes the folder, for its owner and group, unless it is there; those above it must be.
    package func create() throws(StoreError) {
        if mkdir(path, 0o750) == 0 { return }
        let code = errno
        var status = stat()
        guard code == EEXIST, stat(path, &status) == 0 else {
            throw .system(code, path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .system(ENOTDIR, path)
        }
    }

    /// Gives a file that root just made to the folder's owner: a service that is not root must be
    /// able to go on after root has run a command in its folder.
    func adopt(_ descriptor: CInt) {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
    }

    /// How many damaged databases were set aside here.
    var damagedDatabases: Int {
        guard let list = opendir(path) else { return 0 }
        defer { closedir(list) }
        var count = 0
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix("history.db.damaged-"), !name.hasSuffix("-wal") { count += 1 }
        }
        return count
    }

    /// Where the state is, most wanted first: `named` alone if given, else what the environment
    /// says, else the places it is in by custom.
    package static func candidates(
        named: String?, environment: (String) -> String?
    ) -> [StateFolder] {
        if let named { return [StateFolder(named)] }
        if let path = environment("PAGEWATCH_STATE"), !path.isEmpty { return [StateFolder(path)] }
        // systemd gives all folders of a unit, with colons between; ours has one.
        if let paths = environment("STATE_DIRECTORY"),
            let first = paths.split(separator: ":").first
        {
            return [StateFolder(String(first))]
        }
        var folders = [StateFolder("/var/lib/pagewatch")]
        if let base = environment("XDG_STATE_HOME"), base.hasPrefix("/") {
            folders.append(StateFolder(base + "/pagewatch"))
        } else if let home = environment("HOME"), home.hasPrefix("/") {
            folders.append(StateFolder(home + "/.local/state/pagewatch"))
        }
        return folders
    }
}

/// Which file it is that has a name; nil if there is none.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64

    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}
