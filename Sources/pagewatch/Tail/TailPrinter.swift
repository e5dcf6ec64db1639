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
    /// What the output is watched for; nil if it is not, or can't be.
    private var interest: EventLoop.Readiness?
    /// What epoll does not take is no pipe and no terminal, and hardly ever full.
    private static let outputDelay = Duration.milliseconds(50)
    private lazy var tryAgain = Deadline {}

    init(_ options: TailOptions, loop: EventLoop) {
        self.loop = loop
        form = options.isJSON ? .json : .text(isUTC: options.zone == .utc)
        display = ProgressDisplay(
            isWanted: options.showsProgress && !options.isJSON && output.isTerminal)
        let watch: ()? = try? loop.watch(output.descriptor, for: []) { [unowned self] readiness in
            if !readiness.isDisjoint(with: .failed) { outputFailed() }
        }
        if watch != nil { interest = [] }
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
        watchOutput(for: isHeldUp ? .writable : [])
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
    private func watchOutput(for wanted: EventLoop.Readiness) {
        guard let interest else {
            if wanted == .writable {
                loop.arm(tryAgain, at: MonotonicClock.now() + Self.outputDelay)
            }
            return
        }
        guard interest != wanted else { return }
        try? loop.rewatch(output.descriptor, for: wanted)
        self.interest = wanted
    }

    /// A reader that has gone is to be noticed before the next event, which may be hours away.
    private func outputFailed() {
        unwatchOutput()
        var request = pollfd(fd: output.descriptor, events: 0, revents: 0)
        // A terminal that was closed has only POLLHUP; writing to it tells what is wrong.
        if poll(&request, 1, 0) == 1, request.revents & Int16(POLLERR) != 0 {
            output.endBySignal()
        }
    }

    private func unwatchOutput() {
        guard interest != nil else { return }
        interest = nil
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
