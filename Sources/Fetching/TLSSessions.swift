import CCurl

/// TLS sessions to resume, apart for each host: libcurl keeps only 8 in one store, so that a
/// watcher of more hosts than that would never resume.
final class TLSSessions {
    /// Hosts beyond this many go without a store of their own; one costs about 8 KB.
    private static let capacity = 1024

    private var stores: [String: TLSSessionStore] = [:]

    /// The store for `HOST:PORT`; nil when there is no room or no memory.
    func store(for authority: String) -> TLSSessionStore? {
        if let store = stores[authority] { return store }
        guard stores.count < Self.capacity, let store = TLSSessionStore() else { return nil }
        stores[authority] = store
        return store
    }
}

/// The sole owner of one libcurl share that holds TLS sessions.
///
/// Lives until after every handle that uses it: the pool ends its handles first.
final class TLSSessionStore {
    let raw: OpaquePointer

    init?() {
        guard let raw = curl_share_init() else { return nil }
        self.raw = raw
        pw_share_ssl_sessions(raw)
    }

    deinit { curl_share_cleanup(raw) }
}
