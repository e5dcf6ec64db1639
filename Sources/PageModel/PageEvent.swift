/// One change of what a web view would report for a page, in the order in which it is told.
///
/// The first six are WKWebView's observable properties, each with its new value; the last is a
/// step of the navigation.
package enum PageEvent: Equatable, Sendable {
    case estimatedProgress(Double)
    case url(String)
    case isLoading(Bool)
    /// Null for a page without a title element; "" for an empty one, and at each commit.
    case title(String?)
    case canGoForward(Bool)
    case canGoBack(Bool)
    case navigation(NavigationEvent)

    /// The words of the events' `event` key.
    package enum Name: String, Sendable, CaseIterable {
        case estimatedProgress, url, isLoading, title, canGoForward, canGoBack, navigation
    }

    /// The word of this event.
    package var name: Name {
        switch self {
        case .estimatedProgress: .estimatedProgress
        case .url: .url
        case .isLoading: .isLoading
        case .title: .title
        case .canGoForward: .canGoForward
        case .canGoBack: .canGoBack
        case .navigation: .navigation
        }
    }
}

/// A step of a navigation, as WebKit's navigation delegate is told of it.
package enum NavigationEvent: Equatable, Sendable {
    case started
    /// The load goes on to `url`; `status` is that of the answer that said so.
    case redirected(url: String, status: Int, reason: RedirectReason)
    case committed(Commit)
    /// `bytes` counts the body on the wire.
    case finished(status: Int, bytes: Int64, timings: Timings)
    /// `committed` tells whether the page shown is (a part of) the one that failed.
    case failed(committed: Bool, error: LoadError)
}

/// What sent a load on to another URL.
package enum RedirectReason: String, Sendable {
    case http, refresh
}

/// What is known of a page at the moment when it replaces the one before.
package struct Commit: Equatable, Sendable {
    /// The final URL, after redirects.
    package var url: String
    package var status: Int
    /// The Content-Type header's value as sent; null without one.
    package var contentType: String?
    /// The encoding's name in the Encoding standard; null for what is no page, and while the
    /// first block leaves it open.
    package var encoding: String?
    package var encodingSource: EncodingSource?

    package init(
        url: String, status: Int, contentType: String?, encoding: String?,
        encodingSource: EncodingSource?
    ) {
        self.url = url
        self.status = status
        self.contentType = contentType
        self.encoding = encoding
        self.encodingSource = encodingSource
    }
}

/// What decided a page's encoding.
package enum EncodingSource: String, Sendable {
    case bom, http, meta, xml, `default`, override
}
