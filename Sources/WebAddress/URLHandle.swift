import CCurl

/// The sole owner of one handle of libcurl's URL API (libcurl-url(3)).
struct URLHandle: ~Copyable {
    private let raw: OpaquePointer

    /// Nil if there is no memory.
    init?() {
        guard let raw = curl_url() else { return nil }
        self.raw = raw
    }

    deinit { curl_url_cleanup(raw) }

    /// Sets the whole URL; a relative one is resolved against the one that was set before.
    borrowing func set(url: String) -> CURLUcode {
        // Any scheme is taken here, so that an unsupported one can be named in the error.
        curl_url_set(raw, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME))
    }

    /// A part of the URL; nil if the URL has none.
    borrowing func get(_ part: CURLUPart, flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(raw, part, &text, UInt32(flags)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
