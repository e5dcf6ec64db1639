import PageModel

/// Reads a state folder, whether a service writes in it or not.
package final class HistoryReader {
    /// What was known of a target at a time.
    package struct Moment: Equatable, Sendable {
        /// Whether the watcher was watching.
        package enum Watching: Equatable, Sendable {
            case yes
            /// Between these times loads that were due did not run.
            case no(since: Timestamp, until: Timestamp, reason: GapReason)
            /// Nothing is known before the first load and after the last.
            case unknown
        }

        package var time: Timestamp
        /// The confirmed title then; nil if there was none yet.
        package var told: SeenTitle?
        /// The loads that showed the title that was shown last before that time, or at it.
        package var before: TitleRun?
        /// The last load known to have ended before that time or at it.
        package var lastLoad: Timestamp?
        /// The loads that showed the next title, if that is another run.
        package var after: TitleRun?
        /// The first load known to have ended after that time.
        package var nextLoad: Timestamp?
        package var watching: Watching
    }

    /// - Throws: ``StoreError/missing(path:)`` if there is no store in the folder.
    package init(_ folder: StateFolder) throws(StoreError) {
        throw .missing(path: folder.database)
    }

    /// Whether anything was ever stored of a target.
    package func knows(_ target: String) throws(StoreError) -> Bool { false }

    /// A target's events, or with nil the service's own, oldest first.
    ///
    /// - Parameters:
    ///   - limit: The newest so many; nil for all.
    ///   - seq: Only those below it.
    package func events(
        of target: String?, limit: Int? = nil, before seq: Int64? = nil
    ) throws(StoreError) -> [StoredEvent] { [] }

    /// A target's runs of titles, oldest first; the newest `limit`.
    package func titles(of target: String, limit: Int? = nil) throws(StoreError) -> [TitleRun] {
        []
    }

    /// What was known of a target at a time; nil for a target never seen.
    package func moment(_ time: Timestamp, of target: String) throws(StoreError) -> Moment? { nil }

    /// All targets, retired ones too.
    package func targets() throws(StoreError) -> [StoredTarget] { [] }
}
