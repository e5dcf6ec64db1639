import CLinux
import Configuration
import Events
import Fetching
import History
import PageLoading
import PageModel
import Reactor
import WebAddress

/// A load from its start to what is concluded from it.
extension Watcher {
    /// Loads a target that is due: at once, or when the user's load that runs has ended.
    func check(_ target: WatchedTarget) {
        guard let place = target.place else { return }
        target.isCheckDue = target.load != nil
        if !target.isCheckDue { enqueue(target, .check(place), host: target.host) }
    }

    /// Has a load begin as soon as there is room for it.
    func enqueue(
        _ target: WatchedTarget, _ purpose: LoadPurpose, host: String,
        over superseded: SupersededLoad? = nil
    ) {
        let number = target.nextLoad
        target.nextLoad += 1
        target.load = RunningLoad(
            number: number, purpose: purpose, host: host, due: BoottimeClock.now(),
            superseded: superseded, definition: target.definition, settings: target.settings,
            started: Self.time())
        queue.add(host: host) { [unowned self] in start(target, number) }
    }

    /// Begins the load that a target waits for, as the target is defined by now.
    ///
    /// - Returns: False if nobody wants it any more.
    private func start(_ target: WatchedTarget, _ number: Int64) -> Bool {
        guard let running = target.load, running.number == number, running.load == nil, !isStopping
        else { return false }
        running.definition = target.definition
        running.settings = target.settings
        running.started = Self.time()
        var (kind, address) = (Page.LoadKind.reload, running.definition.url)
        switch running.purpose {
        case .check(let place):
            guard target.place == place else { return false }
            let now = BoottimeClock.now()
            schedule.begun(place, now: now)
            counts.add(lateness: now - running.due)
            target.state.lastStart = running.started
            // What the answer to a condition leaves as it is must be what is shown.
            if !target.isBrowsed, target.showsValidatedAnswer {
                running.sentValidators = target.state.validators(
                    for: running.settings.ownSide(of: running.definition))
            }
            target.isBrowsed = false
        case .browse(let wanted, let elsewhere):
            (kind, address) = (wanted, elsewhere)
            target.isBrowsed = true
        }
        let load = pageLoad(of: target, running, address)
        running.load = load
        load.cookies = target.cookies
        load.start(kind, over: running.superseded?.phase)
        return true
    }

    private func pageLoad(
        of target: WatchedTarget, _ running: RunningLoad, _ address: WebAddress
    ) -> PageLoad {
        var superseded = running.superseded
        let number = running.number
        // The load holds its target, which is let go with it: the configuration may have dropped
        // the target by then. It must not hold what holds it.
        return PageLoad(
            address, page: superseded?.page ?? target.page, initialURL: address.text,
            options: running.settings.load,
            loop: loop, pool: pool, configuredAddress: running.definition.url,
            conditions: Self.conditions(running.sentValidators),
            onEvent: { [unowned self] event in
                var number = number
                if let before = superseded, case .navigation(.failed) = event {
                    number = before.number
                    superseded = nil
                }
                ring.add(event, target: target.name, load: number)
            },
            onEnd: { [unowned self] result in ended(target, result) })
    }

    private func ended(_ target: WatchedTarget, _ result: LoadResult) {
        guard let running = target.load, let load = running.load else { return }
        let listBefore = target.page.backForwardList
        target.page = load.page
        target.cookies = load.cookies
        target.load = nil
        defer {
            queue.ended(host: running.host)
            giveBackMemory()
        }
        if target.page.backForwardList != listBefore {
            submit(
                Batch([.backForwardList(target: target.name, target.page.backForwardList)]))
        }
        if case .check(let place) = running.purpose, !isStopping, target.place == place {
            holdBack(target, place, load)
            decide(target, place, running, load, result)
        } else {
            keepNumber(of: running, target)
        }
        tellWaiters(of: target, result)
        if target.isCheckDue, !isStopping { check(target) }
    }

    /// Answers those who wait for a load of the target to end.
    func tellWaiters(of target: WatchedTarget, _ result: LoadResult?) {
        let waiters = target.waiters
        target.waiters = []
        for waiter in waiters { waiter(result) }
    }

    /// Hands what a round of loads took and freed back to the system: it lies between what is kept,
    /// where the C library leaves it. A few milliseconds: when nothing else is under way or, where
    /// that does not come (a page that never answers is enough), after a second round all the same.
    private func giveBackMemory() {
        loadsSinceTrim += 1
        let round = max(1000, targets.count)
        guard loadsSinceTrim >= (queue.running == 0 ? round : 2 * round) else { return }
        loadsSinceTrim = 0
        malloc_trim(0)
    }

    /// A load that we cut off ourselves, as the service ends or the target is taken out, is no
    /// failure of the page's; a user's load is nothing that the rules know of.
    func keepNumber(of running: RunningLoad, _ target: WatchedTarget) {
        submit(Batch([.loadNumber(target: target.name, running.number)]))
    }

