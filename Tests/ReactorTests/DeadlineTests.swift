import Reactor
import Testing

@Suite struct `Deadlines of a loop` {
    @Test func `are told in the order of their moments, whatever the order of arming`() throws {
        let loop = try EventLoop()
        var told: [Int] = []
        let start = loop.now
        // All are past by the first turn.
        for number in [5, 1, 4, 2, 3, 0] {
            loop.arm(Deadline { told.append(number) }, at: start - .seconds(10 - number))
        }
        loop.turn()
        #expect(told == [0, 1, 2, 3, 4, 5])
    }

    @Test func `are told in order by the thousand, with some moved and some taken out`() throws {
        let loop = try EventLoop()
        let start = loop.now
        var told: [Int] = []
        var moments = (0..<1000).map { ($0 * 7919) % 1000 }
        let deadlines = (0..<1000).map { number in Deadline { told.append(moments[number]) } }
        for (deadline, moment) in zip(deadlines, moments) {
            loop.arm(deadline, at: start - .seconds(5000 - moment))
        }
        for number in stride(from: 0, to: 1000, by: 3) {
            moments[number] = 1000 + (number * 31) % 1000
            loop.arm(deadlines[number], at: start - .seconds(5000 - moments[number]))
        }
        for number in stride(from: 1, to: 1000, by: 3) { loop.disarm(deadlines[number]) }
        loop.turn()
        let left = (0..<1000).filter { $0 % 3 != 1 }.map { moments[$0] }
        #expect(told == left.sorted())
        #expect(deadlines.allSatisfy { !$0.isArmed })
    }

    @Test func `never come too soon`() throws {
        let loop = try EventLoop()
        var at: Duration?
        let due = MonotonicClock.now() + .milliseconds(12)
        loop.arm(Deadline { at = MonotonicClock.now() }, at: due)
        while at == nil { loop.turn() }
        #expect(at.map { $0 >= due } == true)
    }

    @Test func `that are limits come behind all that the turn has brought to its end`() throws {
        let loop = try EventLoop()
        var order: [String] = []
        loop.atTurnEnd { order.append("end") }
        let missed = Deadline(isLimit: true) { order.append("missed") }
        loop.arm(missed, at: loop.now)
        loop.arm(Deadline(isLimit: true) { order.append("limit") }, at: loop.now)
        loop.arm(Deadline { order.append("timer") }, at: loop.now - .seconds(1))
        loop.atTurnEnd { loop.disarm(missed) }
        loop.turn()
        #expect(order == ["timer", "end", "limit", "end"])
    }

    @Test func `that are limits wait as long again, once, when the loop was held up`() throws {
        let loop = try EventLoop()
        var at: Duration?
        let due = MonotonicClock.now() - .milliseconds(40)
        loop.arm(Deadline(isLimit: true) { at = MonotonicClock.now() }, at: due)
        loop.arm(Deadline {}, at: due)
        loop.turn()
        #expect(at == nil)
        while at == nil { loop.turn() }
        #expect(at.map { $0 >= due + .milliseconds(80) } == true)
    }

    @Test func `are silent once disarmed, which may be done twice`() throws {
        let loop = try EventLoop()
        var calls = 0
        let deadline = Deadline { calls += 1 }
        loop.arm(deadline, at: loop.now)
        #expect(deadline.isArmed)
        loop.disarm(deadline)
        loop.disarm(deadline)
        #expect(!deadline.isArmed)
        loop.arm(Deadline {}, at: loop.now)
        loop.turn()
        #expect(calls == 0)
    }

    @Test func `can be armed again by their own action`() throws {
        let loop = try EventLoop()
        var moments: [Duration] = []
        var again: Deadline?
        let deadline = Deadline {
            moments.append(loop.now)
            if let again, moments.count < 3 { loop.arm(again, at: loop.now + .milliseconds(1)) }
        }
        again = deadline
        loop.arm(deadline, at: loop.now)
        while moments.count < 3 { loop.turn() }
        again = nil
        #expect(moments == moments.sorted())
        #expect(!deadline.isArmed)
    }

    @Test(arguments: [(0, 0), (1, 1), (1_000_000, 1), (1_000_001, 2), (1_500_000_000, 1500)])
    func `are waited for in whole milliseconds, rounded up`(nanoseconds: Int64, expected: Int64) {
        #expect(Duration.nanoseconds(nanoseconds).millisecondsRoundedUp == expected)
    }
}
