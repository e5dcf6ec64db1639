import PageModel

/// Reads all that is kept of every target.
enum TargetRows {
    private static let query = """
        SELECT name, last_load, epoch, last_start, retired, paused_since, paused_until, dropped,
            definitions.version, definition, state_version, state, list, last_good, last_failed
        FROM targets LEFT JOIN definitions ON definitions.target = id
            LEFT JOIN back_forward_lists ON back_forward_lists.target = id
        """

    /// - Parameter name: That target alone.
    static func read(
        _ database: borrowing Database, epoch: Int64, name: String? = nil
    ) throws(SQLiteError) -> [StoredTarget] {
        let statement = try database.prepare(
            query + (name == nil ? " ORDER BY id" : " WHERE name = ?"))
        if let name { statement.bind(1, name) }
        var targets: [StoredTarget] = []
        while try statement.step() {
            var target = StoredTarget(
                name: statement.text(0),
                nextLoad: LoadNumbers.next(
                    after: statement.number(1), epoch: statement.number(2), now: epoch))
            target.lastStart = statement.time(3)
            target.retired = statement.time(4)
            target.pause = statement.time(5).map { Pause(since: $0, until: statement.time(6)) }
            target.dropped = statement.number(7)
            target.definition = statement.versionedBytes(8)
            target.state = statement.versionedBytes(10)
            if !statement.isNull(12) {
                target.backForwardList = Encoded.list(from: statement.blob(12))
            }
            if !statement.isNull(13) { target.lastGood = Encoded.record(from: statement.blob(13)) }
            if !statement.isNull(14) {
                target.lastFailed = Encoded.record(from: statement.blob(14))
            }
            targets.append(target)
        }
        return targets
    }
}

extension Statement {
    borrowing func time(_ column: Int32) -> Timestamp? {
        optionalNumber(column).map { Timestamp(milliseconds: $0) }
    }

    /// A version, and the bytes in the next column.
    borrowing func versionedBytes(_ column: Int32) -> VersionedBytes? {
        guard let version = optionalNumber(column) else { return nil }
        return VersionedBytes(version: Int(version), bytes: blob(column + 1))
    }
}
