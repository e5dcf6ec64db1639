import CLinux
import Glibc
import Reactor

/// What the loop's thread and the store's have in common: batches that wait, and numbers.
///
/// The lock is never held over a call that may wait.
final class StoreQueue: Sendable {
    /// A batch that is not on the disk yet.
    struct Waiting: Sendable {
        let ticket: Int64
        let batch: Batch
    }

    /// Asks the folder something; nil if it can't be read.
    typealias Read = @Sendable (HistoryReader?) -> Void

    /// What the store's thread is to do.
    struct Work {
        var batches: [Waiting] = []
        /// What is to be reserved of sequence numbers: the new mark.
        var reservation: Int64?
        /// Other limits from now on.
        var limits: StoreLimits?
        /// What others want to know of the folder.
        var reads: [Read] = []
        /// More waits than was handed over.
        var isPartial = false
        var isClosing = false
    }

    struct Refused: Equatable {
        var batches: Int64 = 0
        var events: Int64 = 0
    }

    /// Sequence numbers are reserved this many at a time, and anew when half are left: at 1,000
    /// events a second, enough for two hours of a disk that takes nothing.
    static let sequenceBlock: Int64 = 1 << 24

    private struct State {
        var waiting: [Waiting] = []
        /// Behind those; moved there before anything else is.
        var late = LateWishes()
        /// Of all batches not on the disk, those in the thread's hands too.
        var items = 0
        var bytes = 0
        var tickets: Int64 = 0
        var refused = Refused()
        var nextSequence: Int64
        /// The last number that a transaction took, and the last of which the owner knows that.
        var takenThrough: Int64 = 0
        var settledThrough: Int64 = 0
        var reservedThrough: Int64
        /// Set just before the thread waits under the lock: only then is a wake-up written.
        var isAsleep = false
        var isClosing = false
        /// Until when the thread may try to write what is left.
        var closingDeadline = Duration.zero
        var statistics: HistoryStore.Statistics
        var firstLoad: Int64
        /// Set by the owner, and not yet taken by the thread.
        var newLimits: StoreLimits?
        var reads: [Read] = []

        mutating func nextTicket() -> Int64 {
            tickets += 1
            return tickets
        }

        mutating func refuse(_ batch: Batch) -> Int64? {
            refused.batches += 1
            refused.events += Int64(batch.events.count)
            return nil
        }

        mutating func append(_ batch: Batch, ticket: Int64? = nil) -> Int64 {
            items += batch.items.count
            bytes += batch.bytes
            let ticket = ticket ?? nextTicket()
            waiting.append(Waiting(ticket: ticket, batch: batch))
            return ticket
        }

        /// One that comes back before its forgetting is on the disk must not repeat numbers.
        mutating func raiseFirstLoad(for batch: Batch) {
            for case .forget(_, let last) in batch.items { firstLoad = max(firstLoad, last + 1) }
        }

        /// What comes after them is to stay behind them.
        mutating func moveLate() {
            guard !late.isEmpty else { return }
            let ticket = late.ticket
            for batch in late.take() { _ = append(batch, ticket: ticket) }
        }
    }

    private let limits: StoreLimits
    private let state: Locked<State>
    private let wakeUp: FileDescriptor
    /// Readable once the thread has ended.
    private let ended: FileDescriptor

    /// - Parameters:
    ///   - next: The first sequence number.
    ///   - reserved: The last one that is reserved on the disk.
    ///   - firstLoad: The number of the first load of a new target.
    init(
        limits: StoreLimits, next: Int64, reserved: Int64, firstLoad: Int64,
        statistics: HistoryStore.Statistics
    ) throws(SystemError) {
        self.limits = limits
        state = Locked(
            State(
                nextSequence: next, reservedThrough: reserved, statistics: statistics,
                firstLoad: firstLoad))
        let wakeUp = try call("create the store's wake-up") {
            eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        }
        self.wakeUp = FileDescriptor(owning: wakeUp)
        let ended = try call("create the store's end") {
            eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        }
        self.ended = FileDescriptor(owning: ended)
    }

    // MARK: Any thread

