import Glibc
import Testing

@testable import pagewatch

/// A pipe whose ends are closed at the latest with it.
private final class Pipe {
    private(set) var reader: CInt = -1
    private(set) var writer: CInt = -1

    init() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        closeReader()
        closeWriter()
    }

    func closeReader() {
        if reader >= 0 { _ = close(reader) }
        reader = -1
    }

    func closeWriter() {
        if writer >= 0 { _ = close(writer) }
        writer = -1
    }

    /// All that is in the pipe at the moment.
    func contents() -> [UInt8] {
        _ = fcntlSetNonblocking(reader)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reader, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
    }
}

private func fcntlSetNonblocking(_ descriptor: CInt) -> CInt {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}

@Suite struct `Standard output` {
    @Test func `keeps lines until they are flushed`() throws {
        let pipe = try Pipe()
        let output = StandardOutput(descriptor: pipe.writer)
        output.write("one\n")
        #expect(pipe.contents().isEmpty)
        output.write("two\n")
        output.flush()
        #expect(pipe.contents() == Array("one\ntwo\n".utf8))
        output.write("three\n")
        #expect(output.finish() == .fine)
        #expect(pipe.contents() == Array("three\n".utf8))
    }

    @Test func `writes unasked when it holds a good deal`() throws {
        let pipe = try Pipe()
        let output = StandardOutput(descriptor: pipe.writer)
        output.write(String(repeating: "x", count: 65_535))
        #expect(pipe.contents().isEmpty)
        output.write("x")
        #expect(pipe.contents().count == 65_536)
    }

    @Test func `waits for a slow reader, whether the pipe blocks or not`() async throws {
        for isNonblocking in [false, true] {
            let pipe = try Pipe()
            if isNonblocking { _ = fcntlSetNonblocking(pipe.writer) }
            let reader = dup(pipe.reader)
            let reading = Task.detached {
                var chunk = [UInt8](repeating: 0, count: 1000)
                var total = 0
                while case let count = read(reader, &chunk, chunk.count), count > 0 {
                    total += count
                }
                _ = close(reader)
                return total
            }
            let output = StandardOutput(descriptor: pipe.writer)
            for _ in 0..<5000 { output.write(String(repeating: "y", count: 99) + "\n") }
            #expect(output.finish() == .fine)
            pipe.closeWriter()
            #expect(await reading.value == 500_000)
        }
    }

    @Test func `says 3 when the disk is full, and drops the rest`() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { _ = close(full) }
        let output = StandardOutput(descriptor: full)
        output.write("one\n")
        #expect(!output.hasFailed)
        output.flush()
        #expect(output.hasFailed)
        output.write("two\n")
        #expect(output.finish() == .unusable)
    }

    @Test func `ends the program by SIGPIPE when its reader has gone`() async {
        await #expect(processExitsWith: .signal(SIGPIPE)) {
            signal(SIGPIPE, SIG_IGN)
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else { return }
            _ = close(ends[0])
            let output = StandardOutput(descriptor: ends[1])
            output.write("one\n")
            output.flush()
        }
    }

    @Test func `keeps what a reader does not take, and does not wait for it`() throws {
        let pipe = try Pipe()
        let output = StandardOutput(descriptor: pipe.writer)
        let piece = [UInt8](repeating: 0x7A, count: 100_000)
        var count = 0
        while !output.isFull {
            output.write(bytes: piece)
            count += piece.count
        }
        #expect(output.held >= 1 << 20)
        var taken = 0
        while output.held > 0 {
            taken += pipe.contents().count
            output.flush()
        }
        #expect(taken + pipe.contents().count == count)
        #expect(output.finish() == .fine)
    }

    @Test func `drops what is held once it is given up`() throws {
        let pipe = try Pipe()
        let output = StandardOutput(descriptor: pipe.writer)
        output.write("one\n")
        output.abandon()
        output.write("two\n")
        #expect(output.finish() == .unusable)
        #expect(pipe.contents().isEmpty)
    }
}

