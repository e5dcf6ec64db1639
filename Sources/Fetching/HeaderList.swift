import CCurl

/// The sole owner of a list of lines in libcurl's form.
final class HeaderList {
    /// Nil for an empty list. Valid as long as this object lives.
    let raw: UnsafeMutablePointer<curl_slist>?

    init(lines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // Without memory the list stays as it was, and a request with fewer lines is sent.
            guard let longer = curl_slist_append(list, line) else { break }
            list = longer
        }
        raw = list
    }

    deinit { curl_slist_free_all(raw) }
}
