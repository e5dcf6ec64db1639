import Glibc

/// The address of a Unix socket, in the form that the system calls want.
package struct UnixAddress: Sendable {
    /// A path is shorter than this: the kernel's room, with a NUL behind it.
    package static let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private var address = sockaddr_un()
    /// How much of it is meant. Of a path all: what is behind is NUL. A name is what it says.
    private var size = MemoryLayout<sockaddr_un>.size

    /// Nil for a path that is empty, too long, or holds a NUL.
    package init?(path: String) {
        self.init(bytes: Array(path.utf8))
    }

    /// An address as a program is given it in its environment: a path, or behind an `@` a name
    /// that no file has. Nil for anything else.
    package init?(given text: String) {
        if text.hasPrefix("/") {
            self.init(path: text)
        } else if text.hasPrefix("@"), text.utf8.count > 1 {
            self.init(bytes: Array(text.utf8))
            address.sun_path.0 = 0
            size = MemoryLayout<sockaddr_un>.size - Self.room + text.utf8.count
        } else {
            return nil
        }
    }

    private init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count < Self.room, !bytes.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Calls `body` with the address, which is valid during the call.
    package func withPointer<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        // A sockaddr_un begins with the fields of sockaddr, and its size goes along.
        withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { buffer in
                var none = sockaddr()
                guard let pointer = buffer.baseAddress else { return body(&none, 0) }
                return body(pointer, socklen_t(size))
            }
        }
    }
}
