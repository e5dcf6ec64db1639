import Fetching
import Titles

/// How pages are loaded; the same for many loads. Immutable once the first load has started.
package final class LoadOptions {
    /// How each hop is made.
    package var transfer = TransferOptions()
    /// For the whole load, every hop and refresh in it.
    package var timeout: Duration = .seconds(30)
    package var maxRedirects = 20
    /// Whether a redirect is followed; else its answer is the page.
    package var followsRedirects = true
    /// Whether a refresh of 0 or 1 s is followed as part of the load.
    package var followsRefresh = true
    /// UTF-16 units of a title that are kept; 0 keeps it whole. WebKit's API cuts at 1,000.
    package var titleLimit = 1000
    /// Whether ``PageLoad/cookies`` are wanted at the end.
    package var keepsCookies = false
    /// Whether ``PageLoad/titleBytes`` is wanted.
    package var keepsTitleBytes = false
    /// What beats everything but a byte order mark.
    package var encoding: Encoding?

    package init() {}
}
