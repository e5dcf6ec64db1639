/// Why a load failed: how far it had come, a symbolic word, and a sentence for people.
///
/// A page that cannot be loaded is this program's daily bread, not an exception: the error is a
/// value, and is written the same in events, results and answers. `docs/EVENTS.md` lists the codes.
package struct LoadError: Equatable, Sendable {
    /// How far a load had come when it failed.
    package enum Phase: String, Sendable, CaseIterable {
        case request, resolve, connect, tls, firstByte, body, redirect, content
    }

    package var phase: Phase
    /// A word in lower camel case, such as `timedOut`; stable for scripts.
    package var code: String
    /// One line for people; no secrets, no control characters of the server's.
    package var message: String

    package init(phase: Phase, code: String, message: String) {
        self.phase = phase
        self.code = code
        self.message = message
    }
}
