import CTestLinux
import Glibc
import Reactor

/// A listening socket on loopback.
final class Listener {
    private(set) var raw: CInt
    let port: UInt16

    /// Listens on a port; 0 stands for any that is free.
    init(port: UInt16, isIPv6: Bool, backlog: CInt) throws(SystemError) {
        let family = isIPv6 ? AF_INET6 : AF_INET
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = try call("open a socket") { socket(family, CInt(kind), 0) }
        do {
            var on: CInt = 1
            let size = socklen_t(MemoryLayout<CInt>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
            if isIPv6 { setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
            self.port = try Self.bind(descriptor, port: port, isIPv6: isIPv6)
            try call("listen on port \(port)") { Glibc.listen(descriptor, backlog) }
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        raw = descriptor
    }

    /// Stops listening; later connections are refused.
    func close() {
        guard raw >= 0 else { return }
        _ = Glibc.close(raw)
        raw = -1
    }

    deinit {
        close()
    }

    /// Gives the socket its address, and answers the port.
    private static func bind(
        _ descriptor: CInt, port: UInt16, isIPv6: Bool
    ) throws(SystemError) -> UInt16 {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            try bind(descriptor, &address, port)
            return UInt16(bigEndian: address.sin6_port)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try bind(descriptor, &address, port)
        return UInt16(bigEndian: address.sin_port)
    }

    private static func bind<Address>(
        _ descriptor: CInt, _ address: inout Address, _ port: UInt16
    ) throws(SystemError) {
        var size = socklen_t(MemoryLayout<Address>.size)
        // Both calls read or write a socket address of the size that is given with it.
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                if Glibc.bind(descriptor, address, size) != 0 { return errno }
                return getsockname(descriptor, address, &size) == 0 ? 0 : errno
            }
        }
        if result != 0 { throw SystemError(code: result, action: "bind port \(port)") }
    }
}
