import Events
import Glibc
import Reactor

/// The addresses of `--from`, read from the file or pipe only as fast as they are wanted.
final class AddressSource {
    /// What is next in the list.
    enum Next {
        /// A line, and where it stands (`FILE:LINE`).
        case address(String, place: String)
        /// Why the line, or what follows, cannot be read; one sentence.
        case problem(String)
        /// Enough for this turn: ask again in the next one.
        case later
        /// Nothing at the moment, and `onReady` follows, unless it is the end.
        case nothing
    }

    private let name: String
    private var reader: LineReader
    private let loop: EventLoop
    private let onReady: () -> Void
    /// Whether the loop says when there is more. It cannot for regular files, which always have.
    private var isWatched = false
    private var lines: [LineReader.Line] = []
    private var nextLine = 0
    private var isWholeRead = false
    /// A turn reads once: however little comes of it, others have their turn, too.
    private var hasRead = false

    /// Whether every line has been given.
    var isAtEnd: Bool { isWholeRead && nextLine == lines.count }

    /// - Parameters:
    ///   - path: A file, or `-` for standard input.
    ///   - onReady: Called in a turn in which more can be read.
    /// - Throws: ``UsageError`` if it cannot be opened.
    init(_ path: String, loop: EventLoop, onReady: @escaping () -> Void) throws(UsageError) {
        name = path == "-" ? "standard input" : escaped(path)
        do {
            reader = try LineReader(path: path)
        } catch {
            throw UsageError("--from: can't open \(name): \(error.message)")
        }
        self.loop = loop
        self.onReady = onReady
    }

    // The loop may hold a call that is due in the very turn in which this goes.
    deinit { pause() }

    /// The next line, if there is one now.
    func next() -> Next {
        while true {
            if nextLine < lines.count {
                nextLine += 1
                return line(lines[nextLine - 1])
            }
            guard !isWholeRead else { return .nothing }
            guard !hasRead else { return .later }
            guard isReadable() else { return .nothing }
            hasRead = true
            switch reader.read() {
            case .lines(let more):
                lines = more
                nextLine = 0
            case .needsMore:
                watch()
                return .nothing
            case .end: end()
            case .failed(let message):
                end()
                return .problem("can't read \(name): \(message)")
            }
        }
    }

    /// A turn of the loop is over.
    func turnEnded() { hasRead = false }

    private func pause() {
        guard isWatched else { return }
        loop.unwatch(reader.descriptor)
        isWatched = false
    }

    private func line(_ line: LineReader.Line) -> Next {
        switch line.content {
        case .text(let text): .address(text, place: "\(name):\(line.number)")
        case .tooLong: .problem("\(name):\(line.number): the line is over 64 KiB")
        case .notUTF8: .problem("\(name):\(line.number): the line is not UTF-8")
        case .containsNUL: .problem("\(name):\(line.number): the line holds a NUL byte")
        }
    }

    /// Whether a read would not wait; if it would, the loop says when.
    private func isReadable() -> Bool {
        var request = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 0) == 0 else { return true }
        watch()
        return false
    }

    private func watch() {
        guard !isWatched else { return }
        // What epoll refuses is a regular file, and that is always ready to be read.
        try? loop.watch(reader.descriptor, for: .readable) { [unowned self] _ in
            pause()
            onReady()
        }
        isWatched = true
    }

    private func end() {
        pause()
        isWholeRead = true
    }
}
