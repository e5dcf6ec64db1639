/// Why a hop failed: how far it had come, a symbolic word, a sentence for people.
///
/// A value, not an exception: a page that cannot be loaded is this program's daily bread.
package struct TransferError: Error, Equatable, Sendable {
    /// How far the hop had come. The words are those of the events' `error.phase`.
    package enum Phase: String, Sendable {
        case request, resolve, connect, tls, firstByte, body
    }

    package let phase: Phase
    package let code: String
    package let message: String

    package init(phase: Phase, code: String, message: String) {
        self.phase = phase
        self.code = code
        self.message = message
    }
}
