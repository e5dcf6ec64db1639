import Glibc
import Reactor

/// Where a service tells the one who started it how it is (sd_notify(3)).
///
/// Input: what `Daemon/ServiceLink` has to say. Output: datagrams to systemd.
package struct NotifySocket: Sendable {
    /// One thing to say.
    package enum Assignment: Equatable, Sendable {
        case ready
        /// Behind the time at which it began, by ``MonotonicClock``.
        case reloading(Duration)
        case stopping
        /// A line that `systemctl status` shows.
        case status(String)
        /// The sign of life.
        case watchdog
        /// What is under way may take so long from now on, however long it has taken.
        case extendTimeout(Duration)

        /// A line, as it is sent.
        var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let since): "RELOADING=1\nMONOTONIC_USEC=\(since.microseconds)"
            case .stopping: "STOPPING=1"
            // A line break in it would begin another assignment.
            case .status(let text):
                "STATUS="
                    + text.split(whereSeparator: \.isNewline)
                    .joined(separator: " ").cut(toBytes: NotifySocket.mostStatusBytes)
            case .watchdog: "WATCHDOG=1"
            case .extendTimeout(let span): "EXTEND_TIMEOUT_USEC=\(span.microseconds)"
            }
        }
    }

    /// systemd drops a message of more than 4096 bytes, with all that is in it.
    package static let mostStatusBytes = 1 << 10
    /// How long something that must not be lost waits for systemd's queue.
    private static let patience = timeval(tv_sec: 1, tv_usec: 0)

    private let address: UnixAddress

    /// Nil if nobody wants to be told.
    ///
    /// - Parameter variable: Looks up a variable of the environment.
    package init?(_ variable: (String) -> String?) {
        guard let place = variable("NOTIFY_SOCKET"), let address = UnixAddress(given: place) else {
            return nil
        }
        self.address = address
    }

    /// Tells all of it at once.
    ///
    /// - Parameter waits: Whether a queue that is full is waited for; otherwise what does not fit
    ///   is not told.
    /// - Returns: Whether it was told.
    @discardableResult
    package func tell(_ assignments: Assignment..., waits: Bool = false) -> Bool {
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = socket(AF_UNIX, kind, 0)
        guard raw >= 0 else { return false }
        let descriptor = FileDescriptor(owning: raw)
        var patience = Self.patience
        _ = setsockopt(
            raw, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(assignments.map(\.text).joined(separator: "\n").utf8)
        let flags = CInt(MSG_NOSIGNAL) | (waits ? 0 : CInt(MSG_DONTWAIT))
        return address.withPointer { address, size in
            while true {
                let count = sendto(descriptor.raw, bytes, bytes.count, flags, address, size)
                if count >= 0 { return true }
                if errno != EINTR { return false }
            }
        }
    }
}

/// The sign of life that systemd waits for (sd_watchdog_enabled(3)).
package enum Watchdog {
    /// How often to give it: in half of the time after which it is missed. Nil if nobody waits.
    ///
    /// - Parameters:
    ///   - process: The number that the variables must be meant for.
    ///   - variable: Looks up a variable of the environment.
    package static func interval(
        process: pid_t = getpid(), _ variable: (String) -> String?
    ) -> Duration? {
        guard let limit = variable("WATCHDOG_USEC").flatMap({ Int64($0) }), limit > 0 else {
            return nil
        }
        // Without a number it is meant for whoever has the other one.
        if let meant = variable("WATCHDOG_PID"), pid_t(meant) != process { return nil }
        return .microseconds(max(1, limit / 2))
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
