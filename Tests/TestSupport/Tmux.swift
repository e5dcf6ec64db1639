import Glibc
import Reactor

/// A terminal as a person has one: tmux's, with a history of what has scrolled away, and of any size.
package final class Tmux: Sendable {
    private static let path = "/usr/bin/tmux"

    /// Whether tmux is installed.
    package static var isInstalled: Bool { access(path, X_OK) == 0 }

    /// Why a test that needs it is skipped.
    package static let skipReason = "needs tmux"

    private let folder: TemporaryFolder
    private let processID: pid_t

    /// Runs a command line in a terminal of that size, which stays when it has ended.
    ///
    /// - Throws: ``CommandFailed`` with tmux's words if it can't.
    package init(_ command: String, columns: Int, rows: Int) async throws {
        folder = try TemporaryFolder()
        try folder.write("set -g remain-on-exit on\nset -g history-limit 10000\n", to: "conf")
        try await Self.run(
            folder, "-f", folder.file("conf"), "new-session", "-d", "-x", "\(columns)", "-y",
            "\(rows)", "env TERM=screen-256color \(command)")
        let text = try await Self.run(folder, "display-message", "-p", "#{pid}")
        guard let processID = pid_t(text.prefix { $0.isNumber }) else {
            throw SystemError(code: EINVAL, action: "read the number of the process of tmux")
        }
        self.processID = processID
    }

    deinit {
        kill(processID, SIGTERM)
    }

    /// Gives the terminal another size; programs hear of it a little later.
    package func resize(columns: Int, rows: Int) async throws {
        try await Self.run(folder, "resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// Presses a key by tmux's name for it, such as `C-c` or `q`.
    package func press(_ key: String) async throws {
        try await Self.run(folder, "send-keys", key)
    }

    /// The screen's rows, without blanks at their ends.
    package func screen() async throws -> [Substring] { try await rows("capture-pane", "-p") }

    /// What has scrolled away, and the screen; lines that were folded are whole.
    package func all() async throws -> [Substring] {
        try await rows("capture-pane", "-p", "-J", "-S", "-")
    }

    /// A text with the values of tmux's variables in it, such as `#{cursor_flag}`.
    package func format(_ text: String) async throws -> String {
        try await rows("display-message", "-p", text).first.map(String.init) ?? ""
    }

    private func rows(_ arguments: String...) async throws -> [Substring] {
        try await Self.run(folder, arguments: arguments)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @discardableResult
    private static func run(
        _ folder: TemporaryFolder, _ arguments: String...
    ) async throws -> String {
        try await run(folder, arguments: arguments)
    }

    @discardableResult
    private static func run(
        _ folder: TemporaryFolder, arguments: [String]
    ) async throws -> String {
        let outcome = try await Program(path, ["-S", folder.file("tmux")] + arguments).run()
        guard outcome.exitCode == 0 else { throw CommandFailed("tmux", outcome) }
        return outcome.outputText
    }
}
