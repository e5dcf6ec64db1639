import Glibc
import Systemd
import TestSupport
import Testing

@Suite struct `The word to systemd` {
    @Test(arguments: [nil, "pagewatch-test-\(getpid())"])
    func `comes as lines, to a path or to a name without a file`(name: String?) throws {
        let receiver = try DatagramReceiver(name: name)
        let socket = try #require(NotifySocket { $0 == "NOTIFY_SOCKET" ? receiver.place : nil })
        #expect(socket.tell(.ready, .status("3 targets"), waits: true))
        #expect(receiver.nextText() == "READY=1\nSTATUS=3 targets")
        socket.tell(.reloading(.seconds(5) + .microseconds(7)))
        #expect(receiver.nextText() == "RELOADING=1\nMONOTONIC_USEC=5000007")
        socket.tell(.stopping)
        #expect(receiver.nextText() == "STOPPING=1")
        socket.tell(.watchdog)
        #expect(receiver.nextText() == "WATCHDOG=1")
        socket.tell(.extendTimeout(.seconds(60)))
        #expect(receiver.nextText() == "EXTEND_TIMEOUT_USEC=60000000")
        #expect(receiver.next() == nil)
    }

    @Test func `is one line of status, whatever is in it`() throws {
        let receiver = try DatagramReceiver()
        let socket = try #require(NotifySocket { _ in receiver.place })
        socket.tell(.status("a\nREADY=1\r\nb"))
        #expect(receiver.nextText() == "STATUS=a READY=1 b")
    }

    @Test(arguments: ["x", "\u{301}", "😀"])
    func `has a status of no more bytes than systemd takes`(scalar: String) throws {
        let receiver = try DatagramReceiver()
        let socket = try #require(NotifySocket { _ in receiver.place })
        #expect(socket.tell(.status("e" + String(repeating: scalar, count: 10_000))))
        let told = try #require(receiver.next())
        let size = told.count - "STATUS=".utf8.count
        #expect(size <= NotifySocket.mostStatusBytes && size > NotifySocket.mostStatusBytes - 8)
        #expect(!String(decoding: told, as: UTF8.self).contains("\u{FFFD}"))
    }

    @Test(arguments: [nil, "", "relative", "@", "/\(String(repeating: "x", count: 200))"])
    func `is not given where nobody asks for it in a way that is understood`(place: String?) {
        #expect(NotifySocket { _ in place } == nil)
    }

    @Test func `that nobody takes is not waited for`() throws {
        let receiver = try DatagramReceiver()
        let socket = try #require(NotifySocket { _ in receiver.place })
        var told = 0
        while told < 100_000, socket.tell(.watchdog) { told += 1 }
        #expect(told > 0 && told < 100_000)
        // Once there is room again it is told.
        #expect(receiver.next() != nil)
        #expect(socket.tell(.watchdog))
    }

    @Test func `to somebody who has gone is lost without harm`() throws {
        let place: String
        do {
            let receiver = try DatagramReceiver()
            place = receiver.place
        }
        let socket = try #require(NotifySocket { _ in place })
        #expect(!socket.tell(.ready, waits: true))
    }
}

@Suite struct `The sign of life` {
    private func interval(_ variables: [String: String]) -> Duration? {
        Watchdog.interval(process: 42) { variables[$0] }
    }

    @Test func `is due in half of the time after which it is missed`() {
        #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"]) == .seconds(15))
    }

    @Test func `is not given for another process, or where nobody waits`() {
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "41"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"]) == nil)
        for value in ["", "0", "-1", "soon"] { #expect(interval(["WATCHDOG_USEC": value]) == nil) }
        #expect(interval([:]) == nil)
    }
}
