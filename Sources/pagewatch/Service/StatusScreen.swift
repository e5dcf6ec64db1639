import CLinux
import Control
import Events
import Glibc
import Reactor

/// `pagewatch status --watch`: the status on the whole terminal, anew each second.
///
/// Input: the service's answers, keys and signals. Output: frames on the terminal, which is as it
/// was when this has ended, whatever ends it.
final class StatusScreen {
    private static let interval = Duration.seconds(1)
    /// Longer than any answer takes, shorter than people wait.
    private static let patience = Duration.seconds(2)
    private static let usualSize = TerminalSize(columns: 80, rows: 24)
    /// The alternate screen, without a cursor; and back.
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    private let call: ServiceCall
    private let request: (_ columns: Int) -> String
    private let loop: EventLoop
    private let terminal: OpenTerminal?
    private var modes: termios?
    private var lines: [Substring] = []
    private var text = ""
    private var code = ExitCode.fine
    /// Why there is nothing to show.
    private var refusal: String?
    private lazy var refresh = Deadline { [unowned self] in update() }

    /// - Parameter request: The request for a terminal of so many columns.
    /// - Throws: ``SystemError`` if the system refuses what it needs.
    init(_ call: ServiceCall, request: @escaping (_ columns: Int) -> String) throws(SystemError) {
        self.call = call
        self.request = request
        loop = try EventLoop()
        terminal = OpenTerminal(STDOUT_FILENO)
    }

    /// Shows it until `q`, Ctrl-C or a signal ends it.
    func run() throws(SystemError) -> ExitCode {
        let signals = [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH]
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        sigprocmask(SIG_BLOCK, &set, nil)
        try loop.handle(signals: signals) { [unowned self] in take(signal: $0) }
        // What is no terminal has no keys.
        if isatty(STDIN_FILENO) == 1 {
            try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] _ in takeKeys() }
        }
        begin()
        update()
        if refusal == nil { loop.run() }
        end()
        if let refusal {
            StandardError.write(refusal)
            return .unusable
        }
        return code
    }

    // MARK: Keys and signals

    private func takeKeys() {
        var keys = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &keys, keys.count)
        if count <= 0 { loop.unwatch(STDIN_FILENO) }
        if keys.prefix(max(0, count)).contains(where: { $0 | 0x20 == UInt8(ascii: "q") }) {
            loop.stop()
        }
    }

    private func take(signal number: CInt) {
        switch number {
        case SIGWINCH: draw()
        case SIGTSTP:
            end()
            JobControl.stop()
            begin()
            draw()
        default:
            code = .interrupted(by: number)
            loop.stop()
        }
    }

    // MARK: The terminal

    private func begin() {
        var modes = termios()
        if isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &modes) == 0 {
            self.modes = modes
            modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
        }
        write(Self.enter)
    }

    private func end() {
        write(Self.leave)
        if var modes {
            tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
            self.modes = nil
        }
    }

    private func update() {
        loop.arm(refresh, at: MonotonicClock.now() + Self.interval)
        do throws(ServiceClient.Failure) {
            let answer = try call.text(request(size.columns), timeout: Self.patience)
            // What was never there will not come; what has gone may come again.
            if answer.isRefusal, text.isEmpty {
                refusal = answer.text
                return
            }
            text = answer.text
        } catch {
            let notice =
                "The service does not answer (\(escaped(error.description))); trying again."
            // What was known last stays below.
            text =
                notice + "\n\n"
                + text.split(separator: "\n").filter { !$0.hasPrefix("The service") }
                .joined(separator: "\n")
        }
        draw()
    }

    private var size: TerminalSize { TerminalSize.of(STDOUT_FILENO) ?? Self.usualSize }

    private func draw() {
        let size = size
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        let shown = lines.prefix(max(1, size.rows - 1))
        var frame = "\u{1B}[H"
        for line in shown {
            frame += fitted(String(line), into: size.columns) + "\u{1B}[K\r\n"
        }
        let hidden = lines.count - shown.count
        let foot = hidden > 0 ? "q ends this; \(hidden) more below, not shown" : "q ends this"
        write(frame + fitted(foot, into: size.columns) + "\u{1B}[K\u{1B}[J")
    }

    /// Writes what the terminal takes within a moment: one that Ctrl-S stopped gets the next frame.
    private func write(_ text: String) {
        let descriptor = terminal?.descriptor ?? STDOUT_FILENO
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&wanted, 1, 200) == 1 else { return }
            } else if errno != EINTR {
                return
            }
        }
    }
}
