import Glibc
import PageModel
import Testing
import TestSupport

@testable import History

private func run(_ title: String?, _ first: Int64, _ last: Int64) -> TitleRun {
    TitleRun(title: title, first: at(first), last: at(last), count: 2, isTold: true)
}

private func event(_ event: DurableEvent, _ time: Int64, target: String? = "blog") -> StoredEvent {
    StoredEvent(seq: time, time: at(time), target: target, load: nil, event: event)
}

@Suite struct `History at a time` {
    private let titles = [run("A", 10, 20), run("B", 30, 40)]
    private let events = [
        event(.firstSeen(title: "A", url: "u", previous: nil), 12),
        event(
            .titleChanged(
                TitleChange(
                    from: "A", to: "B", url: "u", initialURL: "u", lastSeen: at(20),
                    firstShown: at(30), fromURL: nil)), 35),
    ]

    private func moment(_ time: Int64, _ more: [StoredEvent] = []) -> Moment {
        Moment(at(time), titles: titles, events: events, serviceEvents: more)
    }

    @Test func `has the confirmed title, from the load that first showed it`() {
        #expect(moment(5).told == nil)
        #expect(moment(12).told == SeenTitle(title: "A", time: at(12)))
        #expect(moment(29).told == SeenTitle(title: "A", time: at(12)))
        // Confirmed only at 35, but there since 30.
        #expect(moment(31).told == SeenTitle(title: "B", time: at(30)))
    }

    @Test func `has the loads before and after, and what they showed`() {
        let before = moment(5)
        #expect(before.shown == nil)
        #expect(before.loadBefore == nil)
        #expect(before.loadAfter == at(10))
        #expect(before.next == titles[0])
        let within = moment(15)
        #expect(within.shown == titles[0])
        #expect(within.loadBefore == at(10))
        #expect(within.loadAfter == at(20))
        let between = moment(25)
        #expect(between.loadBefore == at(20))
        #expect(between.loadAfter == at(30))
        #expect(between.next == titles[1])
        let after = moment(50)
        #expect(after.shown == titles[1])
        #expect(after.loadBefore == at(40))
        #expect(after.loadAfter == nil)
    }

    @Test func `tells whether the watcher was watching`() {
        let gap = event(
            .gap(since: at(22), until: at(27), reason: .stopped, targets: 3), 28, target: nil)
        #expect(moment(25).watching == .yes)
        #expect(moment(5).watching == .unknown)
        #expect(moment(50).watching == .unknown)
        #expect(
            moment(25, [gap]).watching == .no(since: at(22), until: at(27), reason: .stopped))
        #expect(moment(27, [gap]).watching == .yes)
        #expect(moment(21, [gap]).watching == .yes)
    }

    @Test func `is read from a store, also one of a folder that can't be written`() throws {
        let store = try Store()
        _ = try store.write(
            Batch([
                .observation(target: "blog", observation("A", load: 1, ended: 10)),
                .observation(target: "blog", observation("A", load: 2, ended: 20)),
                .event(event(.firstSeen(title: "A", url: "u", previous: nil), 20)),
            ]))
        chmod(store.folder.path, 0o500)
        defer { chmod(store.folder.path, 0o700) }
        let reader = try store.reader()
        let moment = try #require(try reader.moment(at(25), of: "blog"))
        #expect(moment.told == SeenTitle(title: "A", time: at(20)))
        #expect(moment.loadBefore == at(20))
        #expect(try reader.moment(at(25), of: "none") == nil)
    }

    @Test func `looks for a store where the environment says, else where it is by custom`() {
        func candidates(_ named: String?, _ environment: [String: String]) -> [String] {
            StateFolder.candidates(named: named) { environment[$0] }.map(\.path)
        }
        let all = ["PAGEWATCH_STATE": "/p/", "STATE_DIRECTORY": "/s:/t", "HOME": "/h"]
        #expect(candidates("/n//", all) == ["/n"])
        #expect(candidates(nil, all) == ["/p"])
        #expect(candidates(nil, ["STATE_DIRECTORY": "/s:/t"]) == ["/s"])
        #expect(
            candidates(nil, ["HOME": "/h"])
                == ["/var/lib/pagewatch", "/h/.local/state/pagewatch"])
        #expect(
            candidates(nil, ["XDG_STATE_HOME": "/x", "HOME": "/h"])
                == ["/var/lib/pagewatch", "/x/pagewatch"])
    }
}
