import CTestLinux
import Glibc
import Reactor

/// A program that was started; it is killed when its time is over, not when this value goes.
package final class RunningProgram: Sendable {
    private struct State {
        var isReaped = false
        var ranTooLong = false
        var usage = rusage()
        var status: CInt = 0
        var terminal: CInt?
        var outcome: Program.Outcome?
        var waiters: [CheckedContinuation<Program.Outcome, Never>] = []
    }

    package let processID: pid_t
    /// The lines of standard output as they come; one reader.
    package let lines: AsyncStream<OutputLine>
    private let state = Locked(State())

    init(_ program: Program) throws {
        var streams = try ChildStreams(program)
        let began = MonotonicClock.now()
        processID = try streams.spawn(program)
        let (lines, feed) = AsyncStream.makeStream(of: OutputLine.self)
        self.lines = lines
        let terminal = streams.ends.terminal
        state.withLock { $0.terminal = terminal >= 0 ? terminal : nil }
        let exit = streams.exitWriter
        try OwnThread.start { [self] in waitForExit(tell: exit) }
        let input = program.input ?? []
        var collector = OutputCollector(
            ends: streams.ends, input: input, feed: feed,
            limit: began + program.timeLimit,
            sampled: program.samplesMemory ? processID : nil,
            countsMemory: !(Program.isSanitized && Self.isInstrumented(program)))
        try OwnThread.start { [self] in
            collector.run { self.stopForTime() }
            finish(&collector, began)
        }
    }

    /// Whether the program, or one that it starts in its place (`nice`, `bash -c`), is ours.
    private static func isInstrumented(_ program: Program) -> Bool {
        ([program.path] + program.arguments).contains { $0.contains(BuiltProducts.folder) }
    }

    /// Sends a signal, unless the program has ended.
    package func send(signal: CInt) {
        let processID = processID
        // Under the lock that is held while reaping: the number can't have gone to another.
        state.withLock { if !$0.isReaped { kill(processID, signal) } }
    }

    /// Types on the program's terminal.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        state.withLock { state in
            if let terminal = state.terminal { _ = write(terminal, bytes, bytes.count) }
        }
    }

    /// Waits for the end.
    package func outcome() async -> Program.Outcome {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Program.Outcome? in
                if state.outcome == nil { state.waiters.append(continuation) }
                return state.outcome
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private func waitForExit(tell exit: CInt) {
        var info = siginfo_t()
        while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        let processID = processID
        state.withLock { state in
            wait4(processID, &state.status, 0, &state.usage)
            state.isReaped = true
        }
        close(exit)
    }

    private func stopForTime() {
        let processID = processID
        state.withLock { state in
            guard !state.isReaped else { return }
            state.ranTooLong = true
            // It leads a session and a group of its own: children go with it.
            kill(-processID, SIGKILL)
        }
    }

    private func finish(_ collector: inout OutputCollector, _ began: Duration) {
        state.withLock { $0.terminal = nil }
        collector.close()
        let wall = MonotonicClock.now() - began
        let (output, errors, terminal) = (
            collector.output, collector.errors, collector.onTerminal
        )
        let isSampled = collector.isSampled
        let sampled = collector.countsMemory ? collector.peakResidentBytes : 0
        let waiters = state.withLock { state in
            let status = state.status
            let ending: Program.Outcome.Ending =
                if state.ranTooLong {
                    .ranTooLong
                } else if status & 0x7F == 0 {
                    .exited((status >> 8) & 0xFF)
                } else {
                    .killed(bySignal: status & 0x7F)
                }
            let outcome = Program.Outcome(
                ending: ending, output: output, errors: errors, onTerminal: terminal, wall: wall,
                userTime: Duration(state.usage.ru_utime),
                systemTime: Duration(state.usage.ru_stime),
                peakResidentBytes: isSampled ? sampled : state.usage.ru_maxrss * 1024)
            state.outcome = outcome
            let waiters = state.waiters
            state.waiters = []
            return (waiters, outcome)
        }
        for waiter in waiters.0 { waiter.resume(returning: waiters.1) }
    }
}

extension Duration {
    fileprivate init(_ time: timeval) {
        self = .seconds(time.tv_sec) + .microseconds(time.tv_usec)
    }
}
