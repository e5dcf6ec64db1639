import PageModel
import Testing

@testable import Watching

@Suite struct `The judge of being offline` {
    /// A judge and a clock.
    struct Court {
        var judge = OfflineJudge(version: "1.0")
        var now = Duration.seconds(5000)
        var targets = 12

        static func time(_ now: Duration) -> Timestamp {
            Timestamp(milliseconds: now.components.seconds * 1000)
        }

        mutating func load(
            _ host: String, _ attempt: OfflineJudge.Attempt
        ) -> OfflineJudge.Verdict? {
            defer { now += .seconds(1) }
            return judge.record(
                attempt, host: host, now: now, time: Self.time(now), targets: targets)
        }
    }

    @Test func `says offline when more than half of five hosts fail before an answer`() {
        var court = Court()
        for host in ["a", "b"] { #expect(court.load(host, .answered) == nil) }
        for host in ["c", "d"] { #expect(court.load(host, .failedBeforeFirstByte) == nil) }
        #expect(!court.judge.isOffline)
        let verdict = court.load("e", .failedBeforeFirstByte)
        #expect(court.judge.isOffline)
        #expect(verdict?.since == Court.time(.seconds(5002)))
        guard case .service(let event) = verdict?.events.first else {
            Issue.record("\(String(describing: verdict))")
            return
        }
        #expect(event.state == .offline && event.version == "1.0")
        #expect(event.message?.hasPrefix("3 of 5 hosts did not answer") ?? false)
        #expect(court.load("f", .failedBeforeFirstByte) == nil)
    }

    @Test func `is online again though some hosts are down for ever`() {
        var court = Court()
        for host in ["a", "b", "c", "d", "e"] { _ = court.load(host, .failedBeforeFirstByte) }
        #expect(court.judge.isOffline)
        // Dead ones fail fastest, so they were tried first; they never answer.
        for number in 0..<5 { #expect(court.load("good-\(number)", .answered) == nil) }
        #expect(court.load("a", .failedBeforeFirstByte) == nil)
        let verdict = court.load("good-5", .answered)
        #expect(!court.judge.isOffline)
        #expect(verdict?.events.count == 2)
    }

    @Test func `stays offline while one host in its own house answers`() {
        var court = Court()
        for number in 0..<20 { _ = court.load("h\(number)", .failedBeforeFirstByte) }
        #expect(court.judge.isOffline)
        for number in 0..<40 {
            #expect(court.load("printer", .answered) == nil)
            // The others are tried too rarely to stand in a minute.
            court.now += .seconds(30)
            #expect(court.load("h\(number % 20)", .failedBeforeFirstByte) == nil)
        }
        #expect(court.judge.isOffline)
    }

    @Test func `does not wait for hosts that no target is on any more`() {
        var court = Court()
        for host in ["a", "b", "c", "d", "e"] { _ = court.load(host, .failedBeforeFirstByte) }
        court.judge.keep(["f", "g"])
        #expect(court.judge.isOffline)
        #expect(court.load("f", .answered) != nil)
        #expect(!court.judge.isOffline)
    }

    @Test func `counts a host whose first try still runs as one that has not failed`() {
        var court = Court()
        var underWay = ["f", "g", "h", "i", "j"]
        func fails(_ host: String) -> Bool {
            court.now += .milliseconds(10)
            let verdict = court.judge.record(
                .failedBeforeFirstByte, host: host, now: court.now, time: Court.time(court.now),
                targets: 10, underWay: { underWay })
            return verdict != nil
        }
        for host in ["a", "b", "c", "d", "e"] { #expect(!fails(host)) }
        // Known ones are not counted twice while they are tried again.
        underWay = ["a", "b", "c", "d", "e", "f"]
        #expect(fails("g"))
    }

    @Test func `ends its gap with the service`() {
        var court = Court()
        #expect(court.judge.end(Court.time(court.now), targets: 5) == nil)
        for host in ["a", "b", "c", "d", "e"] { _ = court.load(host, .failedBeforeFirstByte) }
        let until = Court.time(court.now)
        #expect(
            court.judge.end(until, targets: 5)
                == .gap(
                    since: Court.time(.seconds(5000)), until: until, reason: .offline, targets: 5))
        #expect(!court.judge.isOffline)
    }

    @Test func `says nothing of four hosts, or of half`() {
        var four = Court()
        for host in ["a", "b", "c", "d"] {
            #expect(four.load(host, .failedBeforeFirstByte) == nil)
        }
        var half = Court()
        for host in ["a", "b", "c"] { #expect(half.load(host, .answered) == nil) }
        for host in ["d", "e", "f"] { #expect(half.load(host, .failedBeforeFirstByte) == nil) }
        #expect(!four.judge.isOffline && !half.judge.isOffline)
    }

    @Test func `counts a host once, by its last load`() {
        var court = Court()
        for _ in 0..<20 { #expect(court.load("a", .failedBeforeFirstByte) == nil) }
        for host in ["b", "c", "d", "e"] { #expect(court.load(host, .answered) == nil) }
        #expect(court.load("b", .failedBeforeFirstByte) == nil)
        #expect(court.load("a", .answered) == nil)
        #expect(court.load("c", .failedBeforeFirstByte) == nil)
        #expect(court.load("d", .failedBeforeFirstByte) != nil)
    }

    @Test func `forgets what is more than a minute ago`() {
        var court = Court()
        for host in ["a", "b", "c", "d"] { _ = court.load(host, .failedBeforeFirstByte) }
        court.now += .seconds(60)
        #expect(court.load("e", .failedBeforeFirstByte) == nil)
        #expect(!court.judge.isOffline)
    }

    @Test func `says online when a host that had failed answers, with one gap`() {
        var court = Court()
        for host in ["a", "b", "c", "d", "e"] { _ = court.load(host, .failedBeforeFirstByte) }
        court.now += .seconds(600)
        // A host at home that never was cut off proves nothing.
        #expect(court.load("router", .answered) == nil)
        #expect(court.judge.isOffline)
        let verdict = court.load("a", .answered)
        #expect(!court.judge.isOffline)
        #expect(
            verdict?.events == [
                .service(ServiceEvent(state: .online, version: "1.0")),
                .gap(
                    since: Court.time(.seconds(5000)), until: Court.time(.seconds(5606)),
                    reason: .offline, targets: 12),
            ])
    }

    @Test func `stays offline while most still fail`() {
        var court = Court()
        let hosts = ["a", "b", "c", "d", "e"]
        for host in hosts { _ = court.load(host, .failedBeforeFirstByte) }
        #expect(court.load("a", .answered) == nil)
        #expect(court.load("b", .answered) == nil)
        #expect(court.judge.isOffline)
        #expect(court.load("c", .answered)?.events.count == 2)
    }

    @Test func `says that it is the clock when most certificates are not valid yet`() {
        var court = Court()
        for host in ["a", "b", "c", "d"] { _ = court.load(host, .notYetValid) }
        guard case .service(let event) = court.load("e", .answered)?.events.first else {
            Issue.record("not offline")
            return
        }
        #expect(event.state == .offline)
        #expect(event.message?.contains("clock is wrong") ?? false)
    }

    @Test func `reads an attempt from a load's error`() {
        func attempt(_ phase: LoadError.Phase, _ code: String) -> OfflineJudge.Attempt {
            OfflineJudge.Attempt(LoadError(phase: phase, code: code, message: ""))
        }
        #expect(OfflineJudge.Attempt(nil) == .answered)
        #expect(attempt(.resolve, "failed") == .failedBeforeFirstByte)
        #expect(attempt(.connect, "refused") == .failedBeforeFirstByte)
        #expect(attempt(.tls, "untrusted") == .failedBeforeFirstByte)
        #expect(attempt(.tls, "certificateNotYetValid") == .notYetValid)
        #expect(attempt(.firstByte, "timedOut") == .failedBeforeFirstByte)
        #expect(attempt(.firstByte, "notHTTP") == .answered)
        #expect(attempt(.body, "bodyCutShort") == .answered)
        #expect(attempt(.content, "badStatus") == .answered)
    }

    @Test func `does not grow with the number of loads`() {
        var court = Court()
        for number in 0..<100_000 {
            _ = court.load(
                "h\(number % 3000)", number % 3 == 0 ? .failedBeforeFirstByte : .answered)
        }
        #expect(court.judge.size < 4000)
    }
}
