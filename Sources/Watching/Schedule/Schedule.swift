import PageModel

/// When each target is loaded next.
///
/// A target's regular loads keep a beat: each is due one interval after the one before was, plus a
/// jitter of at most a tenth of the interval. Re-checks, to confirm a title or a failure, come
/// between and do not move the beat. A target is never handed out while it is loading.
///
/// Input: the conductor's clock, its targets, and the ends of their loads. Output: what to load now,
/// and the gaps to tell.
///
/// All moments are CLOCK_BOOTTIME's, given as arguments; the wall clock is asked only for what was
/// stored, and to tell gaps. So setting it neither starts nor stops loads.
package struct Schedule {
    /// Between two loads that are due at once, if there is room for as much.
    private static let breath = 50 * Nanoseconds.second / 1000
    /// Retry-After holds for the larger of this and the interval at most.
    private static let longestHold = 3600 * Nanoseconds.second

    private var targets: ContiguousArray<ScheduledTarget> = []
    private var free: [Int32] = []
    private var heap = DueHeap()
    /// Until when no target of a host is loaded; only hosts that answered 429.
    private var hostHolds: [UInt64: Nanoseconds] = [:]
    private var generation: UInt32 = 0

    package init() {}

    /// The bytes of memory a target takes here, beside its place in the heap.
    static var recordSize: Int { MemoryLayout<ScheduledTarget>.stride }

    /// How many targets there are.
    package var count: Int { targets.count - free.count }

    // MARK: Targets come and go

    /// Takes targets in: after a start all of them, after a reconfigure the new ones.
    ///
    /// One that was loaded before is due at its last start plus its interval. Those that were never
    /// loaded and those that are overdue are due at once, spread over at most a minute.
    ///
    /// - Returns: Their places in the given order, and a gap to tell if loads were due before now.
    package mutating func add(
        _ newcomers: [Newcomer], now: Duration, time: Timestamp
    ) -> (ids: [ID], gap: DurableEvent?) {
        let now = Nanoseconds(now)
        var ids: [ID] = []
        var atOnce: [Int] = []
        var missed = MissedStarts()
        for newcomer in newcomers {
            let index = place(newcomer)
            ids.append(id(of: index))
            targets[index].check = newcomer.check
            let elapsed = newcomer.lastStart.map { Self.elapsed(since: $0, time: time) }
            if let elapsed {
                targets[index].start = now - elapsed
                targets[index].nominal = now - elapsed
                targets[index].next = now - elapsed + targets[index].interval
            }
            if let pause = newcomer.pause {
                begin(pause, index, now: now, time: time)
            } else if let elapsed, elapsed <= targets[index].interval {
                arm(index, now: now, withJitter: false)
            } else {
                if elapsed != nil { missed.add(targets[index].next, of: targets[index], now: now) }
                atOnce.append(index)
            }
        }
        spread(atOnce, now: now)
        return (ids, missed.gap(.stopped, now: now, time: time))
    }

    /// Takes a target out; nothing if it is out. A load of its that still runs is its last.
    package mutating func remove(_ id: ID) {
        guard let index = index(of: id) else { return }
        heap.remove(index)
        targets[index].activity = .gone
        free.append(id.index)
    }

    /// Gives a target another timing or host; its next load is due by the new interval.
    ///
    /// - Parameter isMoved: Whether it is another page now, which no Retry-After was about.
    package mutating func change(
        _ id: ID, host: String, timing: Timing, isMoved: Bool = false, now: Duration
    ) {
        guard let index = index(of: id) else { return }
        let now = Nanoseconds(now)
        targets[index].host = StableHash.of(host)
        targets[index].set(timing)
        if isMoved { targets[index].heldUntil = .min }
        // The end of a load that runs goes by the new interval.
        guard !targets[index].isUnderWay, targets[index].start != .min else { return }
        targets[index].next = max(now, targets[index].start + targets[index].interval)
        if targets[index].activity == .waiting { arm(index, now: now, withJitter: false) }
    }

    // MARK: What is due

    /// The next moment at which ``popDue(now:time:)`` has something; nil if nothing is to come.
    package var nextDue: Duration? { heap.first?.due.duration }

    /// When a target is due; nil while it runs, and for a pause without end.
    package func nextDue(of id: ID) -> Duration? {
        index(of: id).flatMap { heap.due(of: $0)?.duration }
    }

    /// Hands out the next target that is due by now.
    ///
    /// - Parameter time: The same moment on the wall clock, for telling gaps.
    package mutating func popDue(now: Duration, time: Timestamp) -> Due? {
        let now = Nanoseconds(now)
        while let (index, due) = heap.first, due <= now {
            heap.remove(index)
            if targets[index].activity != .waiting {
                // Only the end of a pause stands in the heap for one that is not waiting.
                resume(index, now: now)
                return .resumed(id(of: index))
            }
            if !targets[index].isWished, let hold = hostHold(index, now: now) {
                // All of a host's targets come due when its hold ends; their names spread them.
                let due = hold + targets[index].share(of: targets[index].pace)
                targets[index].heldUntil = max(targets[index].heldUntil, due)
                arm(index, now: now)
                continue
            }
            return hand(out: index, now: now, time: time)
        }
        return nil
    }

    private mutating func hand(out index: Int, now: Nanoseconds, time: Timestamp) -> Due {
        var target = targets[index]
        if target.isRegular {
            target.nominal = target.next
            target.index &+= 1
        }
        target.activity = .running
        target.isWished = false
        target.start = now
        var gap: DurableEvent?
        if target.missedSince != .min {
            gap = .gap(
                since: time.earlier(by: now - target.missedSince), until: time,
                reason: target.isOverload ? .overloaded : .overrun, targets: nil)
            target.missedSince = .min
        }
        targets[index] = target
        return .load(id(of: index), check: target.check, gap: gap)
    }

    /// Tells that a load that was handed out has left the queue and begins now.
    package mutating func begun(_ id: ID, now: Duration) {
        guard let index = index(of: id), targets[index].isUnderWay else { return }
        targets[index].start = Nanoseconds(now)
    }

    /// Tells that a load has ended, and what the next one is for.
    ///
    /// - Parameter failingLoads: Failed loads since `failing` is told; 0 while it is not. With a
    ///   `backoff_max` each doubles the interval.
    package mutating func finished(
        _ id: ID, next check: NextCheck, failingLoads: Int = 0, now: Duration
    ) {
        guard let index = index(of: id), targets[index].isUnderWay else { return }
        let now = Nanoseconds(now)
        var target = targets[index]
        let hadBeat = !target.isOutOfPhase
        if target.isRegular {
            target.next = target.nominal + target.step(failingLoads: failingLoads)
            target.isOutOfPhase = false
        }
        target.check = check
        let due = target.next
        // Whether it had not even begun when the next one was due: the queue was too long.
        let isOverload = target.start > due
        // A load that came at once has no beat to run over yet.
        if target.activity == .running, target.skipMissed(now: now), hadBeat || isOverload {
            target.missedSince = due
            target.isOverload = isOverload
        }
        target.activity = target.activity == .running ? .waiting : .paused
        targets[index] = target
        if target.activity == .waiting { arm(index, now: now) }
    }

    // MARK: Pauses and holds

    /// Stops loading a target; a load under way runs on.
    package mutating func pause(_ id: ID, _ pause: Pause, now: Duration, time: Timestamp) {
        guard let index = index(of: id) else { return }
        begin(pause, index, now: Nanoseconds(now), time: time)
    }

    /// Loads a paused target again: at once if its time has come meanwhile.
    package mutating func resume(_ id: ID, now: Duration) {
        guard let index = index(of: id) else { return }
        resume(index, now: Nanoseconds(now))
    }

    /// Makes a target that is at rest due at once, for a user who wishes for it: whatever its server
    /// asked for. Its beat stays. Nothing while it runs.
    package mutating func hasten(_ id: ID, now: Duration) {
        guard let index = index(of: id), targets[index].activity == .waiting else { return }
        let now = Nanoseconds(now)
        targets[index].isRegular = targets[index].next <= now
        targets[index].isWished = true
        heap.set(index, due: min(now, heap.due(of: index) ?? now))
    }

    /// Takes in an answer's Retry-After: for the whole host after a 429, for the target after a 503,
    /// and for at most the larger of the interval and an hour.
    package mutating func hold(_ id: ID, status: Int, wait: Duration, now: Duration) {
        guard let index = index(of: id), status == 429 || status == 503 else { return }
        let now = Nanoseconds(now)
        let target = targets[index]
        let until = now + min(Nanoseconds(wait), max(target.interval, Self.longestHold))
        if status == 429 {
            hostHolds = hostHolds.filter { $0.value > now }
            hostHolds[target.host] = max(until, hostHolds[target.host] ?? until)
        }
        targets[index].heldUntil = until
        if target.activity == .waiting { arm(index, now: now) }
    }

    /// Until when a server asked not to load a target; nil if none did.
    package func held(_ id: ID, now: Duration) -> Duration? {
        guard let index = index(of: id) else { return nil }
        let now = Nanoseconds(now)
        let until = max(targets[index].heldUntil, hostHold(index, now: now) ?? .min)
        return until > now ? until.duration : nil
    }

    // MARK: Sleep

    /// Spreads what came due while nothing could run: one load for each target.
    ///
    /// Call it when the machine slept, or when ``nextDue`` lies seconds back, before anything is
    /// handed out.
    /// - Returns: The one gap to tell for the whole service; nil if nothing was due.
    package mutating func catchUp(
        _ reason: GapReason, now: Duration, time: Timestamp
    ) -> DurableEvent? {
        let now = Nanoseconds(now)
        var overdue: [Int] = []
        var missed = MissedStarts()
        for index in targets.indices {
            if targets[index].isUnderWay {
                let due = targets[index].nominal + targets[index].interval
                guard targets[index].isRegular, due <= now else { continue }
                missed.add(due, of: targets[index], now: now)
                // Its load is cut off by its own deadline; what was due meanwhile is told here.
                targets[index].nominal +=
                    (now - due) / targets[index].interval
                    * targets[index].interval + targets[index].interval
            } else if targets[index].activity == .waiting, let due = heap.due(of: index),
                due <= now
            {
                missed.add(due, of: targets[index], now: now)
                overdue.append(index)
            }
        }
        spread(overdue, now: now)
        return missed.gap(reason, now: now, time: time)
    }
}

