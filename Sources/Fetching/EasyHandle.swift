import CCurl

/// The sole owner of one libcurl easy handle, set up once with what never changes.
///
/// Its callbacks are set by the ``Transfer`` that owns it and that they call back.
final class EasyHandle {
    /// Bytes; the measured optimum: at 500 KB a page 0.64 of the CPU that 16 KiB cost, and 256 KiB
    /// was slower again.
    private static let receiveBuffer = 100 << 10
    let raw: OpaquePointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var options: TransferOptions?

    /// - Parameter connectionAge: After it a connection is not used again, so that a changed address
    ///   or certificate is noticed.
    /// - Returns: Nil if there is no memory.
    init?(connectionAge: Duration) {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        pw_easy_set_string(raw, CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_NOSIGNAL, 1)
        // Without it, removing a handle whose look-up hangs joins the resolver's thread and
        // stops the loop for as long as that takes.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_BUFFERSIZE, Self.receiveBuffer)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_MAXLIFETIME_CONN, Int(clamping: connectionAge.components.seconds))
        // As browsers do. OpenSSL could not speak the older ones at its usual level of security
        // anyway, but would try, and fail for other reasons than the version.
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        // An empty name starts the cookie engine and reads no file.
        set(CURLOPT_COOKIEFILE, "")
    }

    deinit {
        curl_easy_cleanup(raw)
        errorText.deallocate()
    }

    /// What libcurl wrote about the last failure since ``forgetError()``; empty if nothing.
    var lastErrorText: String { String(cString: errorText) }

    /// Empties ``lastErrorText``.
    func forgetError() { errorText.pointee = 0 }

    /// Sets up what a load's options say; nothing if the handle is set up for them already.
    func apply(_ options: TransferOptions) {
        guard self.options !== options else { return }
        self.options = options
        set(CURLOPT_USERAGENT, options.userAgent)
        set(CURLOPT_PROXY, options.proxy)
        let family =
            switch options.addressFamily {
            case .any: CURL_IPRESOLVE_WHATEVER
            case .ipv4: CURL_IPRESOLVE_V4
            case .ipv6: CURL_IPRESOLVE_V6
            }
        set(CURLOPT_IPRESOLVE, Int(family))
        let version =
            options.usesHTTP2PriorKnowledge
            ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS
        set(CURLOPT_HTTP_VERSION, version)
        pw_easy_set_list(raw, CURLOPT_RESOLVE, options.resolveList.raw)
        applyTrust(options)
    }

    /// Which certificates are believed.
    private func applyTrust(_ options: TransferOptions) {
        set(CURLOPT_SSL_VERIFYPEER, options.isInsecure ? 0 : 1)
        set(CURLOPT_SSL_VERIFYHOST, options.isInsecure ? 0 : 2)
        // Never both a file and a folder: with a folder set, libcurl does not cache the file, and
        // parses its 140 certificates anew for each connection (31 ms of CPU; 1 ms without).
        set(CURLOPT_CAINFO, options.caFile)
        set(CURLOPT_CAPATH, options.caFile == nil ? SystemTrust.hashedDirectory : nil)
    }

    func set(_ option: CURLoption, _ value: Int) {
        check(pw_easy_set_long(raw, option, value), option)
    }

    func set(_ option: CURLoption, _ value: String?) {
        check(pw_easy_set_string(raw, option, value), option)
    }

    /// An option that libcurl does not know is a mistake in our own code, or a libcurl that is
    /// too old for this program; running out of memory shows at the transfer.
    private func check(_ code: CURLcode, _ option: CURLoption) {
        precondition(
            code != CURLE_UNKNOWN_OPTION && code != CURLE_BAD_FUNCTION_ARGUMENT,
            "this libcurl refuses option \(option.rawValue)")
    }

    func integer(_ info: CURLINFO) -> Int {
        var value = 0
        return pw_easy_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }
}

/// Where the system keeps the certificates that it trusts.
enum SystemTrust {
    /// Debian's folder of certificates by the hash of their subject: looked into for just the
    /// issuers that a connection needs, which no start-up pays for.
    static let hashedDirectory = "/etc/ssl/certs"
}
