import CLinux
import Configuration
import Fetching
import History
import PageLoading
import PageModel
import Reactor
import WebAddress

/// A load from its start to what is concluded from it.
extension Watcher {
    func start(_ target: WatchedTarget, _ place: Schedule.ID) {
        guard let number = target.load?.number, !isStopping else { return }
        schedule.begun(place, now: BoottimeClock.now())
        let started = Self.time()
        target.state.lastStart = started
        let validators = target.state.validators(
            for: target.settings.ownSide(of: target.definition))
        let load = PageLoad(
            target.definition.url, page: target.page, initialURL: target.definition.url.text,
            options: target.settings.load, loop: loop, pool: pool,
            conditions: Self.conditions(validators),
            onEvent: { [unowned self, unowned target] event in
                audience.changed(event, target: target.name, load: number)
            },
            onEnd: { [unowned self, unowned target] result in
                ended(target, place, result)
            })
        target.load = RunningLoad(
            number: number, load: load, started: started, sentValidators: validators)
        load.cookies = target.cookies
        load.start(.reload)
    }

    private func ended(_ target: WatchedTarget, _ place: Schedule.ID, _ result: LoadResult) {
        guard let running = target.load, let load = running.load else { return }
        target.page = load.page
        target.cookies = load.cookies
        target.load = nil
        defer {
            queue.ended(host: target.host)
            giveBackMemory()
        }
        if isStopping { return keepNumber(of: running, target) }
        holdBack(target, place, load)
        decide(target, place, running, load, result)
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

    /// A load that the end of the service cut off is no failure of the page's.
    private func keepNumber(of running: RunningLoad, _ target: WatchedTarget) {
        submit(Batch([.loadNumber(target: target.name, running.number)]))
    }

    private func decide(
        _ target: WatchedTarget, _ place: Schedule.ID, _ running: RunningLoad,
        _ load: PageLoad, _ result: LoadResult
    ) {
        let time = Self.time()
        judgeConnection(target, result.error, time: time)
        let observation = Observation(
            result, time: time, isPage: load.isPage, isBodyEmpty: result.bytes == 0,
            titleBytes: load.titleBytes.map { TitleBytes($0) },
            isChallenged: load.head?.isChallenge ?? false, sentValidators: running.sentValidators,
            validators: Validators(
                entityTag: load.head?.entityTag, lastModified: load.head?.lastModified),
            ownSide: target.settings.ownSide(of: target.definition), isOffline: judge.isOffline)
        let decision = ChangeRule.decide(
            observation, rules: target.settings.rules, state: target.state)
        target.state = decision.state
        target.explanation = decision.explanation
        keep(target, running, result, decision, time: time)
        schedule.finished(
            place, next: decision.nextCheck,
            failingLoads: decision.state.failingLoads(target.settings.rules),
            now: BoottimeClock.now())
        armAlarm()
    }

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
            let wait = RetryAfter.wait(value, time: Self.time())
        else { return }
        schedule.hold(place, status: head.status, wait: wait, now: BoottimeClock.now())
    }

    private func judgeConnection(_ target: WatchedTarget, _ error: LoadError?, time: Timestamp) {
        let verdict = judge.record(
            OfflineJudge.Attempt(error), host: target.definition.url.host, now: BoottimeClock.now(),
            time: time,
            targets: targets.count)
        guard let verdict else { return }
        for event in verdict.events { tell(event, of: nil, load: nil) }
        for target in targets.values { target.state.forgetFailures(since: verdict.since) }
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
        batch.append(
            error == nil
                ? .lastGood(target: target.name, record) : .lastFailed(target: target.name, record))
        batch.append(
            .state(
                target: target.name, VersionedBytes(version: 1, bytes: target.stateBytes)))
        for event in decision.events {
            batch.append(.event(stored(event, of: target, load: running.number)))
        }
        submit(batch)
    }
}