    /// Numbers for events that are told in order with those that are stored; nil while numbers that
    /// a transaction took are not settled: the events that have them must be told before.
    func nextSequenceNumbers(_ count: Int64) -> Int64? {
        let (number, needsWake) = state.withLock { state -> (Int64?, Bool) in
            guard state.takenThrough <= state.settledThrough else { return (nil, false) }
            let number = state.nextSequence
            state.nextSequence += count
            let half = Self.sequenceBlock / 2
            let isLow =
                state.reservedThrough - state.nextSequence < half
                && state.reservedThrough - number >= half
            defer { if isLow { state.isAsleep = false } }
            return (number, isLow && state.isAsleep)
        }
        if needsWake { Self.write(wakeUp) }
        return number
    }

    /// The owner knows of all numbers up to that what became of them.
    func settle(through number: Int64) {
        state.withLock { $0.settledThrough = max($0.settledThrough, number) }
    }

    /// The number that comes next.
    var nextSequenceNumber: Int64 { state.withLock { $0.nextSequence } }

    /// What nobody says again is taken whatever waits; see ``LateWishes``.
    func submit(_ batch: Batch) -> Int64? {
        let (ticket, needsWake) = state.withLock { state -> (Int64?, Bool) in
            let share = batch.events.isEmpty ? 2 : 1
            let fits =
                state.items + state.late.count + batch.items.count <= limits.waitingItems / share
                && state.bytes + state.late.bytes + batch.bytes <= limits.waitingBytes / share
            guard !state.isClosing else { return (state.refuse(batch), false) }
            defer { state.isAsleep = false }
            if fits || batch.isWish { state.raiseFirstLoad(for: batch) }
            if fits {
                state.moveLate()
                return (state.append(batch), state.isAsleep)
            }
            guard batch.isWish else { return (state.refuse(batch), false) }
            state.refused.events += Int64(batch.events.count)
            if state.late.isEmpty { state.late = LateWishes(ticket: state.nextTicket()) }
            state.late.add(batch)
            return (state.late.ticket, state.isAsleep)
        }
        if needsWake { Self.write(wakeUp) }
        return ticket
    }

    /// What is kept on disk from now on. What may wait in memory stays as it was.
    func change(_ limits: StoreLimits) {
        let needsWake = state.withLock { state in
            state.newLimits = limits
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if needsWake { Self.write(wakeUp) }
    }

    /// Has the thread ask the folder something, soon. False if it takes nothing more.
    func ask(_ read: @escaping Read) -> Bool {
        let (isTaken, needsWake) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosing else { return (false, false) }
            state.reads.append(read)
            defer { state.isAsleep = false }
            // Also while it gathers batches, and nobody need wait for those.
            return (true, state.reads.count == 1)
        }
        if needsWake { Self.write(wakeUp) }
        return isTaken
    }

    var firstLoad: Int64 { state.withLock { $0.firstLoad } }

