import CLinux
import Glibc
import PageModel
import Reactor

/// The store's thread: takes batches, commits them together, tells what is on the disk.
///
/// Only this thread touches the object once it is started.
final class StoreThread {
    /// What comes within this time (in milliseconds) after the first batch is committed with it.
    /// A commit writes each page that it changes once and waits for the disk; a batch may wait
    /// for a second.
    private static let gathering: Int64 = 200
    /// Items of one transaction: about 0.1 s of work.
    private static let itemsPerCommit = 10_000
    /// First and longest wait before a failed commit is tried again.
    private static let firstRetry: Int64 = 50
    private static let longestRetry: Int64 = 800
    /// Between sweeps, and from the start to the first.
    private static let sweepInterval = Duration.seconds(6 * 3600)
    private static let firstSweep = Duration.seconds(60)
    /// Between the steps of a sweep: batches go first.
    private static let stepInterval: Int64 = 100
    /// Commits between two looks at the size of the file.
    private static let commitsPerSizeCheck = 64

    private struct Spell {
        let began = MonotonicClock.now()
        /// Of those that waited, how many are written.
        var events = 0
    }

    private let file: StoreFile
    private let queue: StoreQueue
    private let listener: HistoryStore.Listener
    /// Nil while a damaged database could not be replaced yet.
    private var writer: StoreWriter?
    /// For others' questions; a connection of its own, so that a writing one is never read through.
    private var reader: HistoryReader?
    /// What is wrong with the database while there is no writer.
    private var damage: SQLiteError?
    private var retention: Retention
    private var nextSweep: Duration
    private var commits = 0
    /// Batches of a commit that failed, in order; they go first.
    private var held: [StoreQueue.Waiting] = []
    private var retry: Int64 = 0
    /// What was refused by the time that was told.
    private var overflow: StoreQueue.Refused?
    /// While nothing can be written, and until all that waited then is.
    private var spell: Spell?
    /// Of the file that is written: somebody may remove it, or put another in its place.
    private var identity: FileIdentity?
    private var hasToldRemoved = false
    private let now: @Sendable () -> Timestamp

    init(
        file: StoreFile, queue: StoreQueue, writer: StoreWriter, limits: StoreLimits,
        listener: HistoryStore.Listener, now: @escaping @Sendable () -> Timestamp
    ) {
        self.file = file
        self.queue = queue
        self.writer = writer
        self.listener = listener
        self.now = now
        identity = FileIdentity(of: file.folder.database)
        retention = Retention(limits)
        nextSweep = MonotonicClock.now() + Self.firstSweep
    }

