import CLinux
import Glibc
import Reactor

/// The progress bars on a terminal's standard error: one a running page, gone when it is done.
///
/// Whoever owns it calls ``draw()`` when something may have changed, at most some times a second;
/// only a frame that differs from the last is written. On what is no terminal, or a dumb one, it
/// does nothing at all.
final class ProgressDisplay {
    /// What a terminal without a size is taken for.
    private static let usualSize = TerminalSize(columns: 80, rows: 24)

    private let descriptor: CInt
    private let terminal: OpenTerminal?
    /// What the terminal has not taken yet: at most a frame, what erases it, and some lines.
    private var unsent: [UInt8] = []
    /// How long the terminal may take for that at the end, in milliseconds.
    private static let farewell: CInt = 1000
    private let isEnabled: Bool
    private let style: ProgressFrame.Style
    /// In the order in which they began.
    private var pages: [(id: Int, page: ProgressFrame.Page)] = []
    /// What stands on the screen; empty if nothing does.
    private var drawn: [UInt8] = []
    /// Of the terminal when that was drawn.
    private var drawnSize = TerminalSize(columns: 0, rows: 0)

    /// It stays silent if it is not wanted (`--no-progress`).
    init(isWanted: Bool, descriptor: CInt = STDERR_FILENO) {
        let name = Self.environment("TERM")
        isEnabled = isWanted && isatty(descriptor) == 1 && !name.isEmpty && name != "dumb"
        terminal = isEnabled ? OpenTerminal(descriptor) : nil
        self.descriptor = terminal?.descriptor ?? descriptor
        style = Self.style(environment: Self.environment)
    }

    /// Whether bars are drawn.
    var isActive: Bool { isEnabled }

    /// Keeps the bars right while `loop` runs: fits them to a terminal of another size, and takes them
    /// away while Ctrl-Z has the program stopped.
    ///
    /// - Throws: ``SystemError`` if the system refuses what that needs.
    func follow(_ loop: EventLoop) throws(SystemError) {
        guard isEnabled else { return }
        try loop.handle(signals: [SIGWINCH, SIGTSTP]) { [weak self] number in
            if number == SIGTSTP { self?.printAbove(JobControl.stop) } else { self?.draw() }
        }
    }

    /// A page begins to load; its bar is empty.
    ///
    /// - Parameters:
    ///   - id: The page's number, for as long as it loads.
    ///   - url: What to call it.
    func begin(_ id: Int, url: String) {
        guard isEnabled else { return }
        pages.append((id, ProgressFrame.Page(url: url, progress: 0)))
    }

    /// A page's progress, from 0 to 1.
    func update(_ id: Int, progress: Double) {
        guard let place = pages.firstIndex(where: { $0.id == id }) else { return }
        pages[place].page.progress = progress
    }

    /// A page is done, one way or the other.
    func end(_ id: Int) {
        if let place = pages.firstIndex(where: { $0.id == id }) { pages.remove(at: place) }
    }

    /// Brings the screen up to date, if the terminal takes it at once.
    func draw() {
        guard isEnabled else { return }
        if pages.isEmpty && drawn.isEmpty { return }
        let size = self.size
        let frame = frame(size).render()
        // A terminal that has folded or moved rows shows what differs from what was drawn.
        let isMoved = !drawn.isEmpty && size != drawnSize
        guard frame != drawn || isMoved, isReady else { return }
        send(isMoved ? ProgressFrame.erasure + frame : frame)
        drawn = pages.isEmpty ? [] : frame
        drawnSize = size
    }

    /// Lets `body` write lines to the terminal, and puts the bars below them.
    ///
    /// It must have written them when it returns: flush there.
    func printAbove(_ body: () -> Void) {
        erase()
        body()
        draw()
    }

    /// Leaves the terminal as it was: call it before the program ends, by Ctrl-C too.
    func restore() {
        pages.removeAll()
        erase()
        guard !unsent.isEmpty else { return }
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, Self.farewell)
        send([])
    }

    /// Writes lines of its owner's to the terminal, in order with the bars.
    func send(_ bytes: [UInt8]) {
        unsent += bytes
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                unsent.removeFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // There is nobody to tell.
                return unsent.removeAll()
            }
        }
    }

    private func erase() {
        guard !drawn.isEmpty else { return }
        send(ProgressFrame.erasure)
        drawn = []
    }

    private var size: TerminalSize { TerminalSize.of(descriptor) ?? Self.usualSize }

    private func frame(_ size: TerminalSize) -> ProgressFrame {
        ProgressFrame(
            pages: pages.map(\.page), columns: size.columns, rows: size.rows, style: style)
    }

    /// Whether the terminal takes something now. One that Ctrl-S stopped must not stop the loop: a
    /// frame can be left out, and lines can wait.
    var isReady: Bool {
        send([])
        guard unsent.isEmpty else { return false }
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, 0) == 1 && request.revents & Int16(POLLOUT) != 0
    }

    /// What the terminal can show, by the variables that say so.
    static func style(environment: (String) -> String) -> ProgressFrame.Style {
        // The first that is set decides, as in setlocale(3).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(environment).first { !$0.isEmpty } ?? ""
        let lowercased = locale.lowercased()
        return ProgressFrame.Style(
            hasColor: environment("NO_COLOR").isEmpty,
            hasUnicode: lowercased.contains("utf-8") || lowercased.contains("utf8"))
    }

    /// A variable's value, or "".
    private static func environment(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }
}
