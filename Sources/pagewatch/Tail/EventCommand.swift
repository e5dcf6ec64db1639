import Events
import Glibc
import Reactor

/// Runs the command of `--exec` for one event after the other, each again until it ends with 0.
///
/// Input: events as lines of JSON. Output: the command's own.
final class EventCommand: EventSink {
    /// Between two tries with the same event.
    private static let firstDelay = Duration.seconds(1)
    private static let longestDelay = Duration.seconds(60)

    private struct Event {
        var seq: Int64
        var json: [UInt8]
        /// In a few words, for messages.
        var name: String
        var environment: [String]
    }

    let form = EventForm.json
    let hasFailed = false
    private let command: String
    private let loop: EventLoop
    /// Until the command has ended with 0.
    private var event: Event?
    private var child: ChildProcess?
    private var handled: Int64?
    private var delay = firstDelay
    private var isInterrupted = false
    private lazy var again = Deadline { [unowned self] in start() }

    init(_ command: String, loop: EventLoop) {
        self.command = command
        self.loop = loop
    }

    var isBusy: Bool { event != nil }

    var isEnding: Bool { child != nil }

    func takeHandled() -> Int64? {
        defer { handled = nil }
        return handled
    }

    func take(_ seq: Int64, _ line: ArraySlice<UInt8>) {
        let fields = JSONFields(line)
        let kind = fields?.string("event") ?? "event"
        let name = "event \(seq) (\(fields?.string("target") ?? "(service)"): \(kind))"
        event = Event(
            seq: seq, json: line + [UInt8(ascii: "\n")], name: escaped(name),
            environment: EventEnvironment.variables(line, fields))
        delay = Self.firstDelay
        start()
    }

    private func start() {
        guard let event, child == nil, !isInterrupted else { return }
        do throws(SystemError) {
            child = try ChildProcess(
                command: command, environment: event.environment, input: event.json, loop: loop)
        } catch {
            failed("could not be run (\(error))")
        }
    }

    /// Looks whether the command has ended.
    private func reap() {
        guard let event, let status = child?.reap() else { return }
        child = nil
        switch status {
        case .exited(0):
            handled = event.seq
            self.event = nil
        case .exited(let code): failed("ended with \(code)")
        // As it was to be, when a signal was handed on to it.
        case .killed(let signal) where isInterrupted && signal != SIGKILL: break
        case .killed(let signal): failed("was ended by signal \(signal)")
        }
    }

    private func failed(_ how: String) {
        guard let event else { return }
        guard !isInterrupted else { return mention("the command \(how) on \(event.name)") }
        let seconds = delay.components.seconds
        mention("the command \(how) on \(event.name); it is run again in \(seconds) s")
        loop.arm(again, at: MonotonicClock.now() + delay)
        delay = min(delay * 2, Self.longestDelay)
    }

    func mention(_ text: String) {
        StandardError.write("pagewatch tail: \(text)\n")
    }

    func turnEnded() {}

    /// Hands an ending signal on to the command; the second one ends it for sure.
    func interrupt(by signal: CInt) {
        guard signal != SIGCHLD else { return reap() }
        loop.disarm(again)
        child?.send(signal: isInterrupted ? SIGKILL : signal)
        isInterrupted = true
    }

    func finish() -> ExitCode { .fine }
}
