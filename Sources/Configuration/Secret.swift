/// A value that logs, status, errors and the store must not show.
///
/// Its description, its mirror and its dump never have the value; ``reveal()`` is for those who
/// send it.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Where the value comes from.
    package enum Origin: Hashable, Sendable {
        /// It stands in the configuration itself.
        case literal
        /// `{file: PATH}`: what the file holds, less one line end.
        case file(String)
        /// `{credential: NAME}`: likewise, of a file in `$CREDENTIALS_DIRECTORY`.
        case credential(String)
        /// `{env: NAME}`: an environment variable.
        case environment(String)
    }

    package let origin: Origin
    /// Nil as long as it is not read: see ``TargetDefinition/missingSecrets``.
    private let value: String?

    package init(_ value: String?, origin: Origin = .literal) {
        self.value = value
        self.origin = origin
    }

    /// The value itself; nil if it is not known.
    package func reveal() -> String? { value }

    package var isKnown: Bool { value != nil }

    package var description: String {
        switch origin {
        case .literal: "(secret)"
        case .file(let path): "(secret in file \(path))"
        case .credential(let name): "(secret in credential \(name))"
        case .environment(let name): "(secret in variable \(name))"
        }
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: [:]) }

    package static func == (one: Secret, other: Secret) -> Bool {
        one.origin == other.origin && (one.value == nil) == (other.value == nil)
            && (one.value ?? "").utf8.elementsEqual((other.value ?? "").utf8)
    }
}
