/// Reads a page's body as it arrives: its title, and what else a load must know.
///
/// Input: the bytes of a body, content coding undone, from `PageLoading`. What is found is read from
/// the properties after each call. The answer does not depend on how the bytes are cut.
package final class PageReader {
    /// What the caller knows beyond the content type.
    package struct Options: Sendable {
        /// A label that beats everything the page and its server say about the encoding.
        package var encoding: String?
        /// Whether a body without a usable type may be taken for a page by its first bytes
        /// (false under `X-Content-Type-Options: nosniff`).
        package var maySniff: Bool

        package init(encoding: String? = nil, maySniff: Bool = true) {
            self.encoding = encoding
            self.maySniff = maySniff
        }
    }

    /// What a body is read as.
    package enum Kind: Sendable { case html, xml, notPage }

    /// Nothing that comes can change anything below: stop feeding.
    package private(set) var isSettled = false
    /// The whole normalised title, at most 1 MiB of UTF-8; nil without a title element.
    package private(set) var title: String?
    /// The title's end tag, or the end of the page, was seen. A frameset can take it back.
    package private(set) var isTitleKnown = false
    /// The encoding's name; nil while undecided, or when the body is no page.
    package var encodingName: String? { nil }
    /// Where the encoding was found; nil while undecided, or when the body is no page.
    package var encodingSource: EncodingSource? { nil }
    /// Body content has begun; for what is no page, true with the first byte.
    package private(set) var hasBodyBegun = false
    /// The first refresh that counts.
    package private(set) var refresh: Refresh?
    /// What the body is read as; nil while its first bytes must decide.
    package private(set) var kind: Kind?

    /// - Parameter contentType: The header's value; nil when there is none.
    package init(contentType: String?, options: Options = Options()) {}

    /// Takes the next bytes; they are valid only during the call.
    package func read(_ bytes: UnsafeRawBufferPointer) {}

    /// Takes the end of the body.
    package func finish() {}
}
