import PageModel
import Testing

@testable import Watching

/// What keeps a target from being loaded on its beat.
@Suite struct `A target on hold` {
    @Test func `pauses and resumes`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(60), lastStart: .seconds(990))
        player.schedule.pause(id, .untilResumed, now: player.now, time: player.time)
        #expect(player.schedule.nextDue == nil)
        player.run(until: .seconds(2000))
        #expect(player.starts[id] == nil)
        player.schedule.resume(id, now: player.now)
        player.run(until: .seconds(2000))
        #expect(player.starts[id] == [.seconds(2000)])
        #expect(player.gaps.isEmpty)
        // Not overdue: it waits for its time.
        player.schedule.pause(id, .untilResumed, now: player.now, time: player.time)
        player.schedule.resume(id, now: player.now)
        player.run(until: .seconds(2010))
        #expect(player.starts[id]?.count == 1)
    }

    @Test func `ends a pause by itself`() {
        var player = SchedulePlayer()
        let end = Pause.until(SchedulePlayer.time(player.wallOffset + .seconds(1500)))
        let id = player.add("a", interval: .seconds(60), lastStart: .seconds(990), pause: end)
        #expect(player.schedule.nextDue == .seconds(1500))
        #expect(
            player.schedule.popDue(now: .seconds(1500), time: player.time) == .resumed(id))
        player.run(until: .seconds(1500))
        #expect(player.starts[id] == [.seconds(1500)])
    }

    @Test func `lets a load that is under way end in a pause`() {
        var player = SchedulePlayer()
        let id = player.add("a", interval: .seconds(60))
        player.durations[id] = .seconds(10)
        player.run(until: player.now)
        let end = Pause.until(SchedulePlayer.time(player.wallOffset + .seconds(1005)))
        player.schedule.pause(id, end, now: player.now, time: player.time)
        // The pause ends before the load does: it is not loaded twice at once.
        player.run(until: .seconds(1009))
        #expect(player.starts[id]?.count == 1)
        player.run(until: .seconds(1100))
        #expect(player.starts[id]?.count ?? 0 >= 2)
        player.schedule.pause(id, .untilResumed, now: player.now, time: player.time)
        let count = player.starts[id]?.count
        player.run(until: .seconds(3000))
        #expect(player.starts[id]?.count == count)
    }

    @Test func `holds a host after 429 and a target after 503`() {
        var player = SchedulePlayer()
        let timing = Timing(interval: .seconds(10))
        let ids = player.add(
            ["a", "b", "c"].map {
                .init(name: $0, host: $0 == "c" ? "other" : "same", timing: timing)
            })
        player.run(until: .seconds(1001))
        player.schedule.hold(ids[0], status: 429, wait: .seconds(100), now: player.now)
        #expect(player.schedule.held(ids[1], now: player.now) == .seconds(1101))
        #expect(player.schedule.held(ids[2], now: player.now) == nil)
        player.run(until: .seconds(1100))
        #expect(player.starts[ids[0]]?.count == 1 && player.starts[ids[1]]?.count == 1)
        #expect(player.starts[ids[2]]?.count ?? 0 >= 10)
        player.run(until: .seconds(1125))
        #expect(player.starts[ids[0]]?.count ?? 0 >= 2 && player.starts[ids[1]]?.count ?? 0 >= 2)
        #expect(player.schedule.held(ids[0], now: player.now) == nil)
        player.schedule.hold(ids[0], status: 503, wait: .seconds(50), now: player.now)
        #expect(player.schedule.held(ids[0], now: player.now) == .seconds(1175))
        #expect(player.schedule.held(ids[1], now: player.now) == nil)
        player.schedule.hold(ids[2], status: 500, wait: .seconds(50), now: player.now)
        #expect(player.schedule.held(ids[2], now: player.now) == nil)
        #expect(player.gaps.isEmpty)
    }

    @Test func `never holds for longer than an hour or the interval`() {
        var player = SchedulePlayer()
        let often = player.add("often", interval: .seconds(10))
        let daily = player.add("daily", interval: .seconds(86400))
        for id in [often, daily] {
            player.schedule.hold(
                id, status: 503, wait: .seconds(1 << 40), now: player.now)
        }
        #expect(player.schedule.held(often, now: player.now) == player.now + .seconds(3600))
        #expect(player.schedule.held(daily, now: player.now) == player.now + .seconds(86400))
    }

    @Test func `misses nothing by a hold, however its load began`() {
        for interval in [10, 300, 7200] {
            var player = SchedulePlayer()
            let id = player.add("a", interval: .seconds(interval))
            for wait in [1, 30, 400, 3000] {
                player.schedule.hold(id, status: 503, wait: .seconds(wait), now: player.now)
                player.run(until: player.now + .seconds(interval * 3 + wait))
                player.schedule.pause(id, .untilResumed, now: player.now, time: player.time)
                player.schedule.hold(id, status: 429, wait: .seconds(wait), now: player.now)
                player.schedule.resume(id, now: player.now)
                let resumed = player.now
                player.run(until: player.now + .seconds(interval * 3 + wait))
                let starts = (player.starts[id] ?? []).filter { $0 >= resumed }
                #expect(starts.first ?? .zero >= resumed + .seconds(wait))
                #expect(starts.count >= 2)
            }
            #expect(player.gaps.isEmpty)
        }
    }
}
