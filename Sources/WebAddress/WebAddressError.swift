/// Why a text is no address that can be loaded.
package struct WebAddressError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong. The words are those of the events' `error.code`.
    package enum Code: String, Sendable, CaseIterable {
        case malformedURL, unsupportedScheme
    }

    package let code: Code
    /// One line: the text, less user information, what is wrong with it and the way out.
    package let message: String

    package var description: String { message }
}
