import CPCRE2

/// Why a pattern does not compile: where, what, and the way out.
package struct PatternError: Error, Equatable, CustomStringConvertible, Sendable {
    /// PCRE2's code for a lack of memory while compiling.
    static let noMemory: CInt = 121

    /// The pattern as written.
    package let source: String
    /// Characters before the mistake, as people count them.
    package let offset: Int
    /// What is wrong, in PCRE2's words.
    package let message: String
    /// What would be right, where it is known.
    package let remedy: String?

    init(source: String, number: CInt, byteOffset: Int) {
        self.source = source
        // PCRE2 may stop inside a scalar's bytes; what was decoded of it is not counted.
        let before = String(decoding: source.utf8.prefix(byteOffset), as: UTF8.self)
        offset = min(before.count, source.count)
        message = Self.text(of: number)
        remedy = Self.remedy(for: number)
    }

    /// `at character 3: missing closing parenthesis (write "\(" for the character itself)`; the
    /// caller says which pattern, and quotes it.
    package var description: String {
        let place = offset == source.count ? "at its end" : "at character \(offset + 1)"
        return "\(place): \(message)" + (remedy.map { " (\($0))" } ?? "")
    }

    private static func text(of number: CInt) -> String {
        // The longest of PCRE2's messages has about 100 characters.
        let text = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let count = pcre2_get_error_message_8(number, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(max(0, Int(count))), as: UTF8.self)
        }
        return text.isEmpty ? "error \(number)" : text
    }

    private static func remedy(for number: CInt) -> String? {
        switch number {
        case PCRE2_ERROR_END_BACKSLASH: #"write "\\" for a backslash"#
        case PCRE2_ERROR_MISSING_CLOSING_PARENTHESIS: #"write "\(" for the character itself"#
        case PCRE2_ERROR_UNMATCHED_CLOSING_PARENTHESIS: #"write "\)" for the character itself"#
        case PCRE2_ERROR_MISSING_SQUARE_BRACKET: #"write "\[" for the character itself"#
        case PCRE2_ERROR_QUANTIFIER_INVALID:
            #"write "\*", "\+" or "\?" for the character itself"#
        default: nil
        }
    }
}
