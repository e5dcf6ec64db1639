import Configuration
import Events
import History
import PageLoading
import PageModel
import Reactor
import WebAddress

/// What a user may do with a target, as with a web view: loads that move its page and its list, and
/// that the change rules never see; pauses; and forgetting it.
extension Watcher {
    /// Why a wish can't be fulfilled.
    package enum Refusal: Error, Equatable, Sendable {
        /// There is no such target.
        case unknownTarget(String)
        /// The back-forward list does not reach so far.
        case noSuchItem(offset: Int)
        /// A target that is not enabled has no checks to pause.
        case notEnabled(String)
    }

    /// The target of that name.
    func target(_ name: String) throws(Refusal) -> WatchedTarget {
        guard let target = targets[name] else { throw .unknownTarget(name) }
        return target
    }

    // MARK: Loads

    /// WebKit's `load`: shows another page. A check that runs is cancelled, and not counted.
    ///
    /// - Parameter address: Nil means the configured one.
    package func load(_ address: WebAddress?, in name: String) throws(Refusal) {
        let target = try target(name)
        browse(target, .load, address ?? target.definition.url)
    }

    /// WebKit's `go(to:)`: shows the item of the list so many steps away; -1 is `goBack`.
    package func go(to offset: Int, in name: String) throws(Refusal) {
        let target = try target(name)
        guard let item = target.pageNow.backForwardList.item(at: offset),
            let address = try? WebAddress(item.url)
        else { throw .noSuchItem(offset: offset) }
        browse(target, .backForward(offset: offset), address)
    }

    /// WebKit's `reload`. A page that is the target's own is checked now, which counts as any check
    /// does; one that a user has gone to is only shown anew.
    package func reload(_ name: String) throws(Refusal) {
        let target = try target(name)
        if let place = target.place, !target.isBrowsed, target.state.pause == nil {
            schedule.hasten(place, now: BoottimeClock.now())
            armAlarm()
        } else {
            let shown = target.page.backForwardList.currentItem.flatMap { try? WebAddress($0.url) }
            browse(target, .reload, shown ?? target.definition.url)
        }
    }

    /// WebKit's `stopLoading`. A check that is stopped does not count.
    package func stopLoading(_ name: String) throws(Refusal) {
        cancelLoad(of: try target(name))
    }

    /// Calls `body` when the target's load has ended, with its result: at once, with nil, if none is
    /// under way or due; also with nil if it gives way to another one.
    package func whenLoaded(
        _ name: String, _ body: @escaping (LoadResult?) -> Void
    ) throws(Refusal) {
        let target = try target(name)
        let isDue =
            target.place.flatMap { schedule.nextDue(of: $0) }
            .map { $0 <= BoottimeClock.now() } ?? false
        if target.load != nil || isDue { target.waiters.append(body) } else { body(nil) }
    }

    private func browse(_ target: WatchedTarget, _ kind: Page.LoadKind, _ address: WebAddress) {
        tellWaiters(of: target, nil)
        let superseded = giveWay(target)
        enqueue(
            target, .browse(kind, address), host: address.authority, over: superseded)
    }

    /// Lets the load that runs or waits go for another one.
    private func giveWay(_ target: WatchedTarget) -> SupersededLoad? {
        guard let running = target.load else { return nil }
        target.load = nil
        var superseded: SupersededLoad?
        if let load = running.load {
            let phase = load.giveWay()
            superseded = SupersededLoad(number: running.number, phase: phase, page: load.page)
            target.cookies = load.cookies
            keepNumber(of: running, target)
            queue.ended(host: running.host)
        } else {
            superseded = running.superseded
        }
        endCheck(of: target, running)
        return superseded
    }

    /// Tells the schedule that a check is over that has shown nothing.
    private func endCheck(of target: WatchedTarget, _ running: RunningLoad) {
        guard case .check(let place) = running.purpose, target.place == place else { return }
        schedule.finished(
            place, next: target.state.nextCheck,
            failingLoads: target.state.failingLoads(target.settings.rules),
            now: BoottimeClock.now())
        armAlarm()
    }

    /// Cancels what a target loads or is about to load.
    func cancelLoad(of target: WatchedTarget) {
        guard let running = target.load else { return }
        if let load = running.load { return load.stopLoading() }
        target.load = nil
        if let superseded = running.superseded {
            var page = superseded.page
            page.failed(
                LoadError(
                    phase: superseded.phase, code: "cancelled", message: "the load was stopped"))
            page.drainEvents { ring.add($0, target: target.name, load: superseded.number) }
            target.page = page
        }
        endCheck(of: target, running)
        tellWaiters(of: target, nil)
        if target.isCheckDue { check(target) }
    }

    // MARK: Pauses

    /// Stops checking a target; a check that runs goes on. Pausing again sets another end.
    ///
    /// - Parameter span: For how long; nil means until it is resumed.
    package func pause(_ name: String, for span: Duration?) throws(Refusal) {
        let target = try target(name)
        guard let place = target.place else { throw .notEnabled(name) }
        let (now, time) = (BoottimeClock.now(), Self.time())
        let until = span.map {
            Timestamp(milliseconds: time.milliseconds + $0.millisecondsRoundedUp)
        }
        let pause = until.map { Pause.until($0) } ?? .untilResumed
        target.state.pause = pause
        schedule.pause(place, pause, now: now, time: time)
        let message = until.map { "until \(WallTime(milliseconds: $0.milliseconds).description)" }
        if target.load == nil { tellWaiters(of: target, nil) }
        keepPause(target, History.Pause(since: time, until: until), .paused, message)
        armAlarm()
    }

    /// Checks a paused target again, at once if it is due; nothing if it is not paused.
    package func resume(_ name: String) throws(Refusal) {
        let target = try target(name)
        guard target.state.pause != nil, let place = target.place else { return }
        schedule.resume(place, now: BoottimeClock.now())
        tellResumed(target)
        armAlarm()
    }

    /// A pause is over.
    func tellResumed(_ target: WatchedTarget) {
        guard target.state.pause != nil else { return }
        target.state.pause = nil
        keepPause(target, nil, .resumed, nil)
    }

    private func keepPause(
        _ target: WatchedTarget, _ pause: History.Pause?, _ state: ServiceEvent.State,
        _ message: String?
    ) {
        let event = ServiceEvent(state: state, version: version, message: message)
        submit(
            Batch([
                .pause(target: target.name, pause),
                .state(
                    target: target.name, VersionedBytes(version: 1, bytes: target.stateBytes)),
                .event(stored(.service(event), of: target, load: nil)),
            ]))
    }

    // MARK: Forgetting

    /// Forgets all that was ever seen of a target. One that is still defined begins anew; the
    /// numbers of its loads go on.
    package func forget(_ name: String) throws(Refusal) {
        if let stored = retired.removeValue(forKey: name) {
            return submit(Batch([.forget(target: name, lastLoad: stored.nextLoad - 1)]))
        }
        let target = try target(name)
        cancelLoad(of: target)
        let pause = target.state.pause
        target.startOver()
        target.state.pause = pause
        submit(
            Batch([
                .forget(target: name, lastLoad: target.nextLoad - 1),
                .definition(
                    target: name,
                    VersionedBytes(version: 1, bytes: target.definition.encoded())),
                .loadNumber(target: name, target.nextLoad - 1),
            ]))
    }
}
