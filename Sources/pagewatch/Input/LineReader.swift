import Glibc

/// Reads the lines of `--from` as they come: from a file, a pipe or a terminal.
///
/// Each call of ``read()`` reads at most once, so it waits no longer than the descriptor makes it:
/// call it when there is something to read (a named pipe that no writer has opened yet would be
/// taken for its end). Memory stays below the longest line there may be.
struct LineReader: ~Copyable {
    /// The longest line that is taken, in bytes; no URL of any use is longer.
    static let longestLine = 64 << 10

    /// A line with something in it. `number` counts from 1, and every line.
    struct Line: Equatable {
        let number: Int
        let content: Content
    }

    /// What a line holds, or why it can't be taken.
    enum Content: Equatable {
        /// Without its line break and the blanks around it.
        case text(String)
        case tooLong
        case notUTF8
        case containsNUL
    }

    /// What one reading brought.
    enum Outcome: Equatable {
        /// Perhaps none, and more may follow at once.
        case lines([Line])
        /// There is nothing to read at the moment.
        case needsMore
        case end
        /// The system's message; nothing follows.
        case failed(String)
    }

    /// Where it reads; for waiting until there is something.
    let descriptor: CInt
    private let closesDescriptor: Bool
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)
    /// The beginning of a line whose end is still to come.
    private var partial: [UInt8] = []
    /// The rest of the line under way is passed over.
    private var isPassingOver = false
    private var number = 1
    private var isAtEnd = false

    /// Reads a descriptor that stays open.
    init(descriptor: CInt) {
        self.descriptor = descriptor
        closesDescriptor = false
    }

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: Why it can't be opened, quoting nothing.
    init(path: String) throws(LineReaderError) {
        if path.utf8.elementsEqual("-".utf8) {
            descriptor = STDIN_FILENO
            closesDescriptor = false
            return
        }
        // O_NONBLOCK: opening a pipe must not wait for its writer, nor keep signals waiting.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw LineReaderError(message: systemMessage(errno)) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            _ = close(descriptor)
            throw LineReaderError(message: systemMessage(EISDIR))
        }
        self.descriptor = descriptor
        closesDescriptor = true
    }

    deinit {
        if closesDescriptor { _ = close(descriptor) }
    }

    /// Reads on, and answers with the lines that are whole by now.
    mutating func read() -> Outcome {
        guard !isAtEnd else { return .end }
        let count = chunk.withUnsafeMutableBytes { bytes in
            Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        }
        if count > 0 {
            var lines: [Line] = []
            take(chunk[..<count], into: &lines)
            return .lines(lines)
        }
        if count == 0 {
            isAtEnd = true
            var lines: [Line] = []
            // The last line may lack its line break.
            endLine(into: &lines)
            return lines.isEmpty ? .end : .lines(lines)
        }
        let code = errno
        switch code {
        case EINTR: return .lines([])
        case EAGAIN: return .needsMore
        default:
            isAtEnd = true
            return .failed(systemMessage(code))
        }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, into lines: inout [Line]) {
        var rest = bytes
        while let lineBreak = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<lineBreak], into: &lines)
            endLine(into: &lines)
            rest = rest[(lineBreak + 1)...]
        }
        append(rest, into: &lines)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, into lines: inout [Line]) {
        guard !isPassingOver else { return }
        partial.append(contentsOf: bytes)
        guard partial.count > Self.longestLine else { return }
        // A long comment is no line to complain about.
        if partial.first != UInt8(ascii: "#") {
            lines.append(Line(number: number, content: .tooLong))
        }
        isPassingOver = true
        partial.removeAll()
    }

    private mutating func endLine(into lines: inout [Line]) {
        if !isPassingOver, let content = Self.content(of: partial, isFirst: number == 1) {
            lines.append(Line(number: number, content: content))
        }
        partial.removeAll(keepingCapacity: true)
        isPassingOver = false
        number += 1
    }

    /// What a line holds; nil for a blank one and a comment.
    private static func content(of bytes: [UInt8], isFirst: Bool) -> Content? {
        var line = bytes[...]
        // Editors of other systems put a byte order mark before the first line.
        if isFirst, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        line = line.drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        line = line[..<endBeforeComment(line)]
        if line.contains(0) { return .containsNUL }
        guard let text = String(validating: line, as: UTF8.self) else { return .notUTF8 }
        return .text(text)
    }

    /// Where a line ends that has a comment behind a blank. No URL holds a blank, but one may hold
    /// a `#`.
    private static func endBeforeComment(_ line: ArraySlice<UInt8>) -> Int {
        var end = line.startIndex
        for place in line.indices {
            if isBlank(line[place]) { continue }
            if line[place] == UInt8(ascii: "#"), end < place { return end }
            end = place + 1
        }
        return end
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

/// Why a list can't be opened.
struct LineReaderError: Error, Equatable {
    /// The system's message.
    let message: String
}
