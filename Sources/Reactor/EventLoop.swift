import CLinux
import Glibc

/// The loop: waits for descriptors, deadlines, signals and other threads, and runs what they call
/// for, all on one thread.
///
/// Input: the kernel's events. Output: a call of each ready descriptor's handler (libcurl's sockets
/// go to `Fetching/TransferPool`), then of each due deadline, then of the end-of-turn actions; limits
/// that are due come behind those, and the actions once more.
/// Not `Sendable`: it stays with the thread that runs it, and so does all that it calls.
package final class EventLoop {
    /// What a descriptor is watched for, and what it is ready for.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
        package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
        /// An error or hang-up; told whether it was asked for or not.
        package static let failed = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    private struct Watch {
        let handler: (Readiness) -> Void
        /// Tells this watch from an earlier one of the same descriptor number.
        let generation: UInt32
    }

    private static let eventsPerTurn = 256

    /// What other threads and actors reach this loop by.
    package let executor: LoopExecutor
    /// The monotonic time at which this turn began.
    package private(set) var now = MonotonicClock.now()

    private let epoll: FileDescriptor
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var watches: [Watch?] = []
    private var generation: UInt32 = 0
    private var deadlines = DeadlineHeap()
    private var turnEndActions: [() -> Void] = []
    private var signals: [SignalDescriptor] = []
    private var isStopping = false

    /// - Throws: ``SystemError`` if the kernel gives no epoll instance.
    package init(executor: LoopExecutor) throws(SystemError) {
        let raw = try call("create the event loop") { epoll_create1(CInt(EPOLL_CLOEXEC)) }
        epoll = FileDescriptor(owning: raw)
        events = .allocate(capacity: Self.eventsPerTurn)
        self.executor = executor
        try watch(executor.wakeUp.raw, for: .readable) { [executor] _ in
            executor.acknowledgeWakeUp()
        }
    }

    /// A loop with an executor of its own.
    package convenience init() throws(SystemError) {
        try self.init(executor: LoopExecutor())
    }

    deinit {
        events.deallocate()
    }

    // MARK: Descriptors

    /// Calls `handler` in each turn in which the descriptor is ready (level-triggered), until
    /// ``unwatch(_:)``. The descriptor must not be watched already.
    package func watch(
        _ descriptor: CInt, for interest: Readiness, handler: @escaping (Readiness) -> Void
    ) throws(SystemError) {
        generation &+= 1
        try control(EPOLL_CTL_ADD, descriptor, interest, generation)
        let index = Int(descriptor)
        if index >= watches.count {
            watches.append(contentsOf: repeatElement(nil, count: index + 1 - watches.count))
        }
        watches[index] = Watch(handler: handler, generation: generation)
    }

    /// Changes what a watched descriptor is watched for.
    package func rewatch(_ descriptor: CInt, for interest: Readiness) throws(SystemError) {
        guard let watch = watchOf(descriptor) else { return }
        try control(EPOLL_CTL_MOD, descriptor, interest, watch.generation)
    }

    /// Ends a watch; call it before the descriptor is closed. Nothing if there is none.
    package func unwatch(_ descriptor: CInt) {
        guard watchOf(descriptor) != nil else { return }
        watches[Int(descriptor)] = nil
        // Fails only if the descriptor is closed already, and then the kernel has forgotten it.
        _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, descriptor, nil)
    }

    private func watchOf(_ descriptor: CInt) -> Watch? {
        descriptor >= 0 && Int(descriptor) < watches.count ? watches[Int(descriptor)] : nil
    }

    private func control(
        _ operation: CInt, _ descriptor: CInt, _ interest: Readiness, _ generation: UInt32
    ) throws(SystemError) {
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.u64 = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        try call("watch descriptor \(descriptor)") {
            epoll_ctl(epoll.raw, operation, descriptor, &event)
        }
    }

    // MARK: Deadlines, ends of turns, signals

    /// Arms a deadline for a moment of ``MonotonicClock``, or moves it there.
    package func arm(_ deadline: Deadline, at due: Duration) {
        deadlines.arm(deadline, due: due)
    }

    /// Disarms a deadline; nothing if it is not armed.
    package func disarm(_ deadline: Deadline) {
        deadlines.disarm(deadline)
    }

    /// Runs `action` at the end of every turn, after all that was ready and due.
    package func atTurnEnd(_ action: @escaping () -> Void) {
        turnEndActions.append(action)
    }

    /// Takes the signals away from their usual effect and calls `handler` for each that comes.
    ///
    /// They are blocked in the calling thread and in those that it starts later: call it before
    /// the first other thread starts. Further calls are for further signals.
    package func handle(
        signals numbers: [CInt], handler: @escaping (CInt) -> Void
    ) throws(SystemError) {
        let descriptor = try SignalDescriptor(numbers)
        try watch(descriptor.raw, for: .readable) { _ in
            while let number = descriptor.next() { handler(number) }
        }
        signals.append(descriptor)
    }

    // MARK: Running

    /// Turns until ``stop()``.
    package func run() {
        executor.adoptCurrentThread()
        while !isStopping {
            turn()
            executor.drain()
        }
        isStopping = false
    }

    /// Ends ``run()`` after this turn.
    package func stop() {
        isStopping = true
    }

    /// Waits until something is ready or due, then handles all of it.
    package func turn() {
        let count = wait()
        now = MonotonicClock.now()
        for event in events[..<count] { dispatch(event) }
        while let deadline = deadlines.popDue(by: now) { deadline.action() }
        for action in turnEndActions { action() }
        guard let due = deadlines.nextDue, due <= now else { return }
        // Limits, behind what this turn has brought to its end.
        while let deadline = deadlines.popDueOrLimit(by: now) { deadline.action() }
        for action in turnEndActions { action() }
    }

    private func wait() -> Int {
        let timeout = executor.willSleep() ? timeoutMilliseconds() : 0
        let count = epoll_wait(
            epoll.raw, events.baseAddress, CInt(Self.eventsPerTurn), timeout)
        executor.didWake()
        // The one failure that can come is EINTR, and then nothing is ready.
        return max(0, Int(count))
    }

    /// How long epoll may wait: up to the next deadline, for ever (-1) without one.
    private func timeoutMilliseconds() -> CInt {
        guard let due = deadlines.nextDue else { return -1 }
        let left = due - MonotonicClock.now()
        guard left > .zero else { return 0 }
        return CInt(clamping: left.millisecondsRoundedUp)
    }

    private func dispatch(_ event: epoll_event) {
        let descriptor = CInt(truncatingIfNeeded: event.data.u64)
        // An earlier handler of this turn may have ended this watch, or begun another with the
        // same number.
        guard let watch = watchOf(descriptor),
            watch.generation == UInt32(truncatingIfNeeded: event.data.u64 >> 32)
        else { return }
        watch.handler(Readiness(rawValue: event.events))
    }
}
