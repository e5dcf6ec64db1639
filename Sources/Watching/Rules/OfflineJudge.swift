import PageModel

/// Tells when it is the watcher that is cut off, not the pages.
///
/// Offline when more than half of the hosts that were tried in the last minute, and at least five,
/// failed before an answer's first byte; a host whose first try still runs has not failed. Online
/// again when that is no longer so, and one of the hosts that failed has answered since or more hosts
/// have answered since than fail: some are down for ever. When more than half of the hosts have certificates that are "not
/// yet valid", it is the machine's clock that is wrong.
///
/// Input: every load's end. Output: service events, and whether failures count (``isOffline``).
package struct OfflineJudge {
    /// How far back a try counts.
    static let window = Duration.seconds(60)
    /// Fewer hosts say nothing about the watcher's own connection.
    static let fewestHosts = 5

    /// How a load went as far as the connection is concerned.
    package enum Attempt: Equatable, Sendable {
        /// There was an answer, be it an error.
        case answered
        case failedBeforeFirstByte
        /// The certificate is not valid yet.
        case notYetValid

        /// - Parameter error: The load's; nil if it finished.
        package init(_ error: LoadError?) {
            switch (error?.phase, error?.code) {
            case (.tls, "certificateNotYetValid"): self = .notYetValid
            // Bytes came, if not those of an answer.
            case (.firstByte, "notHTTP"), (.firstByte, "tooLarge"): self = .answered
            case (.resolve, _), (.connect, _), (.tls, _), (.firstByte, _):
                self = .failedBeforeFirstByte
            default: self = .answered
            }
        }
    }

    /// What a change of mind means: the event to tell, and for `online` the gap that ended.
    package struct Verdict: Equatable, Sendable {
        package var events: [DurableEvent]
        /// When the loads began that failed for the watcher's own sake: failures counted since then
        /// are to be taken back (``TargetState/forgetFailures(since:)``).
        package var since: Timestamp
    }

    private struct Host {
        var attempt: Attempt
        var at: Nanoseconds
        var time: Timestamp
    }

    private struct Spell {
        var since: Timestamp
        /// Hosts that failed when it began, or in their last try since.
        var failed: Set<UInt64>
        /// Hosts whose last try since it began was answered.
        var answered: Set<UInt64> = []
        var hasOneAnswered = false

        mutating func add(_ host: UInt64, isAnswered: Bool) {
            if isAnswered {
                if failed.remove(host) != nil { hasOneAnswered = true }
                answered.insert(host)
            } else {
                failed.insert(host)
                answered.remove(host)
            }
        }
    }

    private let version: String
    /// By their names' hashes: there may be as many as targets.
    private var hosts: [UInt64: Host] = [:]
    /// Tries in the order of their times, to forget the oldest; some are no host's last.
    private var tries: [(host: UInt64, at: Nanoseconds)] = []
    private var firstTry = 0
    private var failedHosts = 0
    private var notYetValidHosts = 0
    private var spell: Spell?

    /// - Parameter version: The program's, for the service's events.
    package init(version: String) { self.version = version }

    /// How much it remembers, for tests.
    var size: Int { max(tries.count, hosts.count) }

    /// Whether failures do not count for now.
    package var isOffline: Bool { spell != nil }

    /// Takes in how a load went, before ``ChangeRule`` decides about it.
    ///
    /// - Parameters:
    ///   - host: The host of the first hop that failed, or of the last one: its name or address.
    ///   - now: On the clock of the schedule.
    ///   - time: The same moment for telling.
    ///   - targets: How many targets the service watches, for the gap.
    ///   - underWay: The hosts that are being tried; asked for only when it matters.
    /// - Returns: What to tell, if this load changes the mind.
    package mutating func record(
        _ attempt: Attempt, host: String, now: Duration, time: Timestamp, targets: Int,
        underWay: () -> [String] = { [] }
    ) -> Verdict? {
        let (now, host) = (Nanoseconds(now), StableHash.of(host))
        forget(before: now - Nanoseconds(Self.window))
        replace(host, by: Host(attempt: attempt, at: now, time: time))
        if spell == nil { return wentOffline(time, underWay) }
        spell?.add(host, isAnswered: attempt == .answered)
        return cameOnline(time, targets: targets)
    }

    /// Forgets hosts that no target is on any more: whether they answer is not tried.
    package mutating func keep(_ wanted: [String]) {
        let wanted = Set(wanted.map { StableHash.of($0) })
        spell?.failed.formIntersection(wanted)
        spell?.answered.formIntersection(wanted)
        for (name, host) in hosts where !wanted.contains(name) {
            hosts[name] = nil
            count(host.attempt, -1)
        }
    }

    /// The gap of a spell that the end of the service cuts off; nil if it is online.
    package mutating func end(_ time: Timestamp, targets: Int) -> DurableEvent? {
        guard let spell else { return nil }
        self.spell = nil
        return .gap(
            since: spell.since, until: max(time, spell.since), reason: .offline, targets: targets)
    }

    private var isMostFailing: Bool { failedHosts * 2 > hosts.count }

    private mutating func wentOffline(_ time: Timestamp, _ underWay: () -> [String]) -> Verdict? {
        guard hosts.count >= Self.fewestHosts, isMostFailing else { return nil }
        let others = Set(underWay().map { StableHash.of($0) }).count { hosts[$0] == nil }
        guard failedHosts * 2 > hosts.count + others else { return nil }
        let failed = hosts.filter { $0.value.attempt != .answered }
        let since = failed.values.map(\.time).min() ?? time
        spell = Spell(since: since, failed: Set(failed.keys))
        let isClock = notYetValidHosts * 2 > hosts.count
        let counts = "\(failedHosts) of \(hosts.count) hosts"
        let message =
            isClock
            ? "certificates of \(notYetValidHosts) of \(hosts.count) hosts are not valid yet: "
                + "this machine's clock is wrong"
            : "\(counts) did not answer within a minute: failures do not count until online"
        return Verdict(
            events: [
                .service(ServiceEvent(state: .offline, version: version, message: message))
            ], since: since)
    }

    private mutating func cameOnline(_ time: Timestamp, targets: Int) -> Verdict? {
        guard let spell, !isMostFailing,
            spell.hasOneAnswered || spell.answered.count > spell.failed.count
        else { return nil }
        self.spell = nil
        // A clock that was set back would make the gap end before it began.
        let until = max(time, spell.since)
        return Verdict(
            events: [
                .service(ServiceEvent(state: .online, version: version)),
                .gap(since: spell.since, until: until, reason: .offline, targets: targets),
            ], since: spell.since)
    }

    private mutating func replace(_ name: UInt64, by host: Host) {
        if let old = hosts.updateValue(host, forKey: name) { count(old.attempt, -1) }
        count(host.attempt, 1)
        tries.append((name, host.at))
    }

    private mutating func count(_ attempt: Attempt, _ change: Int) {
        if attempt != .answered { failedHosts += change }
        if attempt == .notYetValid { notYetValidHosts += change }
    }

    private mutating func forget(before moment: Nanoseconds) {
        while firstTry < tries.count, tries[firstTry].at < moment {
            let old = tries[firstTry]
            firstTry += 1
            guard let host = hosts[old.host], host.at == old.at else { continue }
            hosts[old.host] = nil
            count(host.attempt, -1)
        }
        // Removing from the front moves all that is behind: do it rarely.
        guard firstTry > 1000, firstTry * 2 > tries.count else { return }
        tries.removeFirst(firstTry)
        firstTry = 0
    }
}
