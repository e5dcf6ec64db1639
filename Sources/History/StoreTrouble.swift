import CSQLite
import PageModel

/// What the store has to tell its owner beside receipts; as text, a sentence for the operator.
package enum StoreTrouble: Equatable, Sendable, CustomStringConvertible {
    /// Why a store can't be written for now.
    package enum Cause: Equatable, Sendable, CustomStringConvertible {
        case full, locked, forbidden
        /// In SQLite's words.
        case failing(String)
        /// It is damaged, and what could be read of it could not be put in its place.
        case notReplaced(String)

        /// What is wrong, and the way out.
        package var description: String {
            switch self {
            case .full: "the disk is full (make room on it)"
            case .locked: "another program keeps the database locked (let it end)"
            case .forbidden:
                "that is not permitted (let the service's user write there, and see that the"
                    + " file system is not mounted read-only)"
            case .failing(let words): "\(words) (see whether the disk is full or failing)"
            case .notReplaced(let words):
                "it is damaged, and replacing it failed: \(words) (make room on the disk, or put a"
                    + " backup in its place)"
            }
        }
    }

    /// Nothing can be written for now; batches wait in memory and are tried again.
    case waiting(folder: String, Cause)
    /// Everything that waited is written: so many events, for so long.
    case cleared(folder: String, after: Duration, events: Int)
    /// More waits than memory is given for: so many batches were refused by now, and so many events
    /// were left out. Told once a spell, and at its end.
    case overflow(folder: String, batches: Int64, events: Int64, isOver: Bool)
    /// A batch can't be stored at all and was dropped: a mistake of ours.
    case lost(folder: String, events: [StoredEvent], reason: String)
    /// The database was found damaged while in use, and replaced.
    case repaired(DamageReport)
    /// Rows are at the newest few of every target, and the store is still larger than allowed.
    case tooLarge(folder: String, bytes: Int64, limit: Int64)
    /// The file that is written has no longer its name.
    case removed(folder: String)

    package var description: String {
        switch self {
        case .waiting(let folder, let cause):
            "the history in \(folder) can't be written: \(cause); loads go on, and what they show"
                + " waits in memory"
        case .cleared(let folder, let time, let events):
            "the history in \(folder) is written again, after \(Self.words(time)):"
                + " \(Self.count(events, "event")) had to wait"
        case .overflow(let folder, _, _, isOver: false):
            "too much waits for the history in \(folder): what loads show from now on is left out"
                + " until it can be written again (see why it can't be)"
        case .overflow(let folder, let batches, let events, isOver: true):
            "the history in \(folder) lacks what came while too much waited for it:"
                + " \(Self.count(Int(batches), "update")), with \(Self.count(Int(events), "event"))"
                + " among them (nothing brings them back)"
        case .lost(let folder, let events, let reason):
            "an update can't be stored in \(folder) and is lost, with "
                + Self.count(events.count, "event") + Self.list(events) + ": \(reason)"
                + " (a mistake of pagewatch's: please report it)"
        case .repaired(let report): report.message
        case .tooLarge(let folder, let bytes, let limit):
            "the history in \(folder) takes \(Self.mebibytes(bytes)) though only the newest rows of"
                + " each target are left, and may take \(Self.mebibytes(limit)) (allow more by"
                + " retention: {size}, or keep less by retention: {newest})"
        case .removed(let folder):
            "the history in \(folder) was removed or replaced while in use: what is written now is"
                + " gone when the service ends (start it anew, with a backup in place if you have"
                + " one)"
        }
    }

    /// Whether it is told while nothing can be written.
    package var isBeforeWriting: Bool {
        switch self {
        case .waiting, .overflow(_, _, _, isOver: false): true
        default: false
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)" + (number == 1 ? "" : "s")
    }

    /// The first few, as ` (titleChanged of blog, ...)`.
    private static func list(_ events: [StoredEvent]) -> String {
        guard !events.isEmpty else { return "" }
        let few = events.prefix(3).map {
            $0.event.name.rawValue + ($0.target.map { " of \($0)" } ?? "")
        }
        return " (" + few.joined(separator: ", ") + (events.count > 3 ? ", ..." : "") + ")"
    }

    private static func mebibytes(_ bytes: Int64) -> String { "\((bytes + (1 << 19)) >> 20) MiB" }

    private static func words(_ time: Duration) -> String {
        let seconds = time.components.seconds
        if seconds < 120 { return "\(max(1, seconds)) s" }
        return seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
    }
}

extension SQLiteError {
    /// Why nothing can be written.
    var cause: StoreTrouble.Cause {
        switch primary {
        case SQLITE_FULL: .full
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN: .forbidden
        default: .failing(description)
        }
    }
}
