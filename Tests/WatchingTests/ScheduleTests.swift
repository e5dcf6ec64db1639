import PageModel
import Testing

@testable import Watching

@Suite struct `The schedule` {
    static let minute = Duration.seconds(60)

    @Test func `loads a new target at once`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: Self.minute)
        #expect(player.schedule.nextDue == player.now)
        player.run(until: player.now)
        #expect(player.starts[id] == [player.now])
    }

    @Test(arguments: [1, 10, 300, 86400])
    func `paces new targets, all within their interval and a minute`(seconds: Int) {
        var player = SchedulePlayer()
        let start = player.now
        let timing = Timing(interval: .seconds(seconds))
        let ids = player.add(
            (0..<2000).map { .init(name: "t\($0)", host: "h\($0)", timing: timing) })
        player.run(until: start + .seconds(min(seconds, 60)))
        let firsts = ids.compactMap { player.starts[$0]?.first }.sorted()
        #expect(firsts.count == 2000)
        // No burst: in no tenth of the span more than a tenth of the targets, and a few.
        let tenth = Duration.milliseconds(min(seconds, 60) * 100)
        for part in 0..<10 {
            let from = start + tenth * part
            #expect(firsts.filter { $0 >= from && $0 < from + tenth }.count <= 250)
        }
    }

    @Test func `spreads later loads over the interval, the same way for the same names`() {
        let names = (0..<1000).map { "target-\($0)" }
        func seconds(_ names: [String]) -> [String: Duration] {
            var player = SchedulePlayer()
            let timing = Timing(interval: .seconds(600))
            let ids = player.add(names.map { .init(name: $0, host: $0, timing: timing) })
            player.run(until: player.now + .seconds(720))
            return Dictionary(
                uniqueKeysWithValues: zip(names, ids.map { (player.starts[$0] ?? [])[1] }))
        }
        let once = seconds(names)
        #expect(once == seconds(names))
        #expect(once == seconds(names.reversed()))
        let times = once.values.sorted()
        // 450 s are left of the interval: in each minute not much more than its share.
        for minute in 0..<11 {
            let from = Duration.seconds(1000 + minute * 60)
            #expect(times.filter { $0 >= from && $0 < from + Self.minute }.count < 200)
        }
    }

    @Test(arguments: [1, 5, 60, 300])
    func `keeps the interval between starts, however long a load takes`(seconds: Int) {
        var player = SchedulePlayer()
        let id = player.add("steady", interval: .seconds(seconds))
        player.durations[id] = .milliseconds(seconds * 990)
        player.run(until: player.now + .seconds(seconds * 200))
        let spans = player.spans(id).dropFirst()
        let interval = Duration.seconds(seconds)
        #expect(spans.count >= 196)
        #expect(spans.allSatisfy { $0 >= interval * 0.9 && $0 <= interval * 1.1 })
        #expect(player.gaps.isEmpty)
        // It does not drift.
        let total = spans.reduce(.zero, +)
        #expect(abs((total - interval * spans.count) / interval) < 0.11)
    }

    @Test func `does not keep targets together that came together`() {
        var player = SchedulePlayer()
        let ids = (0..<10).map {
            player.add("t\($0)", interval: .seconds(300), lastStart: .seconds(900))
        }
        player.run(until: .seconds(1500 + 30))
        let seconds = ids.compactMap { player.starts[$0] }.map { $0[1] }
        #expect(Set(seconds).count == 10)
        #expect(seconds.allSatisfy { $0 >= .seconds(1500) && $0 <= .seconds(1530) })
    }

    @Test func `tells no gap for what is hardly late`() {
        var player = SchedulePlayer()
        let late = player.add("late", interval: .seconds(300), lastStart: .seconds(671))
        #expect(player.gaps.isEmpty)
        player.run(until: .seconds(1000))
        #expect(player.starts[late] == [.seconds(1000)])
        _ = player.add("later", interval: .seconds(300), lastStart: .seconds(669))
        #expect(player.gaps.count == 1)
    }

    @Test func `never puts off a load by more than a tenth of the interval`() {
        for index in 0..<500 {
            var target = ScheduledTarget(
                name: "n\(index)", host: "h", timing: Timing(interval: .seconds(10)),
                generation: 0)
            target.index = UInt32(index)
            #expect(target.jitter >= 0 && target.jitter <= Nanoseconds.second)
        }
    }

    @Test func `takes up a stored target where it was`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(300), lastStart: .seconds(900))
        #expect(player.schedule.nextDue(of: id) == .seconds(1200))
        player.run(until: .seconds(1600))
        #expect(player.starts[id]?.first == .seconds(1200))
        #expect(player.gaps.isEmpty)
    }

    @Test func `spreads what is overdue after a stop, with one gap for the service`() {
        var player = SchedulePlayer()
        let timing = Timing(interval: .seconds(300))
        let newcomers = (0..<100).map { index in
            Schedule.Newcomer(
                name: "t\(index)", host: "h\(index)", timing: timing,
                lastStart: SchedulePlayer.time(
                    player.wallOffset + .seconds(index < 60 ? 100 + index : 950)))
        }
        let ids = player.add(newcomers)
        #expect(
            player.gaps == [
                .gap(
                    since: SchedulePlayer.time(player.wallOffset + .seconds(400)),
                    until: player.time, reason: .stopped, targets: 60)
            ])
        player.run(until: .seconds(1060))
        #expect(ids.prefix(60).allSatisfy { player.starts[$0]?.count == 1 })
        #expect(ids.suffix(40).allSatisfy { player.starts[$0] == nil })
        let firsts = Set(ids.prefix(60).compactMap { player.starts[$0]?.first })
        #expect(firsts.count == 60)
    }

    @Test func `goes on confirming after a restart`() {
        var player = SchedulePlayer()
        let id = player.add(
            "a", interval: .seconds(300), lastStart: .seconds(990), check: .confirm)
        #expect(player.schedule.nextDue(of: id) == .seconds(1020))
        player.run(until: .seconds(1020))
        #expect(player.checks == [.confirm])
    }

    @Test func `confirms and tries again between regular loads, without moving them`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(300), lastStart: .seconds(700))
        player.next[id] = .confirm
        player.run(until: .seconds(1000))
        player.run(until: .seconds(1030))
        #expect(player.starts[id] == [.seconds(1000), .seconds(1030)])
        player.next[id] = .retry
        player.run(until: .seconds(1060))
        player.next[id] = .regular
        player.run(until: .seconds(1200))
        #expect(player.checks == [.regular, .confirm, .retry])
        #expect(player.starts[id]?.last == .seconds(1090))
        player.run(until: .seconds(1330))
        let last = player.starts[id]?.last ?? .zero
        #expect(last >= .seconds(1300) && last <= .seconds(1330))
    }

    @Test func `looks again no later than the interval`() {
        let timing = Timing(interval: .seconds(5))
        #expect(timing.confirmInterval == .seconds(5) && timing.retryInterval == .seconds(5))
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(5), lastStart: .seconds(995))
        player.next[id] = .confirm
        player.run(until: .seconds(1100))
        #expect(
            player.spans(id).allSatisfy { $0 >= .seconds(4.5) && $0 <= .seconds(5.5) },
            "\(player.spans(id))")
    }

    @Test func `never loads a target while it loads, and tells one gap for what it missed`() {
        var player = SchedulePlayer()
        let id = player.add("slow", interval: .seconds(10), lastStart: .seconds(990))
        player.durations[id] = .seconds(35)
        player.run(until: .seconds(1042))
        #expect(player.starts[id]?.count == 2)
        #expect(player.spans(id)[0] >= .seconds(40) && player.spans(id)[0] <= .seconds(41))
        let started = player.starts[id]?[1] ?? .zero
        #expect(
            player.gaps == [
                .gap(
                    since: SchedulePlayer.time(player.wallOffset + .seconds(1010)),
                    until: SchedulePlayer.time(player.wallOffset + started), reason: .overrun,
                    targets: nil)
            ])
    }

    @Test func `says overloaded when the load had not left the queue`() {
        var player = SchedulePlayer()
        let id = player.add("queued", interval: .seconds(10), lastStart: .seconds(990))
        _ = player.schedule.popDue(now: .seconds(1000), time: player.time)
        player.schedule.begun(id, now: .seconds(1015))
        player.schedule.finished(id, next: .regular, now: .seconds(1016))
        player.run(until: .seconds(1030))
        guard case .gap(_, _, .overloaded, nil) = player.gaps.first else {
            Issue.record("\(player.gaps)")
            return
        }
        #expect(player.gaps.count == 1)
    }

    @Test func `loads each target once after the machine slept`() {
        var player = SchedulePlayer()
        let timing = Timing(interval: .seconds(60))
        let ids = player.add(
            (0..<200).map { .init(name: "t\($0)", host: "h", timing: timing) })
        player.run(until: .seconds(1200))
        let before = ids.map { player.starts[$0]?.count ?? 0 }
        var detector = SleepDetector(boottime: player.now, monotonic: .seconds(5))
        player.now += .seconds(8 * 3600)
        #expect(
            detector.slept(boottime: player.now, monotonic: .seconds(5)) == .seconds(8 * 3600))
        #expect(detector.slept(boottime: player.now + .seconds(1), monotonic: .seconds(6)) == nil)
        let gap = player.schedule.catchUp(.asleep, now: player.now, time: player.time)
        guard case .gap(let since, let until, .asleep, 200) = gap else {
            Issue.record("\(String(describing: gap))")
            return
        }
        #expect(until == player.time && since < until)
        let woken = player.now
        player.run(until: woken + .milliseconds(100))
        #expect(player.starts.values.flatMap { $0 }.filter { $0 >= woken }.count < 5)
        player.run(until: woken + .seconds(15))
        let after = ids.map { player.starts[$0]?.count ?? 0 }
        #expect(zip(before, after).allSatisfy { $1 - $0 >= 1 && $1 - $0 <= 2 })
        player.run(until: woken + .seconds(60))
        #expect(player.gaps.isEmpty)
    }

    @Test func `does not count sleep against a load that ran through it`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(60), lastStart: .seconds(940))
        player.durations[id] = .seconds(3601)
        player.run(until: .seconds(1000))
        player.now = .seconds(4600)
        let gap = player.schedule.catchUp(.asleep, now: player.now, time: player.time)
        guard case .gap(_, _, .asleep, 1) = gap else {
            Issue.record("\(String(describing: gap))")
            return
        }
        player.durations = [:]
        player.run(until: .seconds(4800))
        #expect(player.gaps.isEmpty)
        #expect(player.starts[id]?.count ?? 0 >= 3)
    }

    @Test func `doubles the interval of a failing target only if backoff_max allows`() {
        var player = SchedulePlayer()
        let plain = player.add("plain", interval: .seconds(60), lastStart: .seconds(940))
        let patient = player.add(
            "patient", interval: .seconds(60), lastStart: .seconds(940),
            backoffMax: .seconds(300))
        for failing in 1...6 {
            player.failingLoads = [plain: failing, patient: failing]
            player.run(until: player.now + .seconds(300))
        }
        #expect(player.spans(plain).allSatisfy { $0 <= .seconds(66) })
        #expect(player.spans(patient).contains { $0 >= .seconds(290) })
        #expect(player.spans(patient).allSatisfy { $0 <= .seconds(306) })
        player.failingLoads = [:]
        player.run(until: player.now + .seconds(800))
        #expect(player.spans(patient).suffix(2).allSatisfy { $0 <= .seconds(66) })
        #expect(player.gaps.isEmpty)
    }

    @Test func `forgets a target that is removed, also while it loads`() {
        var player = SchedulePlayer()
        let first = player.add("a", interval: .seconds(10))
        player.run(until: player.now)
        player.schedule.remove(first)
        let second = player.add("b", interval: .seconds(10))
        #expect(first.index == second.index && first != second)
        // The end of the old one's load does not touch the new one.
        player.run(until: player.now + .seconds(100))
        #expect(player.starts[first]?.count == 1)
        #expect(player.starts[second]?.count ?? 0 >= 9)
        #expect(player.schedule.count == 1)
    }

    @Test func `follows another interval from the last start on`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(3600), lastStart: .seconds(990))
        player.schedule.change(
            id, host: "a:80", timing: Timing(interval: .seconds(60)), now: player.now)
        #expect(player.schedule.nextDue(of: id) == .seconds(1050))
        player.schedule.change(
            id, host: "a:80", timing: Timing(interval: .seconds(1)), now: player.now)
        #expect(player.schedule.nextDue(of: id) == player.now)
    }

    @Test func `follows another interval when a pause is over`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(3600), lastStart: .seconds(990))
        player.schedule.pause(id, .untilResumed, now: player.now, time: player.time)
        player.schedule.change(
            id, host: "a:80", timing: Timing(interval: .seconds(60)), now: player.now)
        player.schedule.resume(id, now: player.now)
        #expect(player.schedule.nextDue(of: id) == .seconds(1050))
    }

    @Test(arguments: [true, false])
    func `keeps a server's wish for the page that it was about`(isMoved: Bool) {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(60), lastStart: .seconds(990))
        player.schedule.hold(id, status: 503, wait: .seconds(3000), now: player.now)
        player.schedule.change(
            id, host: "b:80", timing: Timing(interval: .seconds(60)), isMoved: isMoved,
            now: player.now)
        #expect((player.schedule.held(id, now: player.now) == nil) == isMoved)
    }

    @Test func `loads at once when a user wishes for it, whatever its host asked for`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(60), lastStart: .seconds(990))
        player.schedule.hold(id, status: 429, wait: .seconds(3000), now: player.now)
        player.schedule.hasten(id, now: player.now)
        player.run(until: player.now)
        #expect(player.starts[id] == [player.now])
        // Only that load.
        player.run(until: player.now + .seconds(2000))
        #expect(player.starts[id]?.count == 1)
    }

    @Test func `misses no start by a first load that takes half the interval`() {
        for number in 0..<50 {
            var player = SchedulePlayer()
            let id = player.add("t\(number)", interval: .seconds(6))
            player.durations[id] = .seconds(3)
            player.run(until: player.now + .seconds(60))
            #expect(player.gaps.isEmpty, "t\(number)")
            #expect(player.starts[id]?.count ?? 0 >= 9)
        }
    }

    @Test func `loads at once when asked to`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(3600), lastStart: .seconds(990))
        player.schedule.hasten(id, now: player.now)
        player.run(until: player.now)
        #expect(player.starts[id] == [player.now])
        player.run(until: .seconds(4600))
        #expect(player.starts[id]?.count == 1 || (player.starts[id]?[1] ?? .zero) >= .seconds(4590))
    }

    @Test func `holds 100,000 targets in little memory and time`() {
        #expect(Schedule.recordSize <= 256)
        #expect(MemoryLayout<TargetState>.stride <= 1024)
        var player = SchedulePlayer()
        let timing = Timing(interval: .seconds(300))
        let started = ContinuousClock.now
        _ = player.add(
            (0..<100_000).map { .init(name: "t\($0)", host: "h\($0)", timing: timing) })
        var count = 0
        while let due = player.schedule.popDue(now: .seconds(1060), time: player.time) {
            guard case .load(let id, _, _) = due else { continue }
            player.schedule.finished(id, next: .regular, now: .seconds(1060))
            count += 1
        }
        #expect(count >= 100_000)
        // Some 0.3 s in a debug build; more shows an order of growth that is wrong.
        #expect(ContinuousClock.now - started < .seconds(30))
    }

    @Test func `hands out in the order of their times, whatever happens to them`() {
        var heap = DueHeap()
        var random = SeededGenerator(seed: 7)
        var due: [Int: Nanoseconds] = [:]
        for _ in 0..<20_000 {
            let target = Int.random(in: 0..<200, using: &random)
            if Bool.random(using: &random) {
                let moment = Nanoseconds.random(in: 0..<1000, using: &random)
                due[target] = moment
                heap.set(target, due: moment)
            } else {
                due[target] = nil
                heap.remove(target)
            }
            #expect(heap.first?.due == due.values.min())
        }
        #expect(heap.count == due.count)
    }
}
