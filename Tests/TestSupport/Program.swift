import CTestLinux
import Glibc
import Reactor

/// A program to run in a test: what it is given, and how long it may take.
package struct Program: Sendable {
    /// A pseudo-terminal of that size in place of some of the three streams.
    package struct Terminal: Sendable {
        package var columns: UInt16
        package var rows: UInt16
        /// Numbers of the streams that are the terminal: 0 input, 1 output, 2 errors.
        package var streams: Set<CInt>

        package init(columns: UInt16 = 80, rows: UInt16 = 24, streams: Set<CInt> = [0, 1, 2]) {
            self.columns = columns
            self.rows = rows
            self.streams = streams
        }
    }

    package var path: String
    package var arguments: [String]
    /// All of it: nothing is inherited.
    package var environment = Program.plainEnvironment
    package var folder: String?
    /// What standard input gives; nil for /dev/null.
    package var input: [UInt8]?
    package var terminal: Terminal?
    /// The program and all of its session are killed after this.
    package var timeLimit = Duration.seconds(60)
    /// Whether ``Outcome/peakResidentBytes`` is looked at all the time (every 5 ms), which finds
    /// it also when the program stays smaller than the test's own process.
    package var samplesMemory = false

    /// A program by its file, or its name if that is in `PATH`.
    package init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// An environment without proxies, colours or anything of the user's.
    package static let plainEnvironment: [String: String] = {
        var environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC", "HOME": "/nonexistent",
        ]
        // What the sanitizers are told holds for the programs that are built with them, too.
        for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        return environment
    }()

    /// Whether the tests and what they run are built with a sanitizer (`make tsan`, `make asan`).
    package static let isSanitized = getenv("PAGEWATCH_SANITIZED") != nil

    /// How a program ended, and what it wrote and used.
    package struct Outcome: Sendable {
        package enum Ending: Sendable, Equatable {
            case exited(CInt)
            case killed(bySignal: CInt)
            /// It reached the time limit.
            case ranTooLong
        }

        package var ending: Ending
        package var output: [UInt8] = []
        package var errors: [UInt8] = []
        /// What came on the terminal.
        package var onTerminal: [UInt8] = []
        package var wall = Duration.zero
        package var userTime = Duration.zero
        package var systemTime = Duration.zero
        /// The largest resident size; no less than that of the test's own process, because exec
        /// hands it on, unless ``Program/samplesMemory``: then 0 if it ended before the first look,
        /// and for a program with a sanitizer in it, whose own memory is many times as much.
        package var peakResidentBytes = 0

        package var outputText: String { String(decoding: output, as: UTF8.self) }
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
        package var terminalText: String { String(decoding: onTerminal, as: UTF8.self) }
        package var outputLines: [Substring] { outputText.split(separator: "\n") }
        /// The exit code; nil if it did not exit by itself.
        package var exitCode: CInt? { if case .exited(let code) = ending { code } else { nil } }
    }

    /// Runs it to its end, on threads of its own.
    package func run() async throws -> Outcome {
        await (try start()).outcome()
    }

    /// Starts it.
    ///
    /// - Throws: ``SystemError`` if there is no such program.
    package func start() throws -> RunningProgram {
        try RunningProgram(self)
    }
}

/// A line of standard output and when it was read.
package struct OutputLine: Sendable {
    package let text: String
    /// By ``MonotonicClock``.
    package let time: Duration
}
