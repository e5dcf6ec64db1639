/// An open store before its thread runs.
struct StoreStart: ~Copyable {
    let writer: StoreWriter
    let targets: [StoredTarget]
    let nextSequence: Int64
    let reservedSequence: Int64
    let statistics: HistoryStore.Statistics
    let wasClosedCleanly: Bool
    let damage: DamageReport?
    let migratedFrom: String?
}

extension StoreFile {
    /// Opens the database, reads all targets, and reserves numbers.
    func start() throws -> StoreStart {
        let opened = try open()
        let (damage, migratedFrom) = (opened.damage, opened.migratedFrom)
        do {
            return try start(opened.database, damage: damage, migratedFrom: migratedFrom)
        } catch let error as SQLiteError where error.isDamage && damage == nil {
            // In a file too large to be checked as a whole.
            let damage = try Salvage(file: self, reason: error.message).run()
            let opened = try open()
            return try start(opened.database, damage: damage, migratedFrom: migratedFrom)
        }
    }

    private func start(
        _ database: consuming Database, damage: DamageReport?, migratedFrom: String?
    ) throws -> StoreStart {
        let wasOpen = try Numbers.read(Numbers.isOpen, in: database) == 1
        // The mark is above all numbers; should it ever not be, an event that is there must not
        // keep out those to come.
        let newest = try database.number("SELECT max(seq) FROM events") ?? 0
        let mark = max(try Numbers.read(Numbers.sequence, in: database), newest)
        let epoch = try Numbers.read(Numbers.epoch, in: database) + 1
        let reserved = mark + StoreQueue.sequenceBlock
        try database.run("BEGIN IMMEDIATE", for: "reserve numbers")
        try Numbers.write(Numbers.sequence, reserved, in: database)
        try Numbers.write(Numbers.epoch, epoch, in: database)
        try Numbers.write(Numbers.isOpen, 1, in: database)
        try database.run("COMMIT", for: "reserve numbers")
        let targets = try TargetRows.read(database, epoch: epoch)
        var statistics = HistoryStore.Statistics()
        statistics.droppedRows =
            try Numbers.read(Numbers.dropped, in: database)
            + targets.reduce(0) { $0 + $1.dropped }
        // The connection is the store's thread's from here on.
        database.tell(nil)
        let writer = try StoreWriter(database)
        statistics.databaseBytes = try writer.databaseBytes()
        return StoreStart(
            writer: writer, targets: targets, nextSequence: mark + 1, reservedSequence: reserved,
            statistics: statistics, wasClosedCleanly: !wasOpen, damage: damage,
            migratedFrom: migratedFrom)
    }
}
