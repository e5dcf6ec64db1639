import Glibc
import Reactor

/// Copies a database into one file of its own, as it is at one moment, while others may write.
package struct Backup {
    /// A store that is put back goes on with numbers above all that it can have given out since
    /// the copy was made.
    static let sequenceJump: Int64 = 1 << 32

    private let mayReplace: Bool

    init(mayReplace: Bool) { self.mayReplace = mayReplace }

    /// Copies the store of a folder to a new file that only its owner may read.
    ///
    /// - Throws: ``StoreError`` if there is no store, if the file is there already, or if the copy
    ///   can't be made; then nothing is left of it.
    package static func make(of folder: StateFolder, to path: String) throws(StoreError) {
        guard access(path, F_OK) != 0 else {
            throw .unusable(
                path: path, reason: "it is there already (name another file, or remove this one)")
        }
        let reader = try HistoryReader(folder)
        do {
            try reader.copy(by: Backup(mayReplace: false), to: path)
        } catch {
            throw .unusable(path: path, reason: "\(error)")
        }
    }

    /// The file has its name only once it is complete and on the disk.
    ///
    /// - Parameter steps: Told of each step, where nobody else writes.
    func run(
        _ database: borrowing Database, to path: String, skipsNumbers: Bool = false,
        _ steps: StoreSteps? = nil
    ) throws {
        let part = path + ".part-\(getpid())"
        _ = unlink(part)
        do {
            let raw = try call("create \(part)") {
                open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            }
            _ = close(raw)
            let copy = try Database(part, .create)
            try database.copy(into: copy, steps)
            // The copy says that it has a log beside it; one file is to be enough.
            try copy.run("PRAGMA journal_mode = DELETE", for: "finish")
            if skipsNumbers { try skipNumbers(in: copy) }
        } catch {
            _ = unlink(part)
            throw error
        }
        do {
            try publish(part, as: path)
        } catch {
            _ = unlink(part)
            throw error
        }
    }

    private func skipNumbers(in copy: borrowing Database) throws(SQLiteError) {
        try copy.run("PRAGMA synchronous = FULL; BEGIN", for: "finish")
        for (name, jump) in [(Numbers.sequence, Self.sequenceJump), (Numbers.epoch, 1)] {
            try Numbers.write(name, try Numbers.read(name, in: copy) + jump, in: copy)
        }
        try copy.run("COMMIT", for: "finish")
    }

    private func publish(_ part: String, as path: String) throws(SystemError) {
        let raw = try call("open \(part)") { open(part, O_RDONLY | O_CLOEXEC) }
        let descriptor = FileDescriptor(owning: raw)
        try call("sync \(part)") { fsync(descriptor.raw) }
        if mayReplace {
            try call("rename to \(path)") { rename(part, path) }
        } else {
            // Unlike rename, link never replaces a file that came meanwhile.
            try call("create \(path)") { link(part, path) }
            _ = unlink(part)
        }
    }
}
