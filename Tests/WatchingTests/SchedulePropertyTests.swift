import PageModel
import Testing

@testable import Watching

/// Whatever is done to a schedule, in any order.
@Suite struct `Any use of the schedule` {
    /// A schedule, and what a test believes about its targets.
    private struct Play {
        enum Belief { case waiting, running, paused, runningPaused }

        var schedule = Schedule()
        var random: SeededGenerator
        var now = Duration.seconds(10_000)
        var beliefs: [Schedule.ID: Belief] = [:]
        var loads = 0

        var time: Timestamp {
            Timestamp(milliseconds: 1_800_000_000_000 + now.components.seconds * 1000)
        }

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        mutating func step() {
            let ids = beliefs.keys.sorted { ($0.index, $0.generation) < ($1.index, $1.generation) }
            guard let id = ids.randomElement(using: &random), number(0..<20) > 0 else {
                return add()
            }
            switch number(0..<12) {
            case 0 where ids.count > 5:
                schedule.remove(id)
                beliefs[id] = nil
            case 1: pause(id)
            case 2, 3:
                schedule.resume(id, now: now)
                if beliefs[id] == .paused { beliefs[id] = .waiting }
                if beliefs[id] == .runningPaused { beliefs[id] = .running }
            case 4:
                schedule.hold(
                    id, status: number(0..<2) == 0 ? 429 : 503, wait: .seconds(number(0..<500)),
                    now: now)
            case 5: schedule.hasten(id, now: now)
            case 6: schedule.change(id, host: "h\(number(0..<4))", timing: timing(), now: now)
            case 7: now += .milliseconds(number(0..<20_000))
            case 8 where number(0..<10) == 0:
                now += .seconds(number(0..<20_000))
                _ = schedule.catchUp(.asleep, now: now, time: time)
            default: finish()
            }
            handOut()
        }

        private mutating func timing() -> Timing {
            Timing(
                interval: .seconds(number(1..<100)), confirmInterval: .seconds(number(0..<50)),
                backoffMax: number(0..<2) == 0 ? .seconds(number(1..<1000)) : nil)
        }

        private mutating func add() {
            let start = number(0..<2) == 0 ? Int64(number(-100..<5000)) * 1000 : nil
            let newcomer = Schedule.Newcomer(
                name: "t\(number(0..<1000))", host: "h\(number(0..<4))", timing: timing(),
                lastStart: start.map { Timestamp(milliseconds: time.milliseconds - $0) },
                check: [.regular, .confirm, .retry][number(0..<3)])
            for id in schedule.add([newcomer], now: now, time: time).ids {
                #expect(beliefs[id] == nil)
                beliefs[id] = .waiting
            }
        }

        private mutating func pause(_ id: Schedule.ID) {
            let end = Timestamp(milliseconds: time.milliseconds + Int64(number(0..<50_000)))
            schedule.pause(
                id, number(0..<2) == 0 ? .untilResumed : .until(end), now: now, time: time)
            let isRunning = beliefs[id] == .running || beliefs[id] == .runningPaused
            beliefs[id] = isRunning ? .runningPaused : .paused
        }

        private mutating func finish() {
            for (id, belief) in beliefs.sorted(by: { $0.key.index < $1.key.index })
            where belief == .running || belief == .runningPaused {
                guard number(0..<3) > 0 else { continue }
                schedule.finished(
                    id, next: [.regular, .confirm, .retry][number(0..<3)],
                    failingLoads: number(0..<5), now: now)
                beliefs[id] = belief == .running ? .waiting : .paused
            }
        }

        private mutating func handOut() {
            while let due = schedule.popDue(now: now, time: time) {
                switch due {
                case .load(let id, _, let gap):
                    #expect(beliefs[id] == .waiting)
                    beliefs[id] = .running
                    loads += 1
                    if case .gap(let since, let until, _, _) = gap { #expect(since < until) }
                case .resumed(let id):
                    #expect(beliefs[id] == .paused || beliefs[id] == .runningPaused)
                    beliefs[id] = beliefs[id] == .paused ? .waiting : .running
                }
            }
        }

        /// No target is forgotten, and none waits for longer than it may.
        func check() {
            #expect(schedule.count == beliefs.count)
            for (id, belief) in beliefs where belief == .waiting {
                let due = schedule.nextDue(of: id)
                #expect(due != nil)
                // The longest interval or backoff is 1000 s, a hold at most 500 s, and a minute of
                // spreading.
                #expect(due ?? .zero <= now + .seconds(1600))
            }
            for (id, belief) in beliefs where belief == .running {
                #expect(schedule.nextDue(of: id) == nil)
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `loses no target, and hands none out twice`(seed: UInt64) {
        var play = Play(seed: seed)
        for _ in 0..<1500 {
            play.step()
            play.check()
        }
        #expect(play.loads > 50)
    }

    @Test func `goes the same way for the same uses`() {
        var one = Play(seed: 99)
        var other = Play(seed: 99)
        for _ in 0..<2000 {
            one.step()
            other.step()
            #expect(one.schedule.nextDue == other.schedule.nextDue)
        }
        #expect(one.beliefs == other.beliefs)
    }
}
