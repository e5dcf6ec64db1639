import Glibc
import Reactor

/// Why nobody can be listened to at a place: where, what, and the way out.
package enum ListeningError: Error, Equatable, CustomStringConvertible {
    /// Another process serves it.
    case inUse(String)
    case unusable(place: String, reason: String)
    /// The system had not what it takes: the same may go well later.
    case failed(place: String, reason: String)

    package var description: String {
        switch self {
        case .inUse(let place):
            "\(place): another process is listening there (stop it, or name another place)"
        case .unusable(let place, let reason), .failed(let place, let reason):
            "\(place): \(reason)"
        }
    }

    /// Whether the same may go well later, with nobody changing anything.
    package var isPassing: Bool {
        switch self {
        case .inUse, .failed: true
        case .unusable: false
        }
    }

    /// For an error number of the system.
    init(_ place: String, _ code: CInt) {
        let reason = SystemError.reason(of: code)
        // Of memory, of descriptors, of room.
        let passing = [ENOMEM, ENOBUFS, EMFILE, ENFILE, ENOSPC, EDQUOT, EIO, EAGAIN]
        self =
            passing.contains(code)
            ? .failed(place: place, reason: reason) : .unusable(place: place, reason: reason)
    }
}
