import CLinux
import Glibc
import PageModel
import Reactor

/// The store of a state folder, for the one process that writes it.
///
/// Batches come from the loop's thread and are written by the store's own; ``submit(_:)`` never
/// waits for a disk. What waits together is committed together. An event may be announced once a
/// receipt has it, and not before.
package final class HistoryStore: Sendable {
    /// What a start finds in the folder.
    package struct Opening: Sendable {
        package let store: HistoryStore
        /// All targets, retired ones too, in the order in which they were added.
        package let targets: [StoredTarget]
        /// Whether the last one that wrote ended as it should.
        package let wasClosedCleanly: Bool
        /// If the database was damaged and is now replaced.
        package let damage: DamageReport?
        /// Where the copy from before a migration is, if there was one.
        package let migratedFrom: String?
    }

    /// Told on the store's thread; both must only hand over to the owner's loop.
    package struct Listener: Sendable {
        /// In the order of the events' numbers.
        package var committed: @Sendable ([Receipt]) -> Void
        package var trouble: @Sendable (StoreTrouble) -> Void
        /// A transaction failed, and gave the numbers back that it had taken.
        package var gaveBack: @Sendable () -> Void

        package init(
            committed: @escaping @Sendable ([Receipt]) -> Void,
            trouble: @escaping @Sendable (StoreTrouble) -> Void,
            gaveBack: @escaping @Sendable () -> Void = {}
        ) {
            self.committed = committed
            self.trouble = trouble
            self.gaveBack = gaveBack
        }
    }

    /// Figures for `status`.
    package struct Statistics: Equatable, Sendable {
        /// Of batches that are not on the disk yet.
        package var waitingItems = 0
        package var waitingBytes = 0
        /// What the database takes on the disk, without what is free in it.
        package var databaseBytes: Int64 = 0
        /// Events and titles that retention has dropped since the folder was made.
        package var droppedRows: Int64 = 0
        /// Why nothing can be written at the moment.
        package var waitingBecause: String?

        package init() {}
    }

    private let queue: StoreQueue
    private let lock: StateLock

    /// Opens the folder for writing; makes what is missing, migrates, and replaces a damaged
    /// database by what can be read of it. Reads all targets: to be done before the loop runs.
    ///
    /// - Parameters:
    ///   - folder: Made if missing; nobody else may write in it.
    ///   - onStep: Called again and again while that goes on, for it may take minutes; answers
    ///     whether it is to. Also later, on the store's thread, if a database is found damaged only
    ///     then.
    ///   - version: The program's, for those who find a store that is too new for theirs.
    /// - Throws: ``StoreError``: held by another, of a later version, or not usable;
    ///   ``StoreError/ended(path:)`` if `onStep` wanted so, and the folder is as it was.
    package static func open(
        _ folder: StateFolder, version: String, limits: StoreLimits = StoreLimits(),
        listener: Listener, now: @escaping @Sendable () -> Timestamp = HistoryStore.systemTime,
        onStep: @escaping @Sendable () -> Bool = { true }
    ) throws(StoreError) -> Opening {
        let file = StoreFile(
            folder: folder, version: version, schema: .current, steps: StoreSteps(onStep))
        return try open(file, limits: limits, listener: listener, now: now)
    }

    static func open(
        _ file: StoreFile, limits: StoreLimits, listener: Listener,
        now: @escaping @Sendable () -> Timestamp
    ) throws(StoreError) -> Opening {
        try file.folder.create()
        let lock = try StateLock(folder: file.folder)
        do {
            let start = try file.start()
            let queue = try StoreQueue(
                limits: limits, next: start.nextSequence, reserved: start.reservedSequence,
                firstLoad: start.writer.loadFloor + 1,
                statistics: start.statistics)
            let facts = (start.targets, start.wasClosedCleanly, start.damage, start.migratedFrom)
            let thread = StoreThread(
                file: file, queue: queue, writer: start.writer, limits: limits, listener: listener,
                now: now)
            try StoreThread.start(thread)
            return Opening(
                store: HistoryStore(queue: queue, lock: lock), targets: facts.0,
                wasClosedCleanly: facts.1, damage: facts.2, migratedFrom: facts.3)
        } catch {
            throw StoreError(error, opening: file.folder)
        }
    }

    /// The time that the system's clock shows.
    package static let systemTime: @Sendable () -> Timestamp = {
        var time = timespec()
        _ = clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    init(queue: StoreQueue, lock: consuming StateLock) {
        self.queue = queue
        self.lock = lock
    }

    deinit {
        // The lock must not go before the last write.
        queue.close(within: .seconds(2))
    }

    /// Numbers for events that are not stored: the first of `count`. Higher than any before it in
    /// this folder, also over crashes.
    ///
    /// Stored events get theirs from the transaction that writes them. While the owner has not been
    /// told of one, or not said so by ``settle(through:)``, the answer is nil: so that all events can
    /// be told in the order of their numbers.
    package func nextSequenceNumbers(_ count: Int64 = 1) -> Int64? {
        queue.nextSequenceNumbers(count)
    }

    /// The number that comes next, whoever gets it.
    package var nextSequenceNumber: Int64 { queue.nextSequenceNumber }

    /// The owner has told all stored events with numbers up to that.
    package func settle(through number: Int64) { queue.settle(through: number) }

    /// The number of the first load of a target that the store does not know: 1, or higher if a
    /// target was ever forgotten. Any thread may ask.
    package var firstLoad: Int64 { queue.firstLoad }

    /// Queues a batch; it is on the disk within a second, unless there is trouble.
    ///
    /// - Returns: Its ticket, counted up from 1; nil if too much waits already, which
    ///   ``StoreTrouble/overflow(batches:events:)`` tells, too.
    @discardableResult
    package func submit(_ batch: Batch) -> Int64? { queue.submit(batch) }

    /// Sets other limits for what is kept on disk; what they leave out is dropped soon.
    package func change(_ limits: StoreLimits) { queue.change(limits) }

    /// Has the store's thread ask the folder something, behind what was submitted before.
    ///
    /// - Parameter read: Called on that thread, with nil if the folder can't be read; it must only
    ///   ask, and hand the answer over.
    /// - Returns: False if the store is closed; then it is never called.
    @discardableResult
    package func read(_ read: @escaping @Sendable (HistoryReader?) -> Void) -> Bool {
        queue.ask(read)
    }

    /// What it has to tell of itself. Any thread may ask.
    package var statistics: Statistics { queue.statistics }

    /// Writes all that waits, closes the database and lets the folder go; no batch is taken after.
    ///
    /// - Parameter limit: How long to wait for that, at most.
    /// - Returns: Whether everything is on the disk.
    @discardableResult
    package func close(within limit: Duration) -> Bool {
        guard queue.close(within: limit) else { return false }
        lock.release()
        return queue.isEmpty
    }
}
