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

/// What the store has to tell its owner beside receipts.
package enum StoreTrouble: Equatable, Sendable {
    /// Nothing can be written for now; batches wait in memory and are tried again.
    case waiting(reason: String)
    /// Everything that waited is written.
    case cleared
    /// More waits than memory is given for: so many batches were refused since the store last
    /// could write, and so many events were in them. Told once a spell, and at its end.
    case overflow(batches: Int64, events: Int64)
    /// A batch can't be stored at all and was dropped: a mistake of ours.
    case lost(events: [StoredEvent], reason: String)
    /// The database was found damaged while in use, and replaced.
    case repaired(DamageReport)
    /// Rows are at the newest few of every target, and the store is still larger than allowed.
    case tooLarge(bytes: Int64)
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
