import Testing

@testable import pagewatch

@Suite struct `Lines that wait for the log file` {
    @Test func `are handed over as they came, and counted when there is no room`() throws {
        let queue = try LineQueue(capacity: 10)
        queue.add(Array("one\n".utf8), lines: 1)
        queue.add(Array("two\n".utf8), lines: 1)
        queue.add(Array("3\n4\n".utf8), lines: 2)
        let work = queue.take()
        #expect(work.bytes == Array("one\ntwo\n".utf8))
        #expect(work.dropped == 2)
        queue.add(Array("five\n".utf8), lines: 1)
        #expect(queue.take().bytes == Array("five\n".utf8))
    }

    @Test func `do not keep the end waiting for a thread that hangs`() throws {
        let queue = try LineQueue()
        #expect(!queue.close(within: .milliseconds(20)))
        queue.end()
        #expect(queue.close(within: .seconds(10)))
    }
}
