import CCurl

/// How a text is read before libcurl's parser sees it, and how it is shown in an error.
extension WebAddress {
    /// What is wrong with a typed text that the parser would let pass or call by another name.
    static func problem(ofTyped text: String) -> String? {
        if text.isEmpty { return "is empty (write a URL such as https://example.org/)" }
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                return "holds a control character (take it out)"
            }
            if scalar == " " { return "holds a space (write \"%20\")" }
        }
        return nil
    }

    /// A reference as the URL standard's parser sees it: trimmed, without tabs and line breaks.
    static func cleaned(_ reference: some Sequence<UInt8>) -> [UInt8] {
        var bytes = reference.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return Array(bytes.drop { $0 <= 0x20 })
    }

    /// Where the ":" of a leading scheme stands; nil for a relative reference.
    static func endOfScheme(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, isLetter(first) else { return nil }
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: ":"):
                // "localhost:8080/" is a host and a port that lack their scheme, as people type.
                let next = bytes.dropFirst(index + 1).first
                return next.map { isDigit($0) } == true ? nil : index
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): continue
            default:
                guard isLetter(byte) || isDigit(byte) else { return nil }
            }
        }
        return nil
    }

    /// The text for libcurl: all behind the authority percent-encoded, the authority as it is (a
    /// host may be an IDN in UTF-8).
    static func encodedBehindAuthority(_ reference: Reference) -> String {
        let bytes = reference.bytes
        var start = reference.schemeEnd.map { $0 + 1 } ?? 0
        if bytes.dropFirst(start).starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) {
            start += 2
            while start < bytes.count, !isDelimiter(bytes[start]) { start += 1 }
        }
        return String(
            decoding: bytes[..<start] + PercentEncoding.encoded(bytes[start...]), as: UTF8.self)
    }

    /// The text in quotes, less user information, controls shown escaped, cut at 200 characters.
    static func quoted(_ text: String) -> String {
        var shown = "\""
        // It could not be parsed: nobody knows where the user information ends.
        for scalar in cut(text, authorityOnly: false).unicodeScalars.prefix(200) {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar == "\"" {
                shown += scalar.escaped(asASCII: true)
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown + "\""
    }

    /// Any text that is meant as a URL, less user information: fit for logs and errors. One that
    /// cannot be parsed loses all up to its last "@", since a password may hold anything.
    package static func withoutUserInformation(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        return cut(text, authorityOnly: (try? WebAddress(text)) != nil)
    }

    /// Cuts out what stands between the scheme's slashes and the last "@", of the authority or of
    /// all.
    private static func cut(_ text: String, authorityOnly: Bool) -> String {
        let bytes = Array(text.utf8)
        let schemeEnd = endOfScheme(bytes)
        let behind = schemeEnd.map { $0 + 1 } ?? 0
        let start = bytes[behind...].firstIndex { !isSlash($0) } ?? bytes.count
        // Without a slash, "name:secret@host" is no scheme.
        let isScheme =
            start > behind
            || schemeEnd.map {
                Scheme(rawValue: String(decoding: bytes[..<$0], as: UTF8.self).lowercased()) != nil
            } ?? true
        let from = isScheme ? start : 0
        let end =
            authorityOnly
            ? bytes[from...].firstIndex { isDelimiter($0) || isSlash($0) } ?? bytes.count
            : bytes.count
        guard let at = bytes[from..<end].lastIndex(of: UInt8(ascii: "@")) else { return text }
        return String(decoding: bytes[..<from] + bytes[(at + 1)...], as: UTF8.self)
    }

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    static func malformed(_ shown: String, _ problem: String) -> WebAddressError {
        WebAddressError(code: .malformedURL, message: "\(quoted(shown)) \(problem)")
    }

    /// Whether a host holds what the URL standard forbids in a domain and libcurl lets pass.
    static func holdsForbiddenByte(host: String) -> Bool {
        host.utf8.contains { byte in
            switch byte {
            case 0...0x20, 0x7F...0xFF: true
            case UInt8(ascii: "%"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
                UInt8(ascii: "|"), UInt8(ascii: "}"):
                true
            default: false
            }
        }
    }

    /// What libcurl's parser found wrong, in our words.
    static func reason(of code: CURLUcode) -> String {
        switch code {
        case CURLUE_NO_HOST: "has no host (write it behind \"//\")"
        case CURLUE_BAD_PORT_NUMBER: "has a port that is no number from 1 to 65535"
        case CURLUE_BAD_HOSTNAME: "has a host that is no valid name"
        case CURLUE_BAD_IPV6: "has a bad IPv6 address (write it as \"[::1]\")"
        case CURLUE_BAD_SLASHES: "has the wrong number of slashes (write \"https://HOST/\")"
        default: "is no valid URL (\(String(cString: curl_url_strerror(code))))"
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
