import Events
import Glibc
import Reactor

/// The addresses of `--from`, read from the file or pipe only as fast as they are wanted.
final class AddressSource {
    /// What a line of the list gives.
    enum Line {
        case address(String)
        /// Why the line, or what follows, cannot be read; one sentence.
        case problem(String)
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

    /// The next line; nil if there is none now, and then `onReady` follows unless it is the end.
    func next() -> Line? {
        while true {
            if nextLine < lines.count {
                nextLine += 1
                return line(lines[nextLine - 1])
            }
            guard !isWholeRead, isReadable() else { return nil }
            switch reader.read() {
            case .lines(let more):
                lines = more
                nextLine = 0
            case .needsMore:
                watch()
                return nil
            case .end: end()
            case .failed(let message):
                end()
                return .problem("can't read \(name): \(message)")
            }
        }
    }

    /// Stops being called; for when there is room for no more.
    func pause() {
        guard isWatched else { return }
        loop.unwatch(reader.descriptor)
        isWatched = false
    }

    private func line(_ line: LineReader.Line) -> Line {
        switch line.content {
        case .text(let text): .address(text)
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