    /// Starts the thread; it ends when the queue is closed and empty, or when the store is closed
    /// while nothing can be written.
    static func start(_ thread: StoreThread) throws(SystemError) {
        let context = Unmanaged.passRetained(thread).toOpaque()
        var handle = pthread_t()
        // The +1 on the object goes over to the new thread, which is the only one to take it.
        let code = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                StoreThread.body(context).end()
                return nil
            }, context)
        guard code == 0 else {
            Unmanaged<StoreThread>.fromOpaque(context).release()
            throw SystemError(code: code, action: "start the store's thread")
        }
        pthread_detach(handle)
    }

    // MARK: The loop

    /// Runs the object that `context` is, and lets it go, so that its database is closed before
    /// the queue tells that the thread has ended.
    private static func body(_ context: UnsafeMutableRawPointer) -> StoreQueue {
        let thread = Unmanaged<StoreThread>.fromOpaque(context).takeRetainedValue()
        thread.run()
        return thread.queue
    }

    private func run() {
        blockSignals()
        var isBehind = false
        while true {
            if retry > 0 {
                queue.pause(milliseconds: retry)
            } else if !isBehind {
                queue.sleep(milliseconds: untilMaintenance())
                queue.gather(milliseconds: Self.gathering)
            }
            // The rest stays where wishes of one target are put together.
            let work = queue.take(items: held.isEmpty ? Self.itemsPerCommit : 0)
            isBehind = work.isPartial
            if let mark = work.reservation { reserve(through: mark) }
            if let limits = work.limits {
                retention = Retention(limits)
                nextSweep = MonotonicClock.now()
            }
            held += work.batches
            let isWritten = held.isEmpty || write(isAll: !work.isPartial)
            answer(work.reads)
            tellOverflow(isWritten: isWritten)
            let isDone = held.isEmpty && work.batches.isEmpty && !work.isPartial
            if work.isClosing, isDone || (!isWritten && queue.isClosingOverdue) { break }
            if isWritten, !work.isClosing { maintain() }
        }
        if overflow != nil { tellOverflow(isWritten: held.isEmpty) }
        guard held.isEmpty, let writer else { return }
        if writer.hasForgotten { try? scrub(writer) }
        // Should this fail, the next start takes it for a crash and skips some numbers.
        try? writer.markClosed(sequence: queue.lastSequenceNumber)
    }

    /// Signals belong to the loop's thread.
    private func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    /// Milliseconds until the next step of a sweep.
    private func untilMaintenance() -> Int64 {
        if retention.isSweeping { return Self.stepInterval }
        return max(0, (nextSweep - MonotonicClock.now()).millisecondsRoundedUp)
    }

    // MARK: Writing

    /// Commits what is held; false if it must be tried again.
    ///
    /// - Parameter isAll: Whether nothing else waits.
    private func write(isAll: Bool) -> Bool {
        guard let writer = writer ?? repaired() else { return false }
        do {
            committed(held, try write(held, writer))
            held = []
        } catch  where error.isDamage {
            // Closed before another file gets its name.
            self.writer = nil
            damage = error
            retry = max(retry, Self.firstRetry)
            return false
        } catch  where error.isPassing {
            wait(because: error.cause)
            return false
        } catch {
            guard writeOneByOne(writer) else { return false }
        }
        if isAll, let spell {
            self.spell = nil
            queue.update { $0.waitingBecause = nil }
            listener.trouble(
                .cleared(
                    folder: file.folder.path, after: MonotonicClock.now() - spell.began,
                    events: spell.events))
        }
        retry = 0
        return true
    }

    /// Finds the batch that can't be stored at all, so that it does not stop the others.
    private func writeOneByOne(_ writer: StoreWriter) -> Bool {
        while let first = held.first {
            do {
                committed([first], try write([first], writer))
            } catch  where error.isPassing || error.isDamage {
                wait(because: error.cause)
                return false
            } catch {
                queue.release([first])
                listener.trouble(
                    .lost(
                        folder: file.folder.path, events: first.batch.events, reason: "\(error)"))
            }
            held.removeFirst()
        }
        return true
    }

    /// Gives the events their numbers and makes all durable together.
    ///
    /// - Returns: What was written.
    private func write(
        _ waiting: [StoreQueue.Waiting], _ writer: StoreWriter
    ) throws(SQLiteError) -> [Batch] {
        var batches: [Batch] = []
        var numbers: (first: Int64, before: Int64)?
        do {
            try writer.transaction { () throws(SQLiteError) in
                // Not before: while they are out, nothing else is told.
                let taken = queue.takeNumbers(waiting.reduce(0) { $0 + $1.batch.unnumbered })
                var next = taken.first
                numbers = taken
                batches = waiting.map { $0.batch.numbered(from: &next) }
                for batch in batches { try writer.apply(batch) }
            }
        } catch {
            if let numbers {
                // For the next transaction: there are to be no holes.
                queue.giveBack(numbers)
                listener.gaveBack()
            }
            throw error
        }
        return batches
    }

    private func committed(_ waiting: [StoreQueue.Waiting], _ batches: [Batch]) {
        queue.release(waiting)
        spell?.events += batches.reduce(0) { $0 + $1.events.count }
        if let writer, writer.hasForgotten { queue.raise(firstLoad: writer.loadFloor + 1) }
        listener.committed(
            zip(waiting, batches).map { Receipt(ticket: $0.ticket, events: $1.events) })
    }

    private func wait(because cause: StoreTrouble.Cause) {
        if spell == nil {
            spell = Spell()
            let reason = "\(cause)"
            queue.update { $0.waitingBecause = reason }
            listener.trouble(.waiting(folder: file.folder.path, cause))
        }
        retry = min(max(retry * 2, Self.firstRetry), Self.longestRetry)
    }

    /// Sequence numbers have a commit of their own: a page that is written over in the log may
    /// still find room on a full disk.
    private func reserve(through mark: Int64) {
        guard let writer else { return }
        do {
            try writer.transaction { () throws(SQLiteError) in
                try Numbers.write(Numbers.sequence, mark, in: writer.database)
            }
            queue.reserved(through: mark)
        } catch {
            // What waits is tried again, and this with it.
        }
    }

    /// Tells at once when batches are refused, and once more, how many they were, when all that
    /// waits is written.
    private func tellOverflow(isWritten: Bool) {
        if overflow != nil, !isWritten || queue.isCrowded { return }
        let refused = queue.takeRefused()
        let before = overflow
        if before == nil, refused == StoreQueue.Refused() { return }
        let batches = refused.batches + (before?.batches ?? 0)
        let events = refused.events + (before?.events ?? 0)
        listener.trouble(
            .overflow(
                folder: file.folder.path, batches: batches, events: events, isOver: before != nil))
        overflow = before == nil ? refused : nil
    }

    // MARK: Reading

    private func answer(_ reads: [StoreQueue.Read]) {
        guard !reads.isEmpty else { return }
        // Kept: each would learn the tables anew.
        if reader == nil { reader = try? HistoryReader(file.folder) }
        for read in reads { read(reader) }
    }

    // MARK: Damage

    /// The writer of a new database that has what can be read of the damaged one.
    private func repaired() -> StoreWriter? {
        do {
            let reason = damage?.message ?? "unknown"
            let report = try Salvage(file: file, reason: reason).run()
            let opened = try file.open()
            let new = try StoreWriter(opened.database)
            // Open like the one before: an end without a close is a crash.
            try Numbers.write(Numbers.isOpen, 1, in: new.database)
            queue.skip(past: try Numbers.read(Numbers.sequence, in: new.database))
            // Before anything is written under them: the start after a crash goes by this mark.
            let mark = queue.lastSequenceNumber + StoreQueue.sequenceBlock
            try Numbers.write(Numbers.sequence, mark, in: new.database)
            queue.reserved(through: mark)
            writer = new
            identity = FileIdentity(of: file.folder.database)
            reader = nil
            damage = nil
            listener.trouble(.repaired(report))
            return new
        } catch {
            wait(because: .notReplaced("\(error)"))
            return nil
        }
    }

    // MARK: Maintenance

    private func maintain() {
        guard let writer else { return }
        if !hasToldRemoved, FileIdentity(of: file.folder.database) != identity {
            hasToldRemoved = true
            listener.trouble(.removed(folder: file.folder.path))
        }
        do {
            if writer.hasForgotten { try scrub(writer) }
            var dropped = try retention.trimBusy(writer)
            if !retention.isSweeping, MonotonicClock.now() >= nextSweep {
                nextSweep = MonotonicClock.now() + Self.sweepInterval
                try retention.beginSweep(now: now(), in: writer.database)
            }
            if retention.isSweeping { dropped += try retention.step(writer) }
            commits += 1
            if commits >= Self.commitsPerSizeCheck || dropped > 0 {
                commits = 0
                try checkSize(writer, dropped: dropped)
            }
        } catch {
            // Nothing is lost by keeping more; the next turn tries again.
        }
    }

    private func checkSize(_ writer: StoreWriter, dropped: Int) throws(SQLiteError) {
        let bytes = try writer.databaseBytes()
        queue.update { statistics in
            statistics.databaseBytes = bytes
            statistics.droppedRows += Int64(dropped)
        }
        if try retention.check(bytes: bytes, now: now(), in: writer.database) {
            listener.trouble(
                .tooLarge(folder: file.folder.path, bytes: bytes, limit: retention.limits.bytes))
        }
    }

    /// Takes what was forgotten out of the log, too, and gives its pages back.
    private func scrub(_ writer: StoreWriter) throws(SQLiteError) {
        try writer.database.run("PRAGMA incremental_vacuum", for: "scrub")
        // Somebody who reads just now keeps the log: then the next turn tries again.
        let isBusy = try writer.database.number("PRAGMA wal_checkpoint(TRUNCATE)") != 0
        writer.hasForgotten = isBusy
    }
}
