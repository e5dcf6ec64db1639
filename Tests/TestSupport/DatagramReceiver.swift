import CTestLinux
import Glibc
import Reactor

/// A datagram socket of a test's own, in the place of systemd's or the journal's.
package final class DatagramReceiver: Sendable {
    private let folder: TemporaryFolder
    private let descriptor: CInt
    /// What stands in the environment for it.
    package let place: String

    /// - Parameter name: Of an address without a file; with nil it has one.
    package init(name: String? = nil) throws(SystemError) {
        folder = try TemporaryFolder()
        let place = name.map { "@" + $0 } ?? folder.file("socket")
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = try call("open a socket") { socket(AF_UNIX, kind, 0) }
        descriptor = raw
        self.place = place
        try call("bind \(place)") {
            UnixAddress(given: place)?.withPointer { bind(raw, $0, $1) } ?? -1
        }
    }

    deinit { _ = close(descriptor) }

    /// The next datagram that is there; nil if none is.
    package func next() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 512 << 10)
        let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        return count >= 0 ? Array(buffer[..<count]) : nil
    }

    /// The next one as text.
    package func nextText() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
}