    private func decide(
        _ target: WatchedTarget, _ place: Schedule.ID, _ running: RunningLoad,
        _ load: PageLoad, _ result: LoadResult
    ) {
        let time = Self.time()
        if !Self.isStopped(result) {
            judgeConnection(running.definition.url.host, result.error, time: time)
        }
        let observation = Observation(
            load, result, time: time, sentValidators: running.sentValidators,
            ownSide: running.settings.ownSide(of: running.definition), isOffline: judge.isOffline)
        let decision = ChangeRule.decide(
            observation, rules: running.settings.rules, state: target.state)
        target.state = decision.state
        target.explanation = shared(decision.explanation)
        count(target, result, decision, time: time)
        mention(exceeded: decision.exceededPatterns, target)
        keep(target, running, result, decision, time: time)
        schedule.finished(
            place, next: decision.nextCheck,
            failingLoads: decision.state.failingLoads(running.settings.rules),
            now: BoottimeClock.now())
        armAlarm()
    }

    /// The same text, in the memory of one that another target has: most say one of a few things.
    private func shared(_ explanation: String) -> String {
        if explanations.count > Self.mostExplanations { explanations = [] }
        return explanations.insert(explanation).memberAfterInsert
    }

    private static let mostExplanations = 200

    /// The header lines that ask for the page only if it is another one.
    private static func conditions(_ validators: Validators?) -> [String] {
        [
            validators?.entityTag.map { "If-None-Match: \($0)" },
            validators?.lastModified.map { "If-Modified-Since: \($0)" },
        ].compactMap { $0 }
    }

    /// Heeds a server that asks to be left alone for a while.
    private func holdBack(_ target: WatchedTarget, _ place: Schedule.ID, _ load: PageLoad) {
        guard let head = load.head, let value = head.retryAfter,
            let wait = RetryAfter.wait(
                value, time: head.date.flatMap(RetryAfter.date) ?? Self.time())
        else { return }
        schedule.hold(place, status: head.status, wait: wait, now: BoottimeClock.now())
    }

    private func count(
        _ target: WatchedTarget, _ result: LoadResult, _ decision: Decision, time: Timestamp
    ) {
        guard !Self.isStopped(result) else { return }
        var isGood = false
        if case .good = decision.verdict { isGood = true }
        counts.add(result, isGood: isGood)
        if isGood {
            target.lastGood = time
            target.lastGoodAge = secondsUp
        }
        for case .titleChanged in decision.events { target.titleChanges &+= 1 }
    }

    /// Tells each pattern once that is too costly for the target's titles: it does not hold.
    private func mention(exceeded patterns: [String], _ target: WatchedTarget) {
        for pattern in patterns where !target.costlyPatterns.contains(pattern) {
            target.costlyPatterns.append(pattern)
            audience.mention(
                #"\#(target.name): the pattern "\#(pattern)" reached its match limit and"#
                    + " counts as not found (write it so that it backtracks less)", .warning)
        }
    }

    private func judgeConnection(_ host: String, _ error: LoadError?, time: Timestamp) {
        let verdict = judge.record(
            OfflineJudge.Attempt(error), host: host, now: BoottimeClock.now(), time: time,
            targets: targets.count,
            underWay: { [targets] in
                targets.values.compactMap { $0.load?.load == nil ? nil : $0.definition.url.host }
            })
        guard let verdict else { return }
        for event in verdict.events { tell(event, of: nil, load: nil) }
        for target in targets.values where target.state.failedLoads > 0 {
            target.state.forgetFailures(since: verdict.since)
            keepState(of: target)
        }
    }

    private func keepState(of target: WatchedTarget) {
        submit(
            Batch([
                .state(target: target.name, VersionedBytes(version: 1, bytes: target.stateBytes))
            ]))
    }

    /// Whether a user has stopped the load: that is no failure of the page's.
    private static func isStopped(_ result: LoadResult) -> Bool {
        result.error?.code == "cancelled"
    }

    /// Whether the load showed the title that is the confirmed one by now.
    private static func isTold(_ decision: Decision) -> Bool {
        guard case .good(let title) = decision.verdict, let told = decision.state.title else {
            return false
        }
        return isSame(told.title, title)
    }

    private func keep(
        _ target: WatchedTarget, _ running: RunningLoad, _ result: LoadResult,
        _ decision: Decision, time: Timestamp
    ) {
        var batch = Batch()
        var outcome = History.Observation.Outcome.failed
        var error = result.error
        switch decision.verdict {
        case .good(let title): outcome = .title(title)
        case .failed(let reason): error = reason
        }
        batch.append(
            .observation(
                target: target.name,
                History.Observation(
                    load: running.number, started: running.started, ended: time, outcome: outcome,
                    isTold: Self.isTold(decision))))
        let record = LoadRecord(
            load: running.number, started: running.started, ended: time,
            url: result.url ?? result.initialURL, status: result.status, title: result.title,
            bytes: result.bytes, error: error)
        if error == nil {
            batch.append(.lastGood(target: target.name, record))
        } else if !Self.isStopped(result) {
            batch.append(.lastFailed(target: target.name, record))
        }
        batch.append(
            .state(
                target: target.name, VersionedBytes(version: 1, bytes: target.stateBytes)))
        for event in decision.events {
            batch.append(.event(stored(event, of: target, load: running.number)))
        }
        submit(batch)
    }
}