// MARK: - How it is done

extension Schedule {
    /// Since a stored moment; zero if the wall clock was set back behind it.
    private static func elapsed(since past: Timestamp, time: Timestamp) -> Nanoseconds {
        let (elapsed, overflow) = time.milliseconds.subtractingReportingOverflow(past.milliseconds)
        let most = Nanoseconds.longest / 1_000_000
        return min(max(0, overflow ? 0 : elapsed), most) * 1_000_000
    }

    private func index(of id: ID) -> Int? {
        let index = Int(id.index)
        guard targets.indices.contains(index), targets[index].generation == id.generation,
            targets[index].activity != .gone
        else { return nil }
        return index
    }

    private func id(of index: Int) -> ID {
        ID(
            index: Int32(truncatingIfNeeded: index), generation: targets[index].generation)
    }

    private mutating func place(_ newcomer: Newcomer) -> Int {
        generation &+= 1
        let target = ScheduledTarget(
            name: newcomer.name, host: newcomer.host, timing: newcomer.timing,
            generation: generation)
        if let index = free.popLast() {
            targets[Int(index)] = target
            return Int(index)
        }
        targets.append(target)
        return targets.count - 1
    }

    /// Makes targets due one after the other from now on, in an order that their names decide.
    private mutating func spread(_ indices: [Int], now: Nanoseconds) {
        let inOrder = indices.sorted { targets[$0].phase < targets[$1].phase }
        for (number, index) in inOrder.enumerated() {
            let step = min(Self.breath, targets[index].pace / Nanoseconds(inOrder.count))
            let due = now + step * Nanoseconds(number)
            targets[index].next = max(due, targets[index].heldUntil)
            targets[index].isRegular = true
            targets[index].isOutOfPhase = true
            heap.set(index, due: targets[index].next)
        }
    }

