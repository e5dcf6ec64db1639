import Glibc

/// What the program tells its caller when it ends; the same numbers as monitoring plugins use.
enum ExitCode: Int32, Sendable {
    case fine = 0
    /// A title is not as expected, or changed. To a monitoring system: warning.
    case titleNotAsExpected = 1
    /// A page failed; an HTTP status of 400 or more counts. To a monitoring system: critical.
    case pageFailed = 2
    /// Bad usage, bad input, no service, or output that can't be written. Likewise: unknown.
    case unusable = 3
    /// `daemon`: it can't start now, and the same may go well later (EX_TEMPFAIL).
    case notNow = 75
    /// `daemon`: the configuration or the state can't be used before somebody changes something
    /// (EX_CONFIG).
    case misconfigured = 78
    /// Ended by Ctrl-C, as a shell would tell it.
    case interrupted = 130
    /// Ended by SIGTERM, likewise.
    case terminated = 143

    /// The code for a run that a signal ended.
    static func interrupted(by signal: Int32) -> ExitCode {
        signal == SIGTERM ? .terminated : .interrupted
    }

    /// The code for two things that both happened: of 130, 2, 3, 1 the first wins.
    func combined(with other: ExitCode) -> ExitCode { rank >= other.rank ? self : other }

    /// Takes in one more thing that happened.
    mutating func combine(_ other: ExitCode) { self = combined(with: other) }

    private var rank: Int {
        switch self {
        case .fine: 0
        case .titleNotAsExpected: 1
        case .unusable, .notNow, .misconfigured: 2
        case .pageFailed: 3
        case .interrupted, .terminated: 4
        }
    }
}
