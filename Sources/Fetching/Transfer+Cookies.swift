import CCurl

/// The cookies of a load, which libcurl keeps in the transfer's handle.
extension Transfer {
    /// The cookies that the load's hops have set, as libcurl writes them: one line each. Setting
    /// them, before the first hop, takes up where an earlier load ended.
    package var cookies: [String] {
        get {
            let list = pw_easy_get_cookies(easy.raw)
            defer { curl_slist_free_all(list) }
            return sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }.compactMap {
                $0?.pointee.data.map { String(cString: $0) }
            }
        }
        set { for line in newValue { easy.set(CURLOPT_COOKIELIST, line) } }
    }
}
