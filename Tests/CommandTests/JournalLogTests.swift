import Events
import Glibc
import Reactor
import Systemd
import TestSupport
import Testing

@testable import pagewatch

@Suite struct `The journal as the service's log` {
    /// Standard error in its place: a pipe.
    private final class StandIn {
        let reader: CInt
        let output: ServiceOutput
        private let writer: CInt

        init() throws {
            var ends: [CInt] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
            output = ServiceOutput(writer)
            _ = fcntl(reader, F_SETFL, O_NONBLOCK)
        }

        deinit {
            close(reader)
            close(writer)
        }

        var text: String {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = read(reader, &buffer, buffer.count)
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
    }

    @Test func `has each message there once, and nothing on standard error`() throws {
        let (journal, standIn) = (try DatagramReceiver(), try StandIn())
        let log = JournalLog(
            socket: JournalSocket(path: journal.place), standIn: standIn.output)
        log.add(JournalMessage(remark: "one", .error))
        log.add(JournalMessage(remark: "two", .info))
        #expect(journal.next() == nil)
        log.flush()
        #expect(
            journal.nextText() == """
                MESSAGE=(service): one
                PRIORITY=3
                MESSAGE_ID=\(JournalKind.remark.id)
                SYSLOG_IDENTIFIER=pagewatch

                """)
        #expect(journal.nextText()?.hasPrefix("MESSAGE=(service): two\nPRIORITY=6\n") == true)
        #expect(journal.next() == nil)
        #expect(standIn.text == "")
    }

    @Test func `without a journal has lines with their priority on standard error`() throws {
        let standIn = try StandIn()
        let log = JournalLog(
            socket: JournalSocket(path: "/nonexistent/socket"), standIn: standIn.output)
        log.add(JournalMessage(remark: "one\n<0>two", .warning))
        log.finish(within: .seconds(1))
        #expect(standIn.text == "<4>(service): one\\u000A<0>two\n")
    }

    @Test func `of a journal that takes no more keeps what fits, and tells how much is missing`()
        throws
    {
        let (journal, standIn) = (try DatagramReceiver(), try StandIn())
        let log = JournalLog(
            socket: JournalSocket(path: journal.place), standIn: standIn.output, capacity: 1000)
        for number in 1...5000 {
            log.add(JournalMessage(remark: "line \(number)", .info))
            log.flush()
        }
        var told: [String] = []
        repeat {
            while let text = journal.nextText() {
                told.append(String(text.prefix { $0 != "\n" }))
            }
            log.flush()
        } while told.last?.contains("missing") != true
        let lines = told.dropLast()
        #expect(lines.enumerated().allSatisfy { $1 == "MESSAGE=(service): line \($0 + 1)" })
        #expect(
            told.last == "MESSAGE=(service): \(5000 - lines.count) lines are missing here:"
                + " the journal took no more")
        #expect(standIn.text == "")
        log.add(JournalMessage(remark: "after", .info))
        log.flush()
        #expect(journal.nextText()?.hasPrefix("MESSAGE=(service): after\n") == true)
    }

    @Test func `that does not come back is not waited for at the end`() throws {
        let (journal, standIn) = (try DatagramReceiver(), try StandIn())
        let log = JournalLog(
            socket: JournalSocket(path: journal.place), standIn: standIn.output)
        for _ in 1...2000 { log.add(JournalMessage(remark: "line", .info)) }
        let clock = ContinuousClock()
        #expect(clock.measure { log.finish(within: .milliseconds(50)) } < .seconds(2))
        var taken = 0
        while journal.next() != nil { taken += 1 }
        #expect(taken > 0)
        #expect(
            standIn.text == "<3>(service): \(2000 - taken) lines are missing in the journal:"
                + " it took no more\n")
    }
}
