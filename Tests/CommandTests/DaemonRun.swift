import Glibc
import Reactor
import TestSupport

/// A `pagewatch daemon` of a test's own: its configuration, its state and its log file.
struct DaemonRun {
    let folder: TemporaryFolder
    /// Where `log: {file}` says the file is, if the configuration has ``logLine``.
    var logFile: String { folder.file("events.jsonl") }

    init() throws { folder = try TemporaryFolder() }

    /// The key `log` with the test's file.
    func log(_ events: String = "[durable]") -> String {
        "log: {file: \"\(logFile)\", events: \(events)}"
    }

    /// Starts it.
    ///
    /// - Parameter prefix: Lines of a shell before it, and redirections behind.
    func start(
        _ configuration: String, environment: [String: String] = [:],
        terminal: Program.Terminal? = nil, prefix: String = ":", redirections: String = ""
    ) throws -> RunningProgram {
        let main = try folder.write(configuration, to: "pagewatch.yaml")
        var program = Program(
            "/bin/sh",
            [
                "-c", "\(prefix); exec \"$@\" \(redirections)", "sh",
                BuiltProducts.path("pagewatch"), "daemon", "--config", main, "--state",
                folder.file("state"),
            ])
        program.environment["PAGEWATCH_SOCKET"] = folder.file("control.sock")
        program.environment.merge(environment) { $1 }
        program.terminal = terminal
        return try program.start()
    }

    /// The lines of a log file, which must all be whole.
    func lines(_ path: String? = nil) throws -> [String] {
        let text = try TextFile.read(path ?? logFile)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.popLast() == "" else { throw Unmet("the last line to be whole: \(text)") }
        return lines
    }
}

/// What did not come.
struct Unmet: Error, CustomStringConvertible {
    let description: String
    init(_ what: String) { description = "waited in vain for \(what)" }
}

/// Looks again and again until something holds.
func eventually(_ what: String, _ holds: () throws -> Bool) async throws {
    let end = MonotonicClock.now() + .seconds(30)
    while true {
        if (try? holds()) == true { return }
        guard MonotonicClock.now() < end else { throw Unmet(what) }
        try await Task.sleep(for: .milliseconds(5))
    }
}

extension RunningProgram {
    /// Reads standard output up to a line that has this in it.
    @discardableResult
    func line(with text: String) async throws -> String {
        for await line in lines where line.text.contains(text) { return line.text }
        throw Unmet("\"\(text)\" on standard output")
    }

    /// Has it end by a signal, and waits for that.
    func end(by signal: CInt = SIGTERM) async -> Program.Outcome {
        send(signal: signal)
        return await outcome()
    }
}

/// The value of a key of a line of JSON, as it stands there.
func value(_ key: String, of line: String) -> Substring? {
    guard let start = line.range(of: "\"\(key)\":") else { return nil }
    return line[start.upperBound...].prefix { $0 != "," && $0 != "}" }
}

extension String {
    /// Where a text first occurs.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        ranges(of: text).first
    }
}
