/// All that is known of a load at its end: one result, whichever way it went.
package struct LoadResult: Equatable, Sendable {
    /// How a load ended.
    package enum Outcome: String, Sendable {
        case finished, failed
    }

    /// A hop that sent the load on: the URL asked, and the status it answered.
    package struct Redirect: Equatable, Sendable {
        package var url: String
        package var status: Int

        package init(url: String, status: Int) {
            self.url = url
            self.status = status
        }
    }

    /// A refresh that the page asks for and that was not followed.
    package struct Refresh: Equatable, Sendable {
        /// Seconds.
        package var delay: Int
        package var url: String

        package init(delay: Int, url: String) {
            self.delay = delay
            self.url = url
        }
    }

    /// The URL as it was given, less user information.
    package var initialURL: String
    /// The last URL that was tried; null if none could be.
    package var url: String?
    package var title: String?
    package var outcome: Outcome
    /// The status of the last answer; null before there is one.
    package var status: Int?
    package var contentType: String?
    package var encoding: String?
    package var encodingSource: EncodingSource?
    package var redirects: [Redirect]
    package var refresh: Refresh?
    /// The bytes of the body on the wire; null before there was an answer.
    package var bytes: Int64?
    package var timings: Timings?
    /// Only when `outcome` is `failed`.
    package var error: LoadError?

    package init(
        initialURL: String, url: String? = nil, title: String? = nil, outcome: Outcome,
        status: Int? = nil, contentType: String? = nil, encoding: String? = nil,
        encodingSource: EncodingSource? = nil, redirects: [Redirect] = [],
        refresh: Refresh? = nil, bytes: Int64? = nil, timings: Timings? = nil,
        error: LoadError? = nil
    ) {
        self.initialURL = initialURL
        self.url = url
        self.title = title
        self.outcome = outcome
        self.status = status
        self.contentType = contentType
        self.encoding = encoding
        self.encodingSource = encodingSource
        self.redirects = redirects
        self.refresh = refresh
        self.bytes = bytes
        self.timings = timings
        self.error = error
    }
}