    /// Puts a target at rest into the heap for its next load.
    private mutating func arm(_ index: Int, now: Nanoseconds, withJitter: Bool = true) {
        var target = targets[index]
        let hold = max(target.heldUntil, hostHold(index, now: now) ?? .min)
        let early: Nanoseconds =
            switch target.check {
            case .regular: .max
            case .confirm: max(now, max(target.start, -.longest) + target.confirm, hold)
            case .retry: max(now, max(target.start, -.longest) + target.retry, hold)
            }
        target.isRegular = early >= target.next
        var due = early
        if target.isRegular {
            due = max(now, hold, target.next + (withJitter ? target.jitter : 0))
            // What a hold passes over was not missed: the server wished it so.
            if hold > target.next, target.isOutOfPhase {
                target.next = hold
            } else if hold > target.next {
                target.next += (hold - target.next) / target.interval * target.interval
            }
        }
        targets[index] = target
        heap.set(index, due: due)
    }

    private func hostHold(_ index: Int, now: Nanoseconds) -> Nanoseconds? {
        guard !hostHolds.isEmpty, let until = hostHolds[targets[index].host], until > now else {
            return nil
        }
        return until
    }

    private mutating func begin(
        _ pause: Pause, _ index: Int, now: Nanoseconds, time: Timestamp
    ) {
        targets[index].activity = targets[index].isUnderWay ? .runningPaused : .paused
        heap.remove(index)
        guard case .until(let end) = pause else { return }
        heap.set(index, due: now + Self.elapsed(since: time, time: end))
    }

    private mutating func resume(_ index: Int, now: Nanoseconds) {
        switch targets[index].activity {
        case .runningPaused:
            heap.remove(index)
            targets[index].activity = .running
        case .paused:
            targets[index].activity = .waiting
            if targets[index].next <= now {
                // At once; not a missed start, for nobody wanted it to run.
                targets[index].next = now
                targets[index].isOutOfPhase = true
            }
            arm(index, now: now, withJitter: false)
        case .waiting, .running, .gone: break
        }
    }
}

extension ScheduledTarget {
    /// Whether it was handed out and has not come back.
    var isUnderWay: Bool { activity == .running || activity == .runningPaused }
}

extension Timestamp {
    /// The moment so many nanoseconds before.
    func earlier(by span: Nanoseconds) -> Timestamp {
        Timestamp(milliseconds: milliseconds - span / 1_000_000)
    }
}
