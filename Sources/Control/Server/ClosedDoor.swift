import Glibc
import Reactor

/// Tells all who wait at a socket why they are not served: for a service that can't run, and whose
/// socket another program, such as systemd, keeps open.
///
/// Whoever is not answered there waits in vain, or makes systemd start the service again at once.
package enum ClosedDoor {
    /// For all of them: those who are late are answered by the next start.
    private static let limit = Duration.seconds(1)
    /// For one request to arrive.
    private static let requestLimit = Duration.milliseconds(250)
    /// A command first looks whether somebody listens, then comes with its request. No start takes
    /// less, so that commands can't have systemd give up on the socket: at 20 starts in two seconds
    /// (TriggerLimitBurst=).
    private static let nextLimit = Duration.milliseconds(100)
    private static let mostHead = 16 << 10

    /// Answers each with the refusal, until nobody waits any more.
    package static func answer(_ refusal: Refusal, at socket: borrowing ListeningSocket) {
        let answer = bytes(of: refusal)
        let end = MonotonicClock.now() + limit
        while MonotonicClock.now() < end {
            let raw = accept(socket.raw, nil, nil)
            if raw >= 0 {
                let client = FileDescriptor(owning: raw)
                guard hasAsked(client.raw) else { continue }
                // A socket takes that much at once.
                _ = send(client.raw, answer, answer.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            } else if errno == EAGAIN {
                guard isReadable(socket.raw, by: MonotonicClock.now() + nextLimit) else { return }
            } else if errno != EINTR && errno != ECONNABORTED {
                return
            }
        }
    }

    /// Reads a request's head, so that no byte of it is left when the connection ends: its client
    /// would be told of that in place of the answer.
    private static func hasAsked(_ client: CInt) -> Bool {
        let end = MonotonicClock.now() + requestLimit
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.count < mostHead, isReadable(client, by: end) {
            let count = read(client, &buffer, buffer.count)
            guard count > 0 else { return false }
            head += buffer[..<count]
            if head.suffix(4) == Array("\r\n\r\n".utf8)[...] { return true }
        }
        return !head.isEmpty
    }

    private static func isReadable(_ descriptor: CInt, by end: Duration) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let left = (end - MonotonicClock.now()).millisecondsRoundedUp
        return poll(&wanted, 1, CInt(clamping: max(0, left))) == 1
    }

    private static func bytes(of refusal: Refusal) -> [UInt8] {
        let body = refusal.body
        let head = """
            HTTP/1.1 \(refusal.status) Service Unavailable\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        return Array(head.utf8) + body
    }
}
