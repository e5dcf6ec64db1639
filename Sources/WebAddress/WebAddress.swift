import CCurl

/// The address of a page: an http or https URL, in the form in which a browser shows it.
///
/// Parsed by libcurl's URL API, so that what is shown is what is asked. Input: a text typed by a
/// person, or the value of a Location or refresh. The text never holds user information.
package struct WebAddress: Hashable, Sendable {
    /// The only schemes that are loaded.
    package enum Scheme: String, Sendable {
        case http, https

        package var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// Name and password from the URL's user information, percent-decoded. An object, because hardly any
    /// URL has them.
    package final class Credentials: Hashable, Sendable {
        package let user: String
        package let password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        package static func == (one: Credentials, other: Credentials) -> Bool {
            one.user == other.user && one.password == other.password
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(user)
            hasher.combine(password)
        }
    }

    /// The whole URL, less user information: lower-case scheme and host (an IDN in its ASCII
    /// form), no default port, no dot segments, a path of at least "/".
    package let text: String
    /// Lower case, ASCII; an IPv6 address in brackets.
    package let host: String
    package let port: Int
    /// Without the "#"; nil if there is none.
    package let fragment: String?
    package let credentials: Credentials?
    package let scheme: Scheme

    /// `host:port`: what limits and TLS sessions go by.
    package var authority: String { "\(host):\(port)" }

    /// Whether the host is an address, which needs no look-up.
    package var isNumeric: Bool {
        // libcurl has brought every form of an IPv4 address into four decimal numbers.
        host.utf8.first == UInt8(ascii: "[")
            || host.utf8.allSatisfy { $0 <= UInt8(ascii: "9") && $0 != UInt8(ascii: "-") }
    }

    /// Whether the host is this machine by its very name: bytes to it cross no network.
    package var isLoopback: Bool {
        if host.utf8.starts(with: "127.".utf8) {
            return host.utf8.allSatisfy { $0 < UInt8(ascii: "a") }
        }
        return host == "localhost" || host == "[::1]"
    }

    /// Whether scheme, host and port are the same: the bound within which credentials and
    /// configured headers are sent.
    package func isSameOrigin(as other: WebAddress) -> Bool {
        scheme == other.scheme && port == other.port && host == other.host
    }

    /// Parses what a person typed: absolute, with a scheme.
    ///
    /// - Throws: ``WebAddressError`` that quotes the text and names the way out.
    package init(_ typed: String) throws(WebAddressError) {
        if let problem = Self.problem(ofTyped: typed) {
            throw Self.malformed(typed, problem)
        }
        try self.init(bytes: Array(typed.utf8), base: nil, shownAs: typed)
    }

    /// Resolves the value of a Location header or of a refresh, as browsers do: white space
    /// around it and line breaks within are dropped, a backslash is a slash, bytes that may not
    /// stand in a URL are encoded, and the fragment of the page before is kept if the new URL
    /// has none.
    ///
    /// - Throws: ``WebAddressError`` if it leads to no http or https URL.
    package func resolving(_ reference: some Sequence<UInt8>) throws(WebAddressError) -> WebAddress
    {
        let cleaned = Self.cleaned(reference)
        let shown = String(decoding: cleaned, as: UTF8.self)
        let resolved = try WebAddress(bytes: cleaned, base: self, shownAs: shown)
        guard let fragment, resolved.fragment == nil, !cleaned.contains(UInt8(ascii: "#")) else {
            return resolved
        }
        return try WebAddress(
            bytes: Array((resolved.text + "#" + fragment).utf8), base: nil, shownAs: shown)
    }

    private init(bytes: [UInt8], base: WebAddress?, shownAs shown: String) throws(WebAddressError) {
        let schemeEnd = Self.endOfScheme(bytes)
        if let schemeEnd {
            let name = String(decoding: bytes[..<schemeEnd], as: UTF8.self).lowercased()
            guard Scheme(rawValue: name) != nil else {
                let remedy =
                    Self.suggestedScheme(for: name).map { "did you mean \($0.rawValue):?" }
                    ?? "only http: and https: are loaded"
                throw WebAddressError(
                    code: .unsupportedScheme,
                    message: "\(Self.quoted(shown)) is a \(name): URL (\(remedy))")
            }
        } else if base == nil {
            throw Self.malformed(shown, "has no scheme (write \"https://\" before it)")
        }
        guard let handle = URLHandle() else { throw Self.malformed(shown, "finds no memory") }
        if let base { _ = handle.set(url: base.text) }
        let plain = Self.plain(bytes, schemeEnd: schemeEnd, base: base?.scheme)
        let code =
            plain.bytes.isEmpty
            ? CURLUE_OK : handle.set(url: Self.encodedBehindAuthority(plain))
        guard code == CURLUE_OK else { throw Self.malformed(shown, Self.reason(of: code)) }
        // Asking libcurl for a part that cannot be there costs as much as for one that is.
        let has = { (byte: Character) in
            byte.asciiValue.map { bytes.contains($0) } ?? false
                || base?.text.contains(byte) ?? false
        }
        try self.init(
            handle, shownAs: shown, mayHaveUser: has("@"), mayHaveQuery: has("?"),
            mayHaveFragment: has("#"))
    }

    private init(
        _ handle: borrowing URLHandle, shownAs shown: String, mayHaveUser: Bool,
        mayHaveQuery: Bool, mayHaveFragment: Bool
    ) throws(WebAddressError) {
        guard let scheme = Scheme(rawValue: handle.get(CURLUPART_SCHEME)?.lowercased() ?? "") else {
            throw Self.malformed(shown, "has no scheme (write \"https://\" before it)")
        }
        guard let host = handle.get(CURLUPART_HOST, flags: CURLU_PUNYCODE)?.lowercased(),
            !host.isEmpty, !Self.holdsForbiddenByte(host: host)
        else { throw Self.malformed(shown, "has a host that is no valid name") }
        let port = handle.get(CURLUPART_PORT).flatMap { Int($0) } ?? scheme.defaultPort
        guard port != 0 else {
            throw Self.malformed(shown, "has port 0 (ports run from 1 to 65535)")
        }
        self.scheme = scheme
        self.host = host
        self.port = port
        fragment = mayHaveFragment ? handle.get(CURLUPART_FRAGMENT) : nil
        credentials = mayHaveUser ? Self.credentials(handle) : nil
        var text = scheme.rawValue + "://" + host
        if text.hasSuffix("]"), let zone = handle.get(CURLUPART_ZONEID) {
            text = text.dropLast() + "%25" + zone + "]"
        }
        if port != scheme.defaultPort { text += ":\(port)" }
        text += handle.get(CURLUPART_PATH) ?? "/"
        if mayHaveQuery, let query = handle.get(CURLUPART_QUERY) { text += "?" + query }
        if let fragment { text += "#" + fragment }
        self.text = text
    }

    private static func credentials(_ handle: borrowing URLHandle) -> Credentials? {
        guard let user = handle.get(CURLUPART_USER, flags: CURLU_URLDECODE) else { return nil }
        return Credentials(
            user: user, password: handle.get(CURLUPART_PASSWORD, flags: CURLU_URLDECODE) ?? "")
    }
}
