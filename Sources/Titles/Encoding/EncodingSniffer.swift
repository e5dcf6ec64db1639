/// Where the encoding of a page was declared.
package enum EncodingSource: String, Sendable {
    case bom, http, meta, xml, `default`, override
}

/// What a page is to be read as, and why.
struct EncodingDecision: Equatable, Sendable {
    var encoding: Encoding
    var source: EncodingSource
    /// How many bytes at the page's start are a byte order mark: not to be decoded.
    var bomLength: Int
}

/// Decides a page's encoding from its first bytes, as browsers do.
struct EncodingSniffer {
    typealias Decision = EncodingDecision

    /// - Parameters:
    ///   - httpCharset: What ``httpCharset(fromContentType:)`` found; may be unknown.
    ///   - override: Chosen by the user; beats everything but a byte order mark.
    ///   - isXML: Whether the page is XML by its type: then no `meta` counts.
    init(httpCharset: String?, override: Encoding?, isXML: Bool) {}

    /// Reads on; each byte of the page is given once, in order, until there is a decision.
    ///
    /// - Parameter isLast: Whether the page ends with these bytes: then there is a decision.
    /// - Returns: `nil` as long as a later byte could change the answer.
    mutating func consider(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Decision? {
        Decision(encoding: .utf8, source: .default, bomLength: 0)
    }

    /// The charset that a Content-Type header names, as browsers find it.
    static func httpCharset(fromContentType header: String) -> String? {
        nil
    }
}
