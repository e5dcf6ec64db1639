import Events
import Glibc
import Reactor

/// Prints events on standard output, above the bars where there are any.
///
/// Input: lines of the service. Output: the same lines. A reader that is slow is waited for; it holds
/// up nothing but this program.
final class TailPrinter: EventSink {
    /// Lines that come together in one turn before the next have to wait.
    private static let mostUnflushed = 256 << 10

    let form: EventForm
    let display: ProgressDisplay
    private let loop: EventLoop
    private let output = StandardOutput()
    private var unflushed: [UInt8] = []
    private var lastTaken: Int64?
    private var isOutputWatched = false
    /// What epoll does not take is no pipe and no terminal, and hardly ever full.
    private static let outputDelay = Duration.milliseconds(50)
    private lazy var tryAgain = Deadline {}

    init(_ options: TailOptions, loop: EventLoop) {
        self.loop = loop
        form = options.isJSON ? .json : .text(isUTC: options.zone == .utc)
        display = ProgressDisplay(
            isWanted: options.showsProgress && !options.isJSON && output.isTerminal)
    }

    var isBusy: Bool { output.isFull || unflushed.count >= Self.mostUnflushed }

    var hasFailed: Bool { output.hasFailed }

    func take(_ seq: Int64, _ line: ArraySlice<UInt8>) {
        unflushed += line
        unflushed.append(UInt8(ascii: "\n"))
        lastTaken = seq
    }

    func takeHandled() -> Int64? {
        guard unflushed.isEmpty, output.held == 0, !output.hasFailed else { return nil }
        defer { lastTaken = nil }
        return lastTaken
    }

    func mention(_ text: String) {
        let line = "pagewatch tail: \(text)\n"
        if display.isActive {
            display.printAbove { display.send(Array(line.utf8)) }
        } else {
            StandardError.write(line)
        }
    }

    func turnEnded() {
        if isHeldUp, canTell {
            if display.isActive { display.printAbove(flush) } else { flush() }
        }
        if isHeldUp { watchOutput() }
    }

    private var isHeldUp: Bool { !unflushed.isEmpty || output.held > 0 }

    /// Whether lines may be written: the bars on the same terminal go first.
    private var canTell: Bool { !display.isActive || display.isReady }

    private func flush() {
        output.write(bytes: unflushed)
        output.flush()
        unflushed.removeAll(keepingCapacity: unflushed.count <= Self.mostUnflushed)
    }

    /// The end of the next turn in which the output takes something writes it.
    private func watchOutput() {
        guard !isOutputWatched, !output.hasFailed else { return }
        do throws(SystemError) {
            try loop.watch(output.descriptor, for: .writable) { [unowned self] _ in
                unwatchOutput()
            }
            isOutputWatched = true
        } catch {
            loop.arm(tryAgain, at: MonotonicClock.now() + Self.outputDelay)
        }
    }

    private func unwatchOutput() {
        guard isOutputWatched else { return }
        isOutputWatched = false
        loop.unwatch(output.descriptor)
    }

    func interrupt(by signal: CInt) {}

    var isEnding: Bool { false }

    /// What the output's reader has not taken is given up: whoever ends a program that follows for
    /// ever wants it to end, and the cursor has not moved over it.
    func finish() -> ExitCode {
        unwatchOutput()
        display.restore()
        return output.hasFailed ? .unusable : .fine
    }
}
