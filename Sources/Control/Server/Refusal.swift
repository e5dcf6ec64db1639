import Events

/// An answer that is an error, in the form that all errors of the API have.
///
/// Those of the server itself are made here; its owner makes its own in the same form.
package struct Refusal: Error {
    /// The statuses that the server itself answers with.
    package enum Status: Int, Sendable {
        case badRequest = 400
        case forbidden = 403
        case tooLarge = 413
        case serverError = 500
        case unavailable = 503
    }

    package let status: Int
    package let code: String
    package let message: String

    /// - Parameters:
    ///   - code: A word for programs, in camel case.
    ///   - message: A sentence for people.
    package init(status: Int, code: String, message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    init(_ status: Status, _ code: String, _ message: String) {
        self.init(status: status.rawValue, code: code, message: message)
    }

    /// `{"error":{"code":…,"message":…}}` and a line's end.
    package var body: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("error")
            writer.object { writer in
                writer.key("code")
                writer.value(code)
                writer.key("message")
                writer.value(message)
            }
        }
        writer.newline()
        return writer.bytes
    }

    static let tooManyConnections = Refusal(
        .unavailable, "tooManyConnections", "too many clients are connected (try again later)")
    /// For a request that came too late: nothing was done about it.
    package static let stopping = Refusal(.unavailable, "stopping", "the service is stopping")
    /// For one that was being answered: what it asked for may have been done, or not.
    static let stopped = Refusal(
        .unavailable, "stopped", "the service has stopped before it had the answer")
    /// For those who wait at a socket that systemd keeps; see ``ClosedDoor``.
    package static func cannotStart(_ reason: String) -> Refusal {
        Refusal(.unavailable, "cannotStart", reason)
    }
    /// Likewise, where it is tried again without anybody's doing.
    package static func startsLater(_ reason: String) -> Refusal {
        Refusal(.unavailable, "startsLater", reason)
    }
    static let unanswered = Refusal(.serverError, "unanswered", "the request got no answer")
}
