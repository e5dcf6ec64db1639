import Glibc
import Testing

@testable import pagewatch

@Suite struct `Standard output of the service` {
    /// A pipe of 4 kB.
    private func pipeEnds() throws -> (reader: CInt, writer: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        // F_SETPIPE_SZ, which glibc hides.
        _ = fcntl(ends[1], 1031, CInt(4096))
        return (ends[0], ends[1])
    }

    private func read(_ descriptor: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    @Test func `keeps what fits, counts the rest, and tells it in its place`() throws {
        let (reader, writer) = try pipeEnds()
        defer { close(reader) }
        let output = ServiceOutput(writer, capacity: 2000)
        let line = String(repeating: "x", count: 999)
        // The pipe takes four of them, the buffer one.
        for _ in 1...8 {
            output.add(line)
            output.flush()
        }
        #expect(output.isWaiting)
        var text = ""
        while output.isWaiting {
            text += read(reader)
            output.flush()
        }
        output.add("after")
        output.flush()
        text += read(reader)
        let lines = text.split(separator: "\n")
        let whole = lines.prefix { $0 == line }
        #expect(
            lines.dropFirst(whole.count) == [
                "(service): \(8 - whole.count) lines are missing here:"
                    + " standard output took no more", "after",
            ])
        close(writer)
    }

    @Test func `leaves the shared pipe as it is, and does not wait at the end`() throws {
        let (reader, writer) = try pipeEnds()
        let output = ServiceOutput(writer)
        for _ in 1...100 { output.add(String(repeating: "x", count: 99)) }
        output.flush()
        #expect(fcntl(writer, F_GETFL) & O_NONBLOCK == 0)
        let clock = ContinuousClock()
        #expect(clock.measure { output.finish(within: .milliseconds(50)) } < .seconds(2))
        #expect(output.isWaiting)
        close(reader)
        close(writer)
    }

    @Test func `goes on in silence when its reader has gone`() throws {
        signal(SIGPIPE, SIG_IGN)
        let (reader, writer) = try pipeEnds()
        let output = ServiceOutput(writer)
        close(reader)
        output.add("a")
        output.flush()
        output.add("b")
        #expect(!output.isWaiting)
        close(writer)
    }

    @Test func `counts what a full disk did not take`() throws {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let output = ServiceOutput(full)
        for _ in 1...3 {
            output.add("a")
            output.flush()
        }
        #expect(output.isWaiting)
    }
}
