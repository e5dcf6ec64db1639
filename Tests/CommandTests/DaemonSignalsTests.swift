import Glibc
import LoopbackSite
import Reactor
import TestSupport
import Testing

@testable import pagewatch

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Signals of the daemon` {
    let run: DaemonRun

    init() throws { run = try DaemonRun() }

    @Test(arguments: [[SIGTERM], [SIGINT], [SIGINT, SIGTERM, SIGINT]])
    func `end it within two seconds, with its loads`(signals: [CInt]) async throws {
        let site = try await LoopbackSite.playing(
            "serve /silent\nsilence\n"
                + "serve /drip\nhead 200 text/html\nrepeat forever\ntext .\npause 20ms\nend\n"
                + "serve /a\nhead 200 text/html\ntext <title>A</title>")
        let daemon = try run.start(
            """
            \(run.log("[durable, isLoading]"))
            defaults: {interval: 1s, confirm: 1}
            targets:
              silent: {url: "\(site.url("/silent"))"}
              drip: {url: "\(site.url("/drip"))"}
              lookup: {url: "http://host.invalid/"}
              a: {url: "\(site.url("/a"))"}
            """)
        try await site.waitForRequest("/silent")
        try await site.waitForRequest("/drip")
        try await site.waitForRequest("/a", number: 2)
        let began = MonotonicClock.now()
        for signal in signals { daemon.send(signal: signal) }
        let outcome = await daemon.outcome()
        #expect(MonotonicClock.now() - began < .seconds(2))
        #expect(outcome.ending == .exited(0))
        #expect(outcome.outputLines.last?.hasSuffix("(service): stopping") == true)
        // What ran was cancelled, not left: each load that began has ended.
        let loading = try run.lines().filter { value("event", of: $0) == "\"isLoading\"" }
        for target in ["silent", "drip", "a"] {
            let states = loading.filter { value("target", of: $0) == "\"\(target)\"" }
                .compactMap { value("isLoading", of: $0) }
            #expect(states.last == "false", "\(target)")
        }
        await site.stop()
    }

    @Test(arguments: [SIGHUP, SIGUSR1, SIGPIPE])
    func `that are for the log do not end it`(signal: CInt) async throws {
        let site = try await LoopbackSite.playing("serve /a\nhead 200 text/html\ntext x")
        let daemon = try run.start(
            "defaults: {interval: 1s}\ntargets: {a: {url: \"\(site.url("/a"))\"}}")
        try await site.waitForRequest("/a")
        daemon.send(signal: signal)
        try await site.waitForRequest("/a", number: 3)
        #expect(await daemon.end().ending == .exited(0))
        await site.stop()
    }

    @Test func `are not needed while nothing is due: it sleeps`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /a\nhead 200 text/html\ntext <title>A</title>")
        let daemon = try run.start(
            "defaults: {interval: 1h, confirm: 1}\ntargets: {a: {url: \"\(site.url("/a"))\"}}",
            terminal: Program.Terminal(streams: [0, 2]))
        try await daemon.line(with: "first seen")
        let before = try wakeUps(daemon.processID)
        // What is measured is this second, in which nothing must happen.
        try await Task.sleep(for: .seconds(1))
        #expect(try wakeUps(daemon.processID) - before <= 2)
        _ = await daemon.end()
        await site.stop()
    }

    /// How often the loop's thread has waited.
    private func wakeUps(_ process: pid_t) throws -> Int {
        let status = try TextFile.read("/proc/\(process)/task/\(process)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
        return try #require(line?.split(separator: "\t").last.flatMap { Int($0) })
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The limit of descriptors` {
    let run: DaemonRun

    init() throws { run = try DaemonRun() }

    @Test func `is raised as far as it goes`() async throws {
        let daemon = try run.start("", prefix: "ulimit -Sn 40")
        try await daemon.line(with: "started")
        let limits = try TextFile.read("/proc/\(daemon.processID)/limits")
        let line = try #require(
            limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers[0] == numbers[1] && numbers[0] > 40)
        #expect(await daemon.end().exitCode == 0)
    }

    @Test func `lowers the concurrency where it is too small, and that is told`() async throws {
        let daemon = try run.start("", prefix: "ulimit -n 256")
        try await daemon.line(
            with: "(service): concurrency is 48, not 256: only 256 files may be open")
        #expect(await daemon.end().exitCode == 0)
    }

    @Test func `leaves one load at least`() {
        #expect(DescriptorLimit.loads(within: 1 << 20) >= 256)
        #expect(DescriptorLimit.loads(within: 100) == 9)
        #expect(DescriptorLimit.loads(within: 10) == 1)
    }
}
