import CSQLite
import Glibc
import Reactor

/// Why a state folder can't be used.
package enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process has it; its number if it could be read.
    case held(path: String, by: Int32?)
    /// The database is of a later program. `writtenBy` is that program's version, `copy` the file
    /// that is kept from before its migration to it, if there is one that this program reads.
    case newer(path: String, version: Int, reads: Int, writtenBy: String?, copy: String?)
    /// There is none.
    case missing(path: String)
    /// It is not such that it can be used, and somebody has to change that.
    case unusable(path: String, reason: String)
    /// Something came between, such as a full disk: the same may go well later.
    case failed(path: String, reason: String)
    /// Whoever opened it did not want to any more.
    case ended(path: String)

    package var description: String {
        switch self {
        case .held(let path, let pid):
            "\(path) is in use by " + (pid.map { "process \($0)" } ?? "another process")
        case .newer(let path, let version, let reads, let writtenBy, let copy):
            "\(path) has format \(version), made by pagewatch \(writtenBy ?? "of a later version");"
                + " this one reads up to \(reads) (use pagewatch "
                + (writtenBy.map { "\($0) or later" } ?? "of that version")
                + (copy.map { ", or put back \($0)" } ?? "") + ")"
        case .missing(let path): "there is no \(path)"
        case .unusable(let path, let reason), .failed(let path, let reason):
            "can't use \(path): \(reason)"
        case .ended(let path): "\(path) was not opened to the end"
        }
    }

    /// Whether the same may go well later, with nobody changing anything.
    package var isPassing: Bool {
        switch self {
        case .held, .failed, .ended: true
        case .newer, .missing, .unusable: false
        }
    }
}

extension StoreError {
    /// What the system answers where names or rights are not as they should be.
    private static let lasting: Set<CInt> = [
        EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG,
    ]

    /// For an error number of the system.
    static func system(_ code: CInt, _ path: String, doing action: String? = nil) -> StoreError {
        let reason = (action.map { $0 + ": " } ?? "") + SystemError.reason(of: code)
        return lasting.contains(code)
            ? .unusable(path: path, reason: reason) : .failed(path: path, reason: reason)
    }

    /// For whatever kept the database of a folder from being opened.
    init(_ error: any Error, opening folder: StateFolder) {
        switch error {
        case let error as StoreError: self = error
        case let error as SystemError:
            self = .system(error.code, folder.database, doing: error.action)
        case let error as SQLiteError where error.primary == SQLITE_INTERRUPT:
            self = .ended(path: folder.database)
        default:
            // SQLite has one code for a file that must not be opened and one that can't be just now.
            self =
                Self.isBarred(folder.path) || Self.isBarred(folder.database)
                ? .unusable(path: folder.database, reason: "\(error)")
                : .failed(path: folder.database, reason: "\(error)")
        }
    }

    private static func isBarred(_ path: String) -> Bool {
        access(path, R_OK | W_OK) != 0 && lasting.contains(errno)
    }
}

/// A damaged database was set aside.
package struct DamageReport: Equatable, Sendable {
    /// What was wrong.
    package var reason: String
    /// Where it is now.
    package var setAside: String
    package var salvagedTargets: Int
    package var salvagedEvents: Int
    package var salvagedTitles: Int
    /// Whether all rows could be read, as far as can be known.
    package var isComplete: Bool

    /// One line for people, and for a `service` event's message.
    package var message: String {
        "the store was damaged (\(reason)) and is kept as \(setAside); salvaged "
            + "\(salvagedTargets) targets, \(salvagedEvents) events and \(salvagedTitles) titles"
            + (isComplete ? "" : "; the rest is lost")
    }
}
