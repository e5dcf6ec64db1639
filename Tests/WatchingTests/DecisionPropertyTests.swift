import Configuration
import PageModel
import Patterns
import Testing

@testable import Watching

/// What holds for any sequence of loads.
@Suite struct `Any sequence of loads` {
    /// A load at random: mostly a few titles, some failures, edits and encodings.
    private struct Weather {
        var random: SeededGenerator
        var url = 0
        var minute: Int64 = 0
        let titles: [String?]

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            let all: [String?] = ["A", "B", "(1) C", "(2) C", "", nil, "e\u{301}", "\u{e9}"]
            titles = Array(all.shuffled(using: &random).prefix(1 + Int(seed % 6)))
        }

        mutating func load(rules: Rules) -> Observation {
            minute += 1
            if chance(1, in: 60) { url += 1 }
            let title = titles.randomElement(using: &random) ?? nil
            let side = OwnSide(url: "https://\(url).example/", rules: rules, readerVersion: 1)
            var load = Observation(
                time: Timestamp(milliseconds: minute * 60_000),
                initialURL: "https://\(url).example/", title: title, status: 200,
                encoding: chance(1, in: 20) ? "windows-1252" : "UTF-8",
                titleBytes: TitleBytes(Array((title ?? "").utf8.prefix(1))),
                isChallenged: chance(1, in: 40), ownSide: side, isOffline: chance(1, in: 25))
            if chance(1, in: 8) { load.status = 500 }
            if chance(1, in: 8) {
                load.error = LoadError(phase: .connect, code: "refused", message: "")
                load.status = nil
            }
            if chance(1, in: 20) { load.isBodyEmpty = true }
            return load
        }

        mutating func chance(_ part: Int, in whole: Int) -> Bool {
            Int.random(in: 0..<whole, using: &random) < part
        }
    }

    private static func play(
        seed: UInt64, count: Int = 300, rules: Rules,
        _ see: (Observation, TargetState, Decision) -> Void
    ) {
        var weather = Weather(seed: seed)
        var state = TargetState()
        for _ in 0..<count {
            let load = weather.load(rules: rules)
            let decision = ChangeRule.decide(load, rules: rules, state: state)
            see(load, state, decision)
            state = decision.state
        }
    }

    private static func rules(_ seed: UInt64) throws -> Rules {
        Rules(
            confirm: Int(seed % 3) + 1, failures: Int(seed / 3 % 3) + 1,
            ignore: seed % 2 == 0 ? [try Pattern(IgnoreRule.preset(.counter).source)] : [])
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `tells each change from the title that was told before`(seed: UInt64) throws {
        var told: [DurableEvent] = []
        Self.play(seed: seed, rules: try Self.rules(seed)) { told += $2.events }
        #expect(chainFault(told) == nil)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `tells failing and recovered in turn`(seed: UInt64) throws {
        var isFailing = false
        Self.play(seed: seed, rules: try Self.rules(seed)) { load, _, decision in
            for event in decision.events {
                switch event {
                case .failing:
                    #expect(!isFailing)
                    isFailing = true
                case .recovered:
                    #expect(isFailing)
                    isFailing = false
                default: break
                }
            }
            #expect(decision.state.isFailing == isFailing)
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `tells nothing of a title after a load that failed`(seed: UInt64) throws {
        Self.play(seed: seed, rules: try Self.rules(seed)) { load, _, decision in
            guard case .failed = decision.verdict else { return }
            for event in decision.events {
                guard case .failing = event else {
                    Issue.record("\(event)")
                    continue
                }
                #expect(!load.isOffline)
            }
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `tells no title that was not shown by as many loads as asked`(seed: UInt64) throws {
        let rules = try Self.rules(seed)
        var shown: [String?] = []
        Self.play(seed: seed, rules: rules) { load, before, decision in
            if before.ownSide.map({ $0 != load.ownSide }) ?? false { shown = [] }
            guard case .good(let title) = decision.verdict else { return }
            shown.append(title)
            for event in decision.events {
                switch event {
                case .firstSeen(let to, _, _), .rebased(_, let to, _),
                    .encodingChanged(let to, _, _):
                    #expect(isSame(to, title))
                case .titleChanged(let change): #expect(isSame(change.to, title))
                default: continue
                }
                var comparison = TitleComparison(rules)
                let last = shown.suffix(rules.confirm)
                #expect(last.count == rules.confirm)
                #expect(last.allSatisfy { comparison.isSame($0, title) })
            }
        }
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `gives the same events again, also over restarts`(seed: UInt64) throws {
        let rules = try Self.rules(seed)
        var once: [DurableEvent] = []
        Self.play(seed: seed, rules: rules) { once += $2.events }
        var weather = Weather(seed: seed)
        var stored = TargetState().encoded()
        var again: [DurableEvent] = []
        for _ in 0..<300 {
            let decision = ChangeRule.decide(
                weather.load(rules: rules), rules: rules, state: try TargetState(decoding: stored))
            again += decision.events
            stored = decision.state.encoded()
        }
        #expect(once == again)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `keeps a state of bounded size`(seed: UInt64) throws {
        Self.play(seed: seed, count: 1000, rules: try Self.rules(seed)) { _, _, decision in
            let state = decision.state
            #expect(state.switches.count <= 3)
            #expect(state.oscillation?.count ?? 0 <= 4)
            #expect(state.unconfirmedTitles.count <= 4)
        }
    }

    @Test func `that is always the same tells its first title alone`() {
        var told: [DurableEvent] = []
        var state = TargetState()
        let side = OwnSide(url: "u", rules: Rules(), readerVersion: 1)
        for minute in 0..<1000 {
            let load = Observation(
                time: Timestamp(milliseconds: Int64(minute)), initialURL: "u", title: "A",
                status: 200, ownSide: side)
            let decision = ChangeRule.decide(load, rules: Rules(), state: state)
            told += decision.events
            state = decision.state
        }
        #expect(told == [.firstSeen(title: "A", url: "u", previous: nil)])
    }
}
