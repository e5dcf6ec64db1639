import Configuration
import Events
import Fetching
import Glibc
import History
import PageLoading
import PageModel
import Patterns
import Reactor

/// What takes in what a watcher has to tell; all calls come on the loop's thread.
package protocol WatcherAudience: AnyObject {
    /// An event, in the order of `seq`. A durable one is in the history by now.
    func tell(_ line: EventLine)
    /// Something that is not to be kept, for the operator: one line, and how much it matters.
    func mention(_ line: String, _ priority: Priority)
}

/// The conductor: decides when each target is loaded and what is told, never how.
///
/// Input: the configuration's targets, the clock, and each load's result (`PageLoading/PageLoad`).
/// Output: loads to the queue, decisions of `Rules/ChangeRule` to the store, and what the store has
/// on the disk to the audience. Nothing durable is announced before.
package final class Watcher {
    let loop: EventLoop
    let pool: TransferPool
    let store: HistoryStore
    let audience: any WatcherAudience
    /// What was told last, for readers that come later.
    package let ring: EventRing
    let version: String
    private let mailbox: Mailbox<StoreMessage>
    /// Troubles of the store that there was no room for.
    private var untold: [StoredEvent] = []

    var targets: [String: WatchedTarget] = [:]
    /// Targets that the store knows and the configuration does not.
    var retired: [String: StoredTarget] = [:]
    /// How many configurations have been put in force; the targets of the last one have its number.
    var readings: UInt32 = 0
    /// Those of the targets that are loaded.
    var placed = PlacedTargets()
    var schedule = Schedule()
    private(set) var queue: LoadQueue
    var judge: OfflineJudge
    private var sleep = SleepDetector(
        boottime: BoottimeClock.now(), monotonic: MonotonicClock.now())
    private lazy var alarm = Deadline { [unowned self] in alarmRang() }
    private(set) var isStopping = false
    /// When the watching began.
    let started = time()
    private let startedAt = BoottimeClock.now()
    /// How long the service has been up, in seconds, sleep of the machine counted.
    var secondsUp: Int32 {
        Int32(clamping: (BoottimeClock.now() - startedAt).components.seconds)
    }
    var counts = LoadCounts()
    /// That targets have; see ``shared(_:)``.
    var explanations: Set<String> = []
    /// Since memory was last given back to the system.
    var loadsSinceTrim = 0

    /// What the store's thread has to say.
    package enum StoreMessage: Sendable {
        case committed([Receipt])
        case trouble(StoreTrouble)
        /// Numbers of events that could not be written are free again.
        case gaveBack
    }

    /// - Parameters:
    ///   - opening: The store with what it knows of the targets.
    ///   - mailbox: Where the store's listener posts.
    /// - Throws: ``SystemError`` if the mailbox cannot be watched.
    package init(
        loop: EventLoop, pool: TransferPool, opening: HistoryStore.Opening,
        mailbox: Mailbox<StoreMessage>, configuration: Configuration, version: String,
        audience: any WatcherAudience
    ) throws(SystemError) {
        self.loop = loop
        self.pool = pool
        store = opening.store
        self.mailbox = mailbox
        self.version = version
        self.audience = audience
        ring = EventRing(
            next: store.nextSequenceNumber,
            takeNumbers: { [store] in store.nextSequenceNumbers($0) },
            tell: { audience.tell($0) })
        queue = LoadQueue(
            concurrency: configuration.limits.concurrency, perHost: configuration.limits.perHost)
        judge = OfflineJudge(version: version)
        try mailbox.open(on: loop) { [unowned self] in received($0) }
        tell(.service(ServiceEvent(state: .started, version: version)), of: nil, load: nil)
        tellDamage(opening.damage)
        retired = Dictionary(opening.targets.map { ($0.name, $0) }) { first, _ in first }
        watch(configuration.targets)
        // It held all targets, and would keep the room for as many.
        retired = Dictionary(uniqueKeysWithValues: retired.map { ($0.key, $0.value) })
        armAlarm()
    }

    // MARK: The start

    private func tellDamage(_ damage: DamageReport?) {
        guard let damage else { return }
        submit(Batch([.event(stored(trouble: damage.message))]))
    }

    // MARK: What is due

    private func alarmRang() {
        guard !isStopping else { return }
        let (now, time) = (BoottimeClock.now(), Self.time())
        if sleep.slept(boottime: now, monotonic: MonotonicClock.now()) != nil,
            let gap = schedule.catchUp(.asleep, now: now, time: time)
        {
            tell(gap, of: nil, load: nil)
        }
        while let due = schedule.popDue(now: now, time: time) {
            switch due {
            case .resumed(let place):
                if let target = placed[place] { tellResumed(target) }
            case .load(let place, _, let gap):
                guard let target = placed[place] else { continue }
                if let gap { tell(gap, of: target, load: nil) }
                check(target)
            }
        }
        armAlarm()
    }

    func armAlarm() {
        guard !isStopping, let due = schedule.nextDue else { return loop.disarm(alarm) }
        // The schedule's clock goes on in suspend, the loop's does not; the difference now is what
        // it will be unless the machine sleeps, and then the alarm only comes late.
        let left = due - BoottimeClock.now()
        loop.arm(alarm, at: MonotonicClock.now() + max(.zero, left))
    }

    // MARK: The store

    private func received(_ message: StoreMessage) {
        switch message {
        case .committed(let receipts):
            let events = receipts.flatMap(\.events)
            for event in events { ring.add(EventLine(event)) }
            if let last = events.last { store.settle(through: last.seq) }
            tellUntold()
        case .trouble(let trouble): tell(trouble)
        case .gaveBack: break
        }
        ring.settled()
    }

    /// The store's trouble is an event like others; what hinders the store is said at once, too.
    private func tell(_ trouble: StoreTrouble) {
        let message = "\(trouble)"
        if case .lost(_, let events, _) = trouble, events.contains(where: { $0.event.isTrouble }) {
            // One more would be lost as well.
            return audience.mention(message, .error)
        }
        if trouble.isBeforeWriting { audience.mention(message, .error) }
        untold.append(stored(trouble: message))
        tellUntold()
    }

    /// Has the store's troubles kept, as soon as there is room for them.
    private func tellUntold() {
        while let event = untold.first, store.submit(Batch([.event(event)])) != nil {
            untold.removeFirst()
        }
    }

    private func stored(trouble message: String) -> StoredEvent {
        let event = ServiceEvent(state: .storeTrouble, version: version, message: message)
        return stored(.service(event), of: nil, load: nil)
    }

    /// Has an event kept; it is announced once it is.
    func tell(_ event: DurableEvent, of target: WatchedTarget?, load: Int64?) {
        submit(Batch([.event(stored(event, of: target, load: load))]))
    }

    func stored(_ event: DurableEvent, of target: WatchedTarget?, load: Int64?) -> StoredEvent {
        StoredEvent(time: Self.time(), target: target?.name, load: load, event: event)
    }

    func submit(_ batch: Batch) {
        guard !batch.isEmpty else { return }
        store.submit(batch)
    }

    // MARK: The end

    /// Ends the watching: running loads are cancelled, what is known is written.
    ///
    /// - Returns: Whether all of it is on the disk.
    package func stop() -> Bool {
        guard !isStopping else { return true }
        isStopping = true
        loop.disarm(alarm)
        queue.removeWaiting()
        for target in targets.values { target.load?.load?.stopLoading() }
        if let gap = judge.end(Self.time(), targets: targets.count) {
            tell(gap, of: nil, load: nil)
        }
        tell(.service(ServiceEvent(state: .stopping, version: version)), of: nil, load: nil)
        let isWritten = store.close(within: .milliseconds(1500))
        mailbox.takeIn { received($0) }
        mailbox.close(on: loop)
        return isWritten
    }

    static func time() -> Timestamp { HistoryStore.systemTime() }
}

extension EventLine {
    /// The line of an event that is in the history.
    package init(_ stored: StoredEvent) {
        self.init(
            seq: stored.seq, time: WallTime(milliseconds: stored.time.milliseconds),
            target: stored.target, load: stored.load, event: .durable(stored.event))
    }
}

extension DurableEvent {
    fileprivate var isTrouble: Bool {
        guard case .service(let event) = self else { return false }
        return event.state == .storeTrouble
    }
}
