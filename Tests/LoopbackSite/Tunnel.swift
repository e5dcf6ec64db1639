import CTestLinux
import Glibc
import Reactor

/// What a proxy does after CONNECT: bytes pass between a connection's socket and a port of
/// 127.0.0.1, both ways, until one side ends.
final class Tunnel {
    private static let mostPending = 64 << 10

    private struct Side {
        let socket: CInt
        /// What came from the other side and is not sent yet.
        var pending: [UInt8] = []
    }

    private let peer: FileDescriptor
    private let loop: EventLoop
    private var near: Side
    private var far: Side
    private let end: () -> Void
    /// Whether one side has said its last.
    private var isEnding = false

    /// Connects to the port; `end` is called once, when either side has ended.
    init(
        near: CInt, toPort port: UInt16, loop: EventLoop, end: @escaping () -> Void
    ) throws(SystemError) {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        let raw = try call("open a socket") { socket(AF_INET, CInt(kind), 0) }
        peer = FileDescriptor(owning: raw)
        self.loop = loop
        self.near = Side(socket: near)
        far = Side(socket: raw)
        self.end = end
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // On loopback, connecting is over at once: accepted into the queue, or refused.
        try call("connect to port \(port)") {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(raw, $0, size)
                }
            }
        }
        try call("connect to port \(port)") { fcntl(raw, F_SETFL, O_NONBLOCK) }
    }

    /// Begins to pass bytes. The near socket must not be watched by anybody else.
    func start() throws(SystemError) {
        try loop.watch(near.socket, for: .readable) { [self] in pass($0, isNear: true) }
        try loop.watch(far.socket, for: .readable) { [self] in pass($0, isNear: false) }
    }

    /// Ends the watches; the far socket is closed with the value.
    func stop() {
        loop.unwatch(near.socket)
        loop.unwatch(far.socket)
    }

    private func pass(_ readiness: EventLoop.Readiness, isNear: Bool) {
        var isBroken = false
        if readiness.contains(.writable) {
            isBroken = isNear ? !flush(&near) : !flush(&far)
        }
        if !readiness.isDisjoint(with: [.readable, .failed]) && !isBroken && !isEnding {
            isEnding = isNear ? !move(near.socket, &far) : !move(far.socket, &near)
        }
        // What came before the end of one side still belongs to the other.
        let isOver = isBroken || (isEnding && near.pending.isEmpty && far.pending.isEmpty)
        do {
            if !isOver {
                try watch(near, other: far)
                try watch(far, other: near)
                return
            }
        } catch {}
        stop()
        end()
    }

    private func watch(_ side: Side, other: Side) throws(SystemError) {
        var interest: EventLoop.Readiness = side.pending.isEmpty ? [] : .writable
        if other.pending.count < Self.mostPending && !isEnding { interest.insert(.readable) }
        try loop.rewatch(side.socket, for: interest)
    }

    /// Reads from one socket and sends on the other; false at the end.
    private func move(_ source: CInt, _ target: inout Side) -> Bool {
        let count = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            let count = recv(source, buffer.baseAddress, buffer.count, 0)
            if count > 0 { target.pending += buffer[..<count] }
            return count
        }
        if count > 0 { return flush(&target) }
        return count == -1 && (errno == EAGAIN || errno == EINTR)
    }

    private func flush(_ side: inout Side) -> Bool {
        while !side.pending.isEmpty {
            let count = send(
                side.socket, side.pending, side.pending.count, CInt(MSG_NOSIGNAL))
            if count > 0 {
                side.pending.removeFirst(count)
            } else if errno != EINTR {
                return errno == EAGAIN
            }
        }
        return true
    }
}
