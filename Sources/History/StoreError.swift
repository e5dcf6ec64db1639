/// Why a state folder can't be used.
package enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process has it; its number if it could be read.
    case held(path: String, by: Int32?)
    /// The database is of a later program. `writtenBy` is that program's version, `copy` the file
    /// that is kept from before its migration to it, if there is one that this program reads.
    case newer(path: String, version: Int, reads: Int, writtenBy: String?, copy: String?)
    /// There is none.
    case missing(path: String)
    case unusable(path: String, reason: String)

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
        case .unusable(let path, let reason): "can't use \(path): \(reason)"
        }
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
