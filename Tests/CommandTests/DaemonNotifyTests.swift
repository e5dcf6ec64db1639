import Events
import Glibc
import LoopbackSite
import PageModel
import Reactor
import Systemd
import TestSupport
import Testing

@testable import pagewatch

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The service, for whoever started it,` {
    /// What it says, without the signs of life.
    private final class Listener {
        let receiver: DatagramReceiver
        private(set) var told: [String] = []
        private(set) var lives = 0

        init() throws { receiver = try DatagramReceiver() }

        func listen() {
            while let text = receiver.nextText() {
                if text == "WATCHDOG=1" { lives += 1 } else { told.append(text) }
            }
        }
    }

    private func start(
        _ configuration: String, _ run: DaemonRun, _ listener: Listener,
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        let notify = ["NOTIFY_SOCKET": listener.receiver.place]
        return try run.start(configuration, environment: notify.merging(environment) { $1 })
    }

    @Test func `is ready once it can be asked, tells what it does, and when it ends`() async throws
    {
        let (run, listener) = (try DaemonRun(), try Listener())
        let daemon = try start("targets: {}\n", run, listener)
        try await eventually("READY") {
            listener.listen()
            return listener.told.last == "READY=1"
        }
        #expect(
            listener.told == [
                "STATUS=reading the configuration", "STATUS=opening the history",
                "STATUS=0 targets, 0 loading, 0 failing; no change yet", "READY=1",
            ])
        #expect(access(run.folder.file("control.sock"), F_OK) == 0)
        try run.folder.write("nonsense: 1\n", to: "pagewatch.yaml")
        daemon.send(signal: SIGHUP)
        try await eventually("READY again") {
            listener.listen()
            return listener.told.count >= 7
        }
        let reloading = try #require(listener.told[4].split(separator: "\n").last)
        #expect(listener.told[4].hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        let microseconds = try #require(Int64(reloading.dropFirst("MONOTONIC_USEC=".count)))
        let age = MonotonicClock.now() - .microseconds(microseconds)
        #expect(age > .zero && age < .seconds(60))
        #expect(
            listener.told[5].hasPrefix(
                "STATUS=not in force: \(run.folder.path)/pagewatch.yaml:1:1: "))
        #expect(listener.told[6] == "READY=1")
        #expect(listener.told[5].hasSuffix("; 0 targets, 0 loading, 0 failing; no change yet"))
        let outcome = await daemon.end()
        listener.listen()
        #expect(outcome.exitCode == 0)
        #expect(listener.told.last == "STOPPING=1\nSTATUS=writing the history")
        // Nobody asked for signs of life.
        #expect(listener.lives == 0)
    }

    @Test func `is ready though it has no room for that at first`() async throws {
        let (run, listener) = (try DaemonRun(), try Listener())
        let filler = try #require(NotifySocket { _ in listener.receiver.place })
        while filler.tell(.watchdog) {}
        let daemon = try start("targets: {}\n", run, listener)
        // By then it has tried to say so, and waits no longer.
        try await eventually("the service") {
            access(run.folder.file("control.sock"), F_OK) == 0
        }
        try await Task.sleep(for: .seconds(5))
        try await eventually("READY") {
            listener.listen()
            return listener.told.contains("READY=1")
        }
        #expect(await daemon.end().exitCode == 0)
    }

    @Test func `says last why it does not start`() async throws {
        let (run, listener) = (try DaemonRun(), try Listener())
        let daemon = try start("interval: 5x\n", run, listener)
        #expect(await daemon.outcome().exitCode == 78)
        listener.listen()
        let words = "the service can't start: \(run.folder.path)/pagewatch.yaml:1:"
        #expect(listener.told.last?.hasPrefix("STATUS=\(words)") == true, "\(listener.told)")
    }

    @Test func `gives signs of life in half of the time that it has for them`() async throws {
        let (run, listener) = (try DaemonRun(), try Listener())
        let daemon = try start(
            "targets: {}\n", run, listener, environment: ["WATCHDOG_USEC": "200000"])
        let began = MonotonicClock.now()
        try await eventually("ten signs of life") {
            listener.listen()
            return listener.lives >= 10
        }
        // The first comes at once.
        #expect(MonotonicClock.now() - began >= .milliseconds(900))
        // A process that does not run gives none.
        daemon.send(signal: SIGSTOP)
        try await Task.sleep(for: .milliseconds(300))
        listener.listen()
        let before = listener.lives
        try await Task.sleep(for: .milliseconds(500))
        listener.listen()
        #expect(listener.lives == before)
        daemon.send(signal: SIGCONT)
        _ = await daemon.end()
    }

    @Test func `gives none that are meant for another process`() async throws {
        let (run, listener) = (try DaemonRun(), try Listener())
        let daemon = try start(
            "targets: {}\n", run, listener,
            environment: ["WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"])
        try await eventually("READY") {
            listener.listen()
            return listener.told.last?.hasPrefix("READY=1") == true
        }
        _ = await daemon.end()
        listener.listen()
        #expect(listener.lives == 0)
    }

    @Test func `follows in its status what becomes of the targets`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /a\nhead 200 text/html\ntext <title>{count}</title>\n")
        let (run, listener) = (try DaemonRun(), try Listener())
        let port = try ReservedPort()
        let began = MonotonicClock.now()
        let daemon = try start(
            """
            defaults: {interval: 1s, confirm: 1, failures: 1}
            targets:
              a: {url: "\(site.url("/a"))"}
              b: {url: "http://127.0.0.1:\(port.port)/"}

            """, run, listener)
        try await eventually("the status") {
            listener.listen()
            return listener.told.last.map {
                $0.hasPrefix("STATUS=2 targets, ") && $0.contains(" 1 failing; last change ")
                    && $0.hasSuffix(" (a)")
            } == true
        }
        // Behind the four of the start, one each five seconds at most, though a change comes each.
        let most = 5 + Int((MonotonicClock.now() - began) / .seconds(5))
        #expect(listener.told.count <= most, "\(listener.told)")
        _ = await daemon.end()
        await site.stop()
    }
}
