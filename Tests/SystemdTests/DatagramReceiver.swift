import Glibc
import Reactor
import TestSupport

/// A datagram socket of a test's own, in the place of systemd's or the journal's.
final class DatagramReceiver {
    let folder: TemporaryFolder
    private let descriptor: FileDescriptor
    /// What stands in the environment for it.
    let place: String

    /// - Parameter name: Of an address without a file; with nil it has one.
    init(name: String? = nil) throws {
        folder = try TemporaryFolder()
        place = name.map { "@" + $0 } ?? folder.file("socket")
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = try call("open a socket") { socket(AF_UNIX, kind, 0) }
        descriptor = FileDescriptor(owning: raw)
        let address = UnixAddress(given: place)
        try call("bind the socket") { address?.withPointer { bind(raw, $0, $1) } ?? -1 }
    }

    /// The next datagram that is there; nil if none is.
    func next() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 512 << 10)
        let count = recv(descriptor.raw, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        return count >= 0 ? Array(buffer[..<count]) : nil
    }

    /// The next one as text.
    func nextText() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
}
