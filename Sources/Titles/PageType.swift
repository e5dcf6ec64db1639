/// Whether a body is a page, by its Content-Type or, without a usable one, by its first bytes.
enum PageType {
    case known(PageReader.Kind)
    /// The first bytes must tell.
    case unknown

    /// - Parameters:
    ///   - contentType: The header's value; its parameters and case do not matter.
    ///   - maySniff: Whether the first bytes may tell.
    init(contentType: String?, maySniff: Bool) {
        let essence = Self.essence(of: contentType ?? "")
        switch essence {
        case "text/html": self = .known(.html)
        case "application/xhtml+xml", "application/xml", "text/xml", "image/svg+xml",
            // Mobile pages of old, which WebKit shows.
            "application/vnd.wap.xhtml+xml":
            self = .known(.xml)
        case nil, "unknown/unknown", "application/unknown", "*/*":
            self = maySniff ? .unknown : .known(.notPage)
        default: self = .known(.notPage)
        }
    }

    /// The type without its parameters, in lower case; nil if it is none.
    private static func essence(of header: String) -> String? {
        let essence = header.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        var bytes = essence.drop(while: \.isHTTPSpace).map(\.lowercasedASCII)
        while let last = bytes.last, last.isHTTPSpace { bytes.removeLast() }
        let parts = bytes.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isHTTPToken) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Tells what a body without a type is, as the MIME Sniffing standard does.
enum PageSignature {
    /// How many bytes are looked at.
    static let longest = 1445

    /// Signatures of HTML; a blank or `>` must follow.
    private static let html: [StaticString] = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table",
        "<a", "<style", "<title", "<b", "<body", "<br", "<p", "<!--",
    ]
    private static let xml: StaticString = "<?xml"

    /// What the first bytes mean.
    ///
    /// - Parameters:
    ///   - bytes: The body so far.
    ///   - isLast: Whether no more will come.
    /// - Returns: nil as long as more bytes could change the answer.
    static func kind(of bytes: [UInt8], isLast: Bool) -> PageReader.Kind? {
        let body = bytes.prefix(longest).drop(while: \.isASCIIWhitespace)
        var mayMatch = body.isEmpty
        for signature in html {
            switch match(body, signature, isHTML: true) {
            case true?: return .html
            case nil: mayMatch = true
            case false?: break
            }
        }
        switch match(body, xml, isHTML: false) {
        case true?: return .xml
        case nil: mayMatch = true
        case false?: break
        }
        return isLast || !mayMatch || bytes.count >= longest ? .notPage : nil
    }

    /// - Returns: nil if `bytes` are too few to tell.
    private static func match(
        _ bytes: ArraySlice<UInt8>, _ signature: StaticString, isHTML: Bool
    ) -> Bool? {
        let length = signature.utf8CodeUnitCount
        let agrees = signature.withUTF8Buffer { expected in
            zip(bytes, expected).allSatisfy { (isHTML ? $0.lowercasedASCII : $0) == $1 }
        }
        guard agrees else { return false }
        guard bytes.count >= length + (isHTML ? 1 : 0) else { return nil }
        guard isHTML else { return true }
        let next = bytes[bytes.startIndex + length]
        return next == UInt8(ascii: " ") || next == UInt8(ascii: ">")
    }
}

extension UInt8 {
    fileprivate var isHTTPSpace: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
    }

    fileprivate var isHTTPToken: Bool {
        isASCIIAlpha || isASCIIDigit
            || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
}