    var statistics: HistoryStore.Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waitingItems = state.items + state.late.count
            statistics.waitingBytes = state.bytes + state.late.bytes
            return statistics
        }
    }

    /// Lets the thread end; false if it has not by then.
    @discardableResult
    func close(within limit: Duration) -> Bool {
        state.withLock { state in
            guard !state.isClosing else { return }
            state.isClosing = true
            state.closingDeadline = MonotonicClock.now() + limit / 10 * 9
        }
        Self.write(wakeUp)
        return Self.wait(for: ended, milliseconds: limit.millisecondsRoundedUp)
    }

    /// Whether nothing waits, in the thread's hands neither.
    var isEmpty: Bool { state.withLock { $0.items == 0 && $0.late.isEmpty } }

    // MARK: The store's thread

    /// Waits for something to do, at most so long.
    func sleep(milliseconds: Int64?) {
        let isIdle = state.withLock { state in
            let isLow = state.reservedThrough - state.nextSequence < Self.sequenceBlock / 2
            state.isAsleep =
                state.waiting.isEmpty && state.late.isEmpty && !state.isClosing && !isLow
                && state.newLimits == nil && state.reads.isEmpty
            return state.isAsleep
        }
        if isIdle { pause(milliseconds: milliseconds) }
        state.withLock { $0.isAsleep = false }
    }

    /// Waits so long for more batches, and not at all for those who ask: the word of the first of
    /// them may have been what ended the sleep.
    func gather(milliseconds: Int64) {
        guard state.withLock({ $0.reads.isEmpty }) else { return }
        pause(milliseconds: milliseconds)
    }

    /// Waits so long, if the store is to be closed only for a moment. Batches end this wait only
    /// if the thread was asleep when they came.
    func pause(milliseconds: Int64?) {
        if state.withLock({ $0.isClosing }) {
            usleep(1000)
        } else if Self.wait(for: wakeUp, milliseconds: milliseconds) {
            var count: UInt64 = 0
            _ = read(wakeUp.raw, &count, MemoryLayout<UInt64>.size)
        }
    }

    /// Whether the time to write what is left has passed.
    var isClosingOverdue: Bool {
        state.withLock { $0.isClosing && MonotonicClock.now() >= $0.closingDeadline }
    }

    /// Hands over what waits, at most so many items (but one batch at least, unless there are to be
    /// none).
    func take(items limit: Int) -> Work {
        state.withLock { state in
            var work = Work()
            var items = 0
            if limit > 0, state.waiting.isEmpty { state.moveLate() }
            let count = state.waiting.prefix { waiting in
                items += waiting.batch.items.count
                return items <= limit
            }.count
            work.batches = Array(state.waiting.prefix(max(count, min(limit, 1))))
            state.waiting.removeFirst(work.batches.count)
            work.isPartial = !state.waiting.isEmpty || !state.late.isEmpty
            if state.reservedThrough - state.nextSequence < Self.sequenceBlock / 2 {
                work.reservation = state.nextSequence + Self.sequenceBlock
            }
            work.isClosing = state.isClosing
            swap(&work.limits, &state.newLimits)
            swap(&work.reads, &state.reads)
            return work
        }
    }

    /// The batches are on the disk, or lost: their memory is free for others.
    func release(_ batches: [Waiting]) {
        let items = batches.reduce(0) { $0 + $1.batch.items.count }
        let bytes = batches.reduce(0) { $0 + $1.batch.bytes }
        state.withLock { state in
            state.items -= items
            state.bytes -= bytes
        }
    }

    /// What was refused since this was last asked.
    func takeRefused() -> Refused {
        state.withLock { state in
            defer { state.refused = Refused() }
            return state.refused
        }
    }

    func raise(firstLoad: Int64) {
        state.withLock { $0.firstLoad = max($0.firstLoad, firstLoad) }
    }

    /// Whether more waits than a quarter of what may.
    var isCrowded: Bool {
        state.withLock {
            $0.items + $0.late.count > limits.waitingItems / 4
                || $0.bytes + $0.late.bytes > limits.waitingBytes / 4
        }
    }

    /// Takes numbers for events that a transaction is about to write.
    ///
    /// - Returns: The first, and what ``giveBack(_:)`` needs if nothing comes of it.
    func takeNumbers(_ count: Int) -> (first: Int64, before: Int64) {
        state.withLock { state in
            let (first, before) = (state.nextSequence, state.takenThrough)
            state.nextSequence += Int64(count)
            if count > 0 { state.takenThrough = state.nextSequence - 1 }
            return (first, before)
        }
    }

    /// Nothing was written under the numbers that were taken last; nobody else took any since.
    func giveBack(_ numbers: (first: Int64, before: Int64)) {
        state.withLock { state in
            state.nextSequence = numbers.first
            state.takenThrough = numbers.before
        }
    }

    func reserved(through mark: Int64) { state.withLock { $0.reservedThrough = mark } }

    /// The numbers go on behind `mark`, too, which another database had.
    func skip(past mark: Int64) {
        state.withLock { $0.nextSequence = max($0.nextSequence, mark + 1) }
    }

    /// The last sequence number that was given out.
    var lastSequenceNumber: Int64 { state.withLock { $0.nextSequence - 1 } }

    func update(_ change: @Sendable (inout HistoryStore.Statistics) -> Void) {
        state.withLock { change(&$0.statistics) }
    }

    /// The thread's last word.
    func end() { Self.write(ended) }

    private static func write(_ descriptor: borrowing FileDescriptor) {
        var one: UInt64 = 1
        _ = Glibc.write(descriptor.raw, &one, MemoryLayout<UInt64>.size)
    }

    /// Whether the descriptor became readable in time.
    private static func wait(
        for descriptor: borrowing FileDescriptor, milliseconds: Int64?
    ) -> Bool {
        let end = milliseconds.map { MonotonicClock.now() + .milliseconds($0) }
        var request = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        while true {
            let rest = end.map { max(0, ($0 - MonotonicClock.now()).millisecondsRoundedUp) }
            let count = poll(&request, 1, rest.map { CInt(clamping: $0) } ?? -1)
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}
