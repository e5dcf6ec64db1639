import CMicrohttpd
import Glibc
import Reactor

extension ListeningSocket {
    /// Listens on a port of this machine's loopback, for clients that know no Unix sockets.
    ///
    /// - Parameters:
    ///   - host: A numeric address: `127.0.0.1`, `::1` or `[::1]`. Others are refused: whoever
    ///     reaches the port may do all that the service can, so it stays on the machine.
    ///   - port: 0 for any that is free.
    /// - Throws: ``ListeningError/inUse(_:)`` if another process has the port.
    package init(host: String, port: UInt16) throws(ListeningError) {
        let bare =
            host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
        let place = bare.contains(":") ? "[\(bare)]:\(port)" : "\(bare):\(port)"
        var four = sockaddr_in()
        var six = sockaddr_in6()
        let descriptor: FileDescriptor
        let result: CInt
        if inet_pton(AF_INET, String(bare), &four.sin_addr) == 1,
            UInt32(bigEndian: four.sin_addr.s_addr) >> 24 == 127
        {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            descriptor = try Self.newSocket(AF_INET, for: place)
            result = Self.bind(descriptor.raw, four)
        } else if inet_pton(AF_INET6, String(bare), &six.sin6_addr) == 1, Self.isLoopback(six) {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            descriptor = try Self.newSocket(AF_INET6, for: place)
            result = Self.bind(descriptor.raw, six)
        } else {
            throw .unusable(
                place: place,
                reason: "is no address of this machine's loopback"
                    + " (write 127.0.0.1 or [::1]; for others put a proxy in front)")
        }
        guard result == 0, listen(descriptor.raw, Self.backlog) == 0 else {
            let code = errno
            throw code == EADDRINUSE
                ? .inUse(place) : .unusable(place: place, reason: SystemError.reason(of: code))
        }
        self.init(descriptor, file: nil, place: place, isUnix: false)
    }

    /// The port that it listens on; nil for a Unix socket.
    package var port: UInt16? {
        guard !isUnix else { return nil }
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(raw, $0.baseAddress, &size) }
        }
        // The port stands at the same place in both kinds of addresses.
        return result == 0 ? UInt16(bigEndian: address.sin6_port) : nil
    }

    private static func isLoopback(_ address: sockaddr_in6) -> Bool {
        var loopback = in6addr_loopback
        var address = address.sin6_addr
        return memcmp(&address, &loopback, MemoryLayout<in6_addr>.size) == 0
    }

    /// Binds to an address of either kind; both begin with the fields of `sockaddr`.
    private static func bind<Address>(_ socket: CInt, _ address: Address) -> CInt {
        // A port whose last connections are still in TIME_WAIT is free to us.
        var yes: CInt = 1
        _ = setsockopt(
            socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        return withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { buffer in
                Glibc.bind(socket, buffer.baseAddress, socklen_t(bytes.count))
            }
        }
    }
}
