import Titles
import WebAddress

/// A refresh that a page asks for, with its address resolved.
struct PendingRefresh {
    /// Seconds.
    let delay: Int
    let address: WebAddress

    /// The header counts before the page's own element, as the HTML standard has it: the first
    /// that a document meets stays. Nil if there is none, or it leads to no http or https URL.
    init?(header: String?, meta: Titles.Refresh?, page: WebAddress) {
        if let header, let parsed = PageReader.parseRefresh(header) {
            delay = parsed.delay
            guard let address = Self.resolve(parsed.url, against: page) else { return nil }
            self.address = address
        } else if let meta {
            delay = meta.delay
            let base = meta.baseHref.flatMap { try? page.resolving($0.utf8) } ?? page
            guard let address = Self.resolve(meta.url, against: meta.url == nil ? page : base)
            else { return nil }
            self.address = address
        } else {
            return nil
        }
    }

    private static func resolve(_ url: String?, against base: WebAddress) -> WebAddress? {
        guard let url else { return base }
        return try? base.resolving(url.utf8)
    }
}