@Suite struct `Line reader` {
    /// All that comes of these bytes, read from a pipe that is closed behind them.
    private func lines(_ bytes: [UInt8]) throws -> [LineReader.Line] {
        let pipe = try Pipe()
        let writer = pipe.writer
        try #require(bytes.count <= 65_536)
        try #require(write(writer, bytes, bytes.count) == bytes.count)
        pipe.closeWriter()
        var reader = LineReader(descriptor: pipe.reader)
        var lines: [LineReader.Line] = []
        while case .lines(let more) = reader.read() { lines += more }
        #expect(reader.read() == .end)
        return lines
    }

    private func lines(_ text: String) throws -> [LineReader.Line] { try lines(Array(text.utf8)) }

    @Test func `skips carriage returns, blank lines and comments, and counts them`() throws {
        #expect(
            try lines("https://a/\r\n\r\n   \n# note\n  https://b/x y \t\n\nlast") == [
                .init(number: 1, content: .text("https://a/")),
                .init(number: 5, content: .text("https://b/x y")),
                .init(number: 7, content: .text("last")),
            ])
        #expect(try lines("") == [])
        #expect(try lines("\n\n") == [])
    }

    @Test func `skips a comment behind a blank, and no other`() throws {
        #expect(
            try lines("https://a/#b # c\nhttps://a/#b#c\nx \t#\n") == [
                .init(number: 1, content: .text("https://a/#b")),
                .init(number: 2, content: .text("https://a/#b#c")),
                .init(number: 3, content: .text("x")),
            ])
    }

    @Test func `skips a byte order mark before the first line alone`() throws {
        #expect(
            try lines("\u{FEFF}https://a/\n\u{FEFF}b\n") == [
                .init(number: 1, content: .text("https://a/")),
                .init(number: 2, content: .text("\u{FEFF}b")),
            ])
        #expect(try lines("\u{FEFF}# note\n") == [])
    }

    @Test func `tells lines that it can't take, and goes on`() throws {
        #expect(
            try lines([0x61, 0x0A, 0xFF, 0xFE, 0x0A, 0x62, 0x00, 0x0A, 0x63]) == [
                .init(number: 1, content: .text("a")), .init(number: 2, content: .notUTF8),
                .init(number: 3, content: .containsNUL), .init(number: 4, content: .text("c")),
            ])
    }

    @Test func `bounds a line, wherever it is read from`() throws {
        let pipe = try Pipe()
        var reader = LineReader(descriptor: pipe.reader)
        let piece = [UInt8](repeating: 0x61, count: 40_000)
        var seen: [LineReader.Line] = []
        // Three pieces of one line, then a short one.
        for _ in 0..<3 {
            try #require(write(pipe.writer, piece, piece.count) == piece.count)
            guard case .lines(let lines) = reader.read() else { break }
            seen += lines
        }
        try #require(write(pipe.writer, "\nb\n", 3) == 3)
        guard case .lines(let lines) = reader.read() else { return }
        seen += lines
        #expect(
            seen == [
                .init(number: 1, content: .tooLong), .init(number: 2, content: .text("b")),
            ])
        let longest = [UInt8](repeating: 0x61, count: LineReader.longestLine - 1)
        #expect(try self.lines(longest + [0x0A]).first?.number == 1)
    }

    @Test func `gives lines as they come, from a pipe that does not block`() throws {
        let pipe = try Pipe()
        _ = fcntlSetNonblocking(pipe.reader)
        var reader = LineReader(descriptor: pipe.reader)
        #expect(reader.read() == .needsMore)
        try #require(write(pipe.writer, "one\ntw", 6) == 6)
        #expect(reader.read() == .lines([.init(number: 1, content: .text("one"))]))
        #expect(reader.read() == .needsMore)
        try #require(write(pipe.writer, "o\n", 2) == 2)
        #expect(reader.read() == .lines([.init(number: 2, content: .text("two"))]))
        pipe.closeWriter()
        #expect(reader.read() == .end)
        #expect(reader.read() == .end)
    }

    @Test func `says why a list can't be read`() throws {
        do {
            _ = try LineReader(path: "/nowhere/list")
            Issue.record("opened")
        } catch {
            #expect(error.message == "No such file or directory")
        }
        do {
            _ = try LineReader(path: "/")
            Issue.record("opened")
        } catch {
            #expect(error.message == "Is a directory")
        }
    }
}
