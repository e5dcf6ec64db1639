import Glibc
import Reactor

/// The journal's own socket: takes messages with fields, and never makes the sender wait.
package final class JournalSocket {
    /// What became of a message.
    package enum Outcome: Equatable {
        case sent
        /// The journal takes no more at the moment.
        case busy
        /// Nobody is there, or the message can't be sent.
        case refused
    }

    /// Where the journal listens.
    package static let usualPath = "/run/systemd/journal/socket"

    private let address: UnixAddress?
    private var descriptor: FileDescriptor?

    /// - Parameter path: Another one in tests.
    package init(path: String = usualPath) {
        address = UnixAddress(path: path)
    }

    /// Sends a message.
    package func send(_ entry: JournalEntry) -> Outcome {
        let isNew = descriptor == nil
        let code = sendOnce(entry.bytes)
        if code == 0 { return .sent }
        if code == EAGAIN { return .busy }
        descriptor = nil
        // A journal that was started anew has another socket of the same name.
        guard !isNew, ![EMSGSIZE, EPERM].contains(code) else { return .refused }
        switch sendOnce(entry.bytes) {
        case 0: return .sent
        case EAGAIN: return .busy
        default:
            descriptor = nil
            return .refused
        }
    }

    /// 0, or why it did not go.
    private func sendOnce(_ bytes: [UInt8]) -> CInt {
        guard let raw = connected() else { return ENOENT }
        while true {
            let count = Glibc.send(
                raw, bytes, bytes.count,
                CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            if count >= 0 { return 0 }
            let code = errno
            if code != EINTR { return code }
        }
    }

    private func connected() -> CInt? {
        if let raw = descriptor?.raw { return raw }
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = socket(AF_UNIX, kind, 0)
        guard raw >= 0, let address else { return nil }
        let opened = FileDescriptor(owning: raw)
        guard address.withPointer({ connect(raw, $0, $1) }) == 0 else { return nil }
        descriptor = consume opened
        return raw
    }
}

/// Whether a stream of the process ends in the journal.
package enum JournalStream {
    /// - Parameters:
    ///   - stream: A descriptor, such as standard error's.
    ///   - variable: Looks up a variable of the environment.
    package static func isJournal(_ stream: CInt, _ variable: (String) -> String?) -> Bool {
        // What systemd connected is told by device and inode: the variable is inherited, also by
        // processes whose streams lead elsewhere.
        guard let named = variable("JOURNAL_STREAM"), let colon = named.firstIndex(of: ":"),
            let device = UInt64(named[..<colon]),
            let inode = UInt64(named[named.index(after: colon)...])
        else { return false }
        var status = stat()
        return fstat(stream, &status) == 0 && UInt64(status.st_dev) == device
            && UInt64(status.st_ino) == inode
    }
}
