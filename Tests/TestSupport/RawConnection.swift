import CTestLinux
import Glibc
import Reactor

/// A connection of a test to a port on loopback or a Unix socket, without any protocol.
package final class RawConnection: Sendable {
    /// What was received, and how it ended.
    package struct Received: Sendable {
        package enum Ending: Sendable, Equatable {
            case closed, reset
            /// As much came as was asked for.
            case enough
            case timedOut
        }

        package var bytes: [UInt8] = []
        /// When each read ended and how much had come by then, by ``MonotonicClock``.
        package var progress: [(count: Int, time: Duration)] = []
        package var ending = Ending.enough
        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let descriptor: CInt

    /// Connects to a port of 127.0.0.1, or of [::1].
    ///
    /// - Throws: ``SystemError`` if nobody listens.
    package init(port: UInt16, isIPv6: Bool = false) throws(SystemError) {
        let family = isIPv6 ? AF_INET6 : AF_INET
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = try call("open a socket") { socket(family, kind, 0) }
        do {
            var address = LoopbackAddress(port: port, isIPv6: isIPv6)
            try address.withPointer { pointer, size throws(SystemError) in
                _ = try call("connect to port \(port)") { connect(raw, pointer, size) }
            }
        } catch {
            _ = close(raw)
            throw error
        }
        descriptor = raw
    }

    /// Connects to a Unix socket.
    ///
    /// - Throws: ``SystemError`` if nobody listens, or the path is too long.
    package init(path: String) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError(code: ENAMETOOLONG, action: "connect to \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = try call("open a socket") { socket(AF_UNIX, kind, 0) }
        do {
            // A sockaddr_un begins with the fields of sockaddr, and its size goes along.
            try call("connect to \(path)") {
                withUnsafePointer(to: &address) { pointer in
                    let pointer = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
                    return connect(raw, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        } catch {
            _ = close(raw)
            throw error
        }
        descriptor = raw
    }

    deinit {
        _ = close(descriptor)
    }

    /// Sends text; what fits the socket's buffer never waits.
    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Sends no more; the other side sees the end of what was sent.
    package func endSending() {
        _ = shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Sends a GET request for a target.
    package func get(_ target: String, _ headers: String...) {
        let lines = headers.map { $0 + "\r\n" }.joined()
        send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(lines)\r\n")
    }

    /// Receives until the other side ends, or so many bytes have come, or `text` has.
    package func receive(
        atLeast enough: Int = .max, upTo text: String? = nil, within limit: Duration = .seconds(30)
    ) async throws -> Received {
        try await OwnThread.run { self.read(enough, text.map { Array($0.utf8) }, limit) }
    }

    private func read(_ enough: Int, _ end: [UInt8]?, _ limit: Duration) -> Received {
        var received = Received()
        let deadline = MonotonicClock.now() + limit
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while received.bytes.count < enough {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = max(.zero, deadline - MonotonicClock.now())
            if poll(&wanted, 1, CInt(clamping: left.millisecondsRoundedUp)) == 0 {
                received.ending = .timedOut
                return received
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                received.bytes += buffer[..<count]
                received.progress.append((received.bytes.count, MonotonicClock.now()))
                if let end, received.bytes.suffix(end.count).elementsEqual(end) { break }
            } else if count == 0 {
                received.ending = .closed
                return received
            } else if errno != EINTR {
                received.ending = .reset
                return received
            }
        }
        return received
    }
}

/// An address on loopback in the form that the system calls want.
struct LoopbackAddress {
    private var four = sockaddr_in()
    private var six = sockaddr_in6()
    private let isIPv6: Bool

    init(port: UInt16, isIPv6: Bool = false) {
        self.isIPv6 = isIPv6
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        six.sin6_addr = in6addr_loopback
    }

    /// The port, after a call that wrote it.
    var port: UInt16 { UInt16(bigEndian: isIPv6 ? six.sin6_port : four.sin_port) }

    mutating func withPointer<Result, Failure: Error>(
        _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isIPv6 { return try Self.rebound(&six, body) }
        return try Self.rebound(&four, body)
    }

    /// Both kinds begin with the fields of `sockaddr`, and their size goes along.
    private static func rebound<Address, Result, Failure: Error>(
        _ address: UnsafeMutablePointer<Address>,
        _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let pointer = UnsafeMutableRawPointer(address).assumingMemoryBound(to: sockaddr.self)
        return try body(pointer, socklen_t(MemoryLayout<Address>.size))
    }
}
