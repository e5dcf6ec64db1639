/// Why nobody can be listened to at a place: where, what, and the way out.
package enum ListeningError: Error, Equatable, CustomStringConvertible {
    /// Another process serves it.
    case inUse(String)
    case unusable(place: String, reason: String)

    package var description: String {
        switch self {
        case .inUse(let place):
            "\(place): another process is listening there (stop it, or name another place)"
        case .unusable(let place, let reason): "\(place): \(reason)"
        }
    }
}
