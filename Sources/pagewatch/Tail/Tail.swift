import Control
import Events
import Glibc
import Reactor

/// One run of `tail`: keeps a connection to the service, and hands its events on.
///
/// Input: the lines of the service. Output: each of them to the sink, in order, as it has room; and
/// how far they are handled to the cursor file. Decides when, never how.
final class Tail {
    /// Between two tries to reach a service that has gone.
    private static let firstDelay = Duration.milliseconds(50)
    private static let longestDelay = Duration.seconds(1)
    /// Likewise one whose configuration has to be mended: each try has systemd start it, and may
    /// raise an alarm. The first times are for somebody who is mending it right now.
    private static let mendingDelays: [Duration] = [.seconds(10), .seconds(60), .seconds(300)]

    private let options: TailOptions
    private let path: String
    private let loop: EventLoop
    private let sink: any EventSink
    private let bars: LoadBars?
    private let cursorFile: CursorFile?
    private var connection: EventConnection?
    /// Where the next connection begins.
    private var start: TailStart
    private var delay = Duration.zero
    /// How often in a row it was told that something has to be mended.
    private var mendings = 0
    private var wasAnswered = false
    private var isGoneTold = false
    private var problem: String?
    private var interruption: CInt?
    private lazy var reconnect = Deadline { [unowned self] in connect() }

    /// - Parameter path: Of the service's socket.
    /// - Throws: ``SystemError`` if the system refuses what the run needs; ``UsageError`` if the
    ///   cursor file can't be written.
    init(
        _ options: TailOptions, path: String, start: TailStart, cursorFile: CursorFile?
    ) throws {
        self.options = options
        self.path = path
        self.start = start
        self.cursorFile = cursorFile
        loop = try EventLoop()
        if let command = options.command {
            sink = EventCommand(command, loop: loop)
            bars = nil
        } else {
            let printer = TailPrinter(options, loop: loop)
            sink = printer
            bars =
                printer.display.isActive
                ? LoadBars(printer.display, path: path, targets: options.targets, loop: loop) : nil
            try printer.display.follow(loop)
        }
        // What is wrong with the file is told now, and a reader that is killed before the first
        // event goes on from here.
        if let seq = start.seq { try cursorFile?.write(seq) }
        try loop.handle(signals: [SIGINT, SIGTERM, SIGCHLD]) { [unowned self] in signalled($0) }
        loop.atTurnEnd { [unowned self] in turnEnded() }
    }

    /// Follows until a signal comes, or nothing more can be done.
    func run() -> ExitCode {
        connect()
        loop.run()
        connection?.close()
        bars?.close()
        let code = sink.finish()
        saveHandled()
        if let problem { StandardError.write("pagewatch tail: \(problem)\n") }
        if let interruption { return .interrupted(by: interruption) }
        return problem == nil ? code : .unusable
    }

    // MARK: The connection

    private func connect() {
        wasAnswered = false
        do throws(SystemError) {
            connection = try EventConnection(
                path: path, target: request, accept: accept, loop: loop
            ) { [unowned self] in
                wasAnswered = true
                isGoneTold = false
                mendings = 0
                bars?.connect()
            } onLine: { [unowned self] line in
                take(line)
            } onEnd: { [unowned self] ending in
                ended(ending)
            }
            if sink.isBusy { connection?.pause() }
        } catch {
            ended(.closed)
        }
    }

    private var request: String {
        var parts = ["since=\(ServiceClient.escaped(start.since))"]
        parts += options.targets.map { "target=\(ServiceClient.escaped($0))" }
        var kinds = options.kinds
        if case .text(let isUTC) = sink.form {
            parts.append("numbers=1")
            if isUTC { parts.append("utc=1") }
            if kinds.isEmpty { kinds = ["durable"] }
        }
        parts += kinds.map { "event=\(ServiceClient.escaped($0))" }
        return "/v1/events?" + parts.joined(separator: "&")
    }

    private var accept: String {
        switch sink.form {
        case .json: "application/x-ndjson"
        case .text: "text/plain"
        }
    }

    private func take(_ line: ArraySlice<UInt8>) {
        guard let (seq, shown) = sink.form.parts(of: line) else {
            return give(up: "the service sent what is no event (is it of another version?)")
        }
        delay = .zero
        // A start by time: from now on it has a number.
        if start.seq == nil { save(seq - 1) }
        start = TailStart(behind: seq)
        sink.take(seq, shown)
        if sink.isBusy { connection?.pause() }
    }

    private func ended(_ ending: EventConnection.Ending) {
        connection = nil
        bars?.close()
        switch ending {
        case .closed: break
        // Too many clients, or it is just stopping.
        case .refused(_, let body) where body == Refusal.stopping.body: break
        case .refused(let status, let body) where status >= 500 && delay > .zero:
            if TailCommand.code(ofRefusal: body) == Refusal.cannotStart("").code {
                delay = Self.mendingDelay(mendings)
                mendings += 1
            }
        case .refused(_, let body): return give(up: TailCommand.message(ofRefusal: body))
        case .lineTooLong: return give(up: "the service sent a line that is too long for an event")
        }
        guard interruption == nil else { return }
        if !wasAnswered, !isGoneTold {
            isGoneTold = true
            sink.mention("the service has gone; waiting for it to come back")
        }
        // The first time at once: it may have been restarted, or only the connection was lost.
        loop.arm(reconnect, at: MonotonicClock.now() + delay)
        delay = delay == .zero ? Self.firstDelay : min(delay * 2, Self.longestDelay)
    }

    /// How long to wait after so many answers in a row that something has to be mended.
    static func mendingDelay(_ answers: Int) -> Duration {
        mendingDelays[min(answers, mendingDelays.count - 1)]
    }

    private func give(up problem: String) {
        self.problem = self.problem ?? problem
        connection?.close()
        loop.stop()
    }

    // MARK: What is handled

    private func turnEnded() {
        sink.turnEnded()
        saveHandled()
        if sink.hasFailed { return loop.stop() }
        guard interruption == nil else {
            if !sink.isEnding { loop.stop() }
            return
        }
        if !sink.isBusy { connection?.resume() }
    }

    private func saveHandled() {
        if let seq = sink.takeHandled() { save(seq) }
    }

    private func save(_ seq: Int64) {
        guard let cursorFile, problem == nil else { return }
        do throws(UsageError) {
            try cursorFile.write(seq)
        } catch {
            give(up: error.message)
        }
    }

    private func signalled(_ signal: CInt) {
        if signal != SIGCHLD, interruption == nil {
            interruption = signal
            connection?.close()
            loop.disarm(reconnect)
        }
        sink.interrupt(by: signal)
    }
}
