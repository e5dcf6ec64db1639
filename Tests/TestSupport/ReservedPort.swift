import CTestLinux
import Glibc
import Reactor

/// A port of 127.0.0.1 that nobody else gets while this lives.
package final class ReservedPort: Sendable {
    /// What becomes of connections to it.
    package enum Kind: Sendable {
        /// Nobody listens.
        case refusing
        /// The queue of new connections is full and stays so: a further one hangs.
        case swallowing
    }

    package let port: UInt16
    private let descriptor: CInt
    private let fillers: [CInt]

    /// Takes a free port.
    package init(_ kind: Kind = .refusing) throws(SystemError) {
        let stream = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = try call("open a socket") { socket(AF_INET, stream, 0) }
        var address = LoopbackAddress(port: 0)
        do {
            try address.withPointer { pointer, size throws(SystemError) in
                try call("reserve a port") { bind(raw, pointer, size) }
                var size = size
                _ = try call("reserve a port") { getsockname(raw, pointer, &size) }
            }
            if kind == .swallowing { try call("listen") { listen(raw, 0) } }
        } catch {
            _ = close(raw)
            throw error
        }
        descriptor = raw
        port = address.port
        var fillers: [CInt] = []
        if kind == .swallowing {
            // A queue of length 0 holds one; the second is there for kernels that hold one more.
            for _ in 0..<2 {
                let filler = socket(AF_INET, stream | CInt(SOCK_NONBLOCK.rawValue), 0)
                _ = address.withPointer { connect(filler, $0, $1) }
                fillers.append(filler)
            }
        }
        self.fillers = fillers
    }

    deinit {
        _ = close(descriptor)
        for filler in fillers { _ = close(filler) }
    }
}
