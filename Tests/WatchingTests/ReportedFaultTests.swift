import PageModel
import Testing

@testable import Watching

/// Faults that users of comparable programs reported, as behaviour here; the number of each stands
/// beside it.
@Suite struct `A fault known from other watchers` {
    /// Plays loads as in `Decisions`.
    private static func expect(_ text: String, _ place: SourceLocation = #_sourceLocation) throws {
        for restartsAlways in [false, true] {
            let sequences = try DecisionSequence.read("sequence fault\n" + text, file: "fault")
            #expect(sequences.count == 1, sourceLocation: place)
            for sequence in sequences {
                var player = SequencePlayer(restartsAlways: restartsAlways)
                try player.play(sequence)
                #expect(
                    player.faults.isEmpty, "\(player.faults.joined(separator: "\n"))",
                    sourceLocation: place)
            }
        }
    }

    // thp/urlwatch#22
    @Test func `two back ends with different pages are told once, not as change and reversal`()
        throws
    {
        try Self.expect(
            """
            rules confirm=1
            load "A" => firstSeen "A"
            load "B" => titleChanged "A" -> "B"
            load "A" => titleChanged "B" -> "A"
            load "B" => titleChanged "A" -> "B"
            load "A" => oscillating "A" "B"
            load "B"
            load "A"
            load "B"
            load "A"
            """)
    }

    // mborsetti/webchanges#43
    @Test func `an old title that comes back by turns does not alternate for ever`() {
        var told: [DurableEvent] = []
        var state = TargetState()
        let rules = Rules(confirm: 1)
        let side = OwnSide(url: "u", rules: rules, readerVersion: 1)
        for minute in 0..<1000 {
            let load = Observation(
                time: Timestamp(milliseconds: Int64(minute)), initialURL: "u",
                title: minute % 2 == 0 ? "A" : "B", status: 200, ownSide: side)
            let decision = ChangeRule.decide(load, rules: rules, state: state)
            told += decision.events
            state = decision.state
        }
        #expect(told.count == 5)
        #expect(told.last == .oscillating(titles: ["A", "B"]))
    }

    // thp/urlwatch#286, #191
    @Test func `a page that stays 404 is told once, and once when it is back`() throws {
        try Self.expect(
            """
            load "A" x2 => firstSeen "A"
            load status=404 "Not found" x3 => failing content:badStatus
            load status=404 "Not found" x97
            load "A" => recovered content:badStatus
            """)
    }

    // mborsetti/webchanges#104
    @Test func `an error without a body deletes no title`() throws {
        try Self.expect(
            """
            load "A" x2 => firstSeen "A"
            load status=500 none empty x2
            load "A" => good
            """)
    }

    // thp/urlwatch#242
    @Test func `a failure does not make the next load a first one`() throws {
        try Self.expect(
            """
            rules confirm=1
            load "A" => firstSeen "A"
            load fails=body:connectionReset
            load "A" => good
            """)
    }

    // dgtlmoon/changedetection.io#962, #1179, #3971
    @Test func `a page that is empty now and then, or a block page, is no change`() throws {
        try Self.expect(
            """
            rules confirm=1 failures=2
            load "A" => firstSeen "A"
            load none empty => failed content:emptyBody
            load "A"
            load "Just a moment..." challenged => failed content:challenged
            load "A"
            """)
    }

    // louislam/uptime-kuma#5742, #3266
    @Test func `a recovery that comes by way of a doubtful load is told`() throws {
        try Self.expect(
            """
            load "A" x2 => firstSeen "A"
            load fails=connect:refused x3 => failing connect:refused
            load "Server busy" status=503 => failed content:badStatus
            load "B" => recovered connect:refused; next confirm
            """)
    }

    // naemon/naemon-core PR #452
    @Test func `new rules do not leave a target silent that was oscillating`() throws {
        try Self.expect(
            """
            rules confirm=1
            load "(1) A" => firstSeen "(1) A"
            load "(2) A" => titleChanged "(1) A" -> "(2) A"
            load "(1) A" => titleChanged "(2) A" -> "(1) A"
            load "(2) A" => titleChanged "(1) A" -> "(2) A"
            load "(1) A" => oscillating "(1) A" "(2) A"
            rules confirm=1 ignore=@counter
            load "(1) A" x9
            load "(2) A" => settled "(2) A"
            load "B" => titleChanged "(2) A" -> "B"
            """)
    }

    // louislam/uptime-kuma#3870
    @Test(arguments: [-3600, 3600, -86400 * 365 * 60, 86400 * 365 * 60])
    func `setting the clock neither starts nor stops loads`(step: Int) {
        func starts(step: Int) -> [Duration] {
            var player = SchedulePlayer()
            let id = player.add("a", interval: .seconds(60))
            player.run(until: .seconds(1300))
            player.wallOffset += .seconds(step)
            player.run(until: .seconds(2000))
            return player.starts[id] ?? []
        }
        #expect(starts(step: step) == starts(step: 0))
    }

    // louislam/uptime-kuma#3870
    @Test func `a clock set back before a restart puts a load off by one interval at most`() {
        var player = SchedulePlayer()
        let id = player.add(
            "a", interval: .seconds(60), lastStart: player.now + .seconds(86400 * 30))
        #expect(player.schedule.nextDue(of: id) == player.now + .seconds(60))
    }

    // vivekchand/clawmetry PR #5840
    @Test func `waking from sleep makes no burst of loads`() {
        var player = SchedulePlayer()
        let timing = Timing(interval: .seconds(60))
        _ = player.add((0..<500).map { .init(name: "t\($0)", host: "h", timing: timing) })
        player.run(until: .seconds(1200))
        player.now += .seconds(8 * 3600)
        let woken = player.now
        let gap = player.schedule.catchUp(.asleep, now: woken, time: player.time)
        #expect(gap != nil)
        player.run(until: woken + .seconds(60))
        let starts = player.starts.values.flatMap { $0 }.filter { $0 >= woken }
        for second in 0..<60 {
            let from = woken + .seconds(second)
            #expect(starts.filter { $0 >= from && $0 < from + .seconds(1) }.count <= 40)
        }
        #expect(player.gaps.isEmpty)
    }

    // elastic/beats#23189, #12360
    @Test func `a time-out above the interval does not stretch the schedule further`() {
        var player = SchedulePlayer()
        let silent = player.add("silent", interval: .seconds(60))
        let well = player.add("well", interval: .seconds(60))
        player.durations[silent] = .seconds(90)
        player.run(until: .seconds(1000 + 3600))
        // Every second start is missed, and not one more.
        #expect(player.spans(silent).dropFirst().allSatisfy { $0 < .seconds(127) })
        #expect(player.spans(well).allSatisfy { $0 < .seconds(67) })
    }

    // dgtlmoon/changedetection.io#2355
    @Test(arguments: [1, 60, 300, 3600])
    func `the jitter is a tenth of the interval at most`(seconds: Int) {
        var player = SchedulePlayer()
        let ids = (0..<20).map { player.add("t\($0)", interval: .seconds(seconds)) }
        player.run(until: player.now + .seconds(seconds * 50))
        let most = Duration.seconds(seconds) * 1.1
        for id in ids { #expect(player.spans(id).allSatisfy { $0 <= most }) }
    }

    // upptime/upptime#470
    @Test func `a load that runs into the next one is waited for, and told`() {
        var player = SchedulePlayer()
        let id = player.add("slow", interval: .seconds(2))
        player.durations[id] = .seconds(3)
        player.run(until: .seconds(1060))
        #expect(player.spans(id).dropFirst().allSatisfy { $0 >= .seconds(3) })
        #expect(!player.gaps.isEmpty)
        #expect(player.gaps.count < (player.starts[id]?.count ?? 0))
    }

    // louislam/uptime-kuma#3371, #5614, #1697
    @Test func `a resolver that fails for a while is no wave of failures`() {
        var judge = OfflineJudge(version: "1")
        var states = (0..<50).map { _ in TargetState() }
        let rules = Rules(confirm: 1, failures: 2)
        let side = OwnSide(url: "u", rules: rules, readerVersion: 1)
        var told: [DurableEvent] = []
        let error = LoadError(phase: .resolve, code: "failed", message: "")
        for second in 0..<90 {
            let now = Duration.seconds(second)
            let time = Timestamp(milliseconds: Int64(second) * 1000)
            let isDown = (20..<60).contains(second)
            for number in 0..<5 {
                let target = (second * 5 + number) % 50
                let verdict = judge.record(
                    OfflineJudge.Attempt(isDown ? error : nil), host: "h\(target)", now: now,
                    time: time, targets: 50)
                if let verdict {
                    for index in states.indices {
                        states[index].forgetFailures(since: verdict.since)
                    }
                    told += verdict.events
                }
                let load = Observation(
                    time: time, initialURL: "u", title: isDown ? nil : "A",
                    status: isDown ? nil : 200, error: isDown ? error : nil, ownSide: side,
                    isOffline: judge.isOffline)
                let decision = ChangeRule.decide(load, rules: rules, state: states[target])
                states[target] = decision.state
                told += decision.events
            }
        }
        #expect(
            !told.contains {
                if case .failing = $0 { true } else { false }
            })
        let service = told.compactMap { event -> ServiceEvent.State? in
            if case .service(let event) = event { event.state } else { nil }
        }
        #expect(service == [.offline, .online])
    }

    // thp/urlwatch#375
    @Test func `a target that was removed and is added again is new`() throws {
        try Self.expect(
            """
            load "A" x2 => firstSeen "A"
            back
            load "A" x2 => firstSeen "A" previous="A"
            """)
    }
}
