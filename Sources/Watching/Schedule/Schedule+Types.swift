import PageModel

extension Schedule {
    /// A target's place in the schedule, for as long as it is in.
    package struct ID: Hashable, Sendable {
        let index: Int32
        let generation: UInt32
    }

    /// A target to take in.
    package struct Newcomer: Sendable {
        package var name: String
        /// As limits and Retry-After count it, `host:port`.
        package var host: String
        package var timing: Timing
        /// When its last load began; nil if it was never loaded.
        package var lastStart: Timestamp?
        package var check: NextCheck
        package var pause: Pause?

        package init(
            name: String, host: String, timing: Timing, lastStart: Timestamp? = nil,
            check: NextCheck = .regular, pause: Pause? = nil
        ) {
            self.name = name
            self.host = host
            self.timing = timing
            self.lastStart = lastStart
            self.check = check
            self.pause = pause
        }
    }

    /// What is due.
    package enum Due: Equatable, Sendable {
        /// Load the target; it counts as running until ``Schedule/finished(_:next:failingLoads:now:)``.
        /// - Parameter gap: Starts that were missed before this one, to be told.
        case load(ID, check: NextCheck, gap: DurableEvent?)
        /// A pause is over; the target is due soon.
        case resumed(ID)
    }
}
