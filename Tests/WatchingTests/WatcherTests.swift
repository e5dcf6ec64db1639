import Configuration
import Events
import Fetching
import History
import LoopbackSite
import PageLoading
import PageModel
import Reactor
import TestSupport
import Testing
import WebAddress

@testable import Watching

/// A watcher of one target on a loop of its own, with a real store. Stays on one thread.
private final class Stage: WatcherAudience {
    let loop: EventLoop
    let pool: TransferPool
    private(set) var told: [EventLine] = []
    private(set) var watcher: Watcher?
    private var isLate = false

    init(_ url: String, state: String, settings: TargetSettings) throws {
        loop = try EventLoop()
        pool = try TransferPool(loop: loop, connections: 4)
        let mailbox = try Mailbox<Watcher.StoreMessage>()
        let opening = try HistoryStore.open(
            StateFolder(state), version: "1",
            listener: HistoryStore.Listener(
                committed: { mailbox.post(.committed($0)) },
                trouble: { mailbox.post(.trouble($0)) }, gaveBack: { mailbox.post(.gaveBack) }))
        var configuration = Configuration()
        configuration.targets = [
            TargetDefinition(name: "a", url: try WebAddress(url), settings: settings)
        ]
        watcher = try Watcher(
            loop: loop, pool: pool, opening: opening, mailbox: mailbox,
            configuration: configuration, version: "1", audience: self)
    }

    func tell(_ line: EventLine) { told.append(line) }
    func mention(_ line: String, _ priority: Priority) {}

    var target: WatchedTarget? { watcher?.targets["a"] }

    /// Turns until something holds; false if it does not within half a minute.
    func turn(until holds: () -> Bool) -> Bool {
        let deadline = Deadline { [unowned self] in isLate = true }
        loop.arm(deadline, at: MonotonicClock.now() + .seconds(30))
        while !holds(), !isLate { loop.turn() }
        loop.disarm(deadline)
        return holds()
    }

    func end() {
        _ = watcher?.stop()
        watcher = nil
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A watcher` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var hourly: TargetSettings {
        var settings = TargetSettings()
        settings.interval = .seconds(3600)
        settings.confirm = 1
        return settings
    }

    @Test func `lets go of each load when it has ended`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [], text: "serve /a\nhead 200 text/html\ntext <title>A</title>",
            alsoIPv6: false)
        let (url, state, settings) = (site.url("/a"), folder.file("state"), hourly)
        try await OwnThread.run {
            let stage = try Stage(url, state: state, settings: settings)
            weak var load: PageLoad?
            #expect(
                stage.turn {
                    if let running = stage.target?.load?.load { load = running }
                    return stage.target?.state.title != nil
                })
            // Its page stays, and nothing else of it.
            #expect(stage.target?.load == nil)
            #expect(load == nil)
            #expect(stage.target?.page.title == "A")
            try stage.watcher?.load(nil, in: "a")
            load = stage.target?.load?.load
            #expect(load != nil)
            #expect(stage.turn { stage.target?.load == nil })
            #expect(load == nil)
            stage.end()
        }
        await site.stop()
    }

    @Test func `lets go of a load that gives way to another one`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [],
            text: "serve /a\ngate never\nhead 200 text/html\n"
                + "serve /b\nhead 200 text/html\ntext <title>B</title>",
            alsoIPv6: false)
        let (url, state, settings) = (site.url("/a"), folder.file("state"), hourly)
        let other = try WebAddress(site.url("/b"))
        try await OwnThread.run {
            let stage = try Stage(url, state: state, settings: settings)
            weak var check: PageLoad?
            #expect(
                stage.turn {
                    check = stage.target?.load?.load
                    return check != nil
                })
            try stage.watcher?.load(other, in: "a")
            #expect(check == nil)
            #expect(stage.turn { stage.target?.load == nil })
            #expect(stage.target?.page.title == "B")
            // The check did not count, and comes when it is due next.
            #expect(stage.target?.state.failedLoads == 0)
            #expect(stage.watcher?.view(of: "a")?.nextCheck != nil)
            let steps = stage.told.compactMap { line -> String? in
                guard case .page(.navigation(let step)) = line.event else { return nil }
                return "\(line.load ?? 0) \(step.word)"
            }
            #expect(steps == ["1 started", "1 failed", "2 started", "2 committed", "2 finished"])
            stage.end()
        }
        await site.stop()
    }
}

extension NavigationEvent {
    fileprivate var word: String {
        switch self {
        case .started: "started"
        case .redirected: "redirected"
        case .committed: "committed"
        case .finished: "finished"
        case .failed: "failed"
        }
    }
}
