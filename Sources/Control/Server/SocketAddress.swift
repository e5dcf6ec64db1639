import CMicrohttpd
import Glibc

/// The address of a Unix socket, in the form that the system calls want.
struct UnixAddress {
    /// A path is shorter than this: the kernel's room, with a NUL behind it.
    static let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private var address = sockaddr_un()

    /// Nil for a path that is empty, too long, or holds a NUL.
    init?(path: String) {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < Self.room, !bytes.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Calls `body` with the address, which is valid during the call.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // A sockaddr_un begins with the fields of sockaddr, and its size goes along.
        withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { buffer in
                var none = sockaddr()
                guard let pointer = buffer.baseAddress else { return body(&none, 0) }
                return body(pointer, socklen_t(bytes.count))
            }
        }
    }
}
