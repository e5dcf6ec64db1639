/// What the head of an answer says, of what a page load needs.
package struct ResponseHead: Sendable {
    package var status = 0
    /// The value as sent, without white space around it; the last one if there are several.
    package var contentType: String?
    /// Nil if it is not told or the body is chunked.
    package var contentLength: Int64?
    /// The codings in the order in which they were applied, lower case; `identity` left out.
    package var contentEncodings: [String] = []
    package var contentDisposition: String?
    /// The raw bytes of the first Location.
    package var location: [UInt8]?
    package var refresh: String?
    /// `ETag` and `Last-Modified` as sent: what a later request may ask with.
    package var entityTag: String?
    package var lastModified: String?
    package var retryAfter: String?
    /// What the server's clock showed.
    package var date: String?
    /// Whether a header says that the answer is a puzzle for people in place of the page.
    package var isChallenge = false
    /// Whether a body without a usable type may be taken for a page by its first bytes; false
    /// under `X-Content-Type-Options: nosniff`.
    package var maySniff = true
    fileprivate var isChunked = false

    /// Whether the status is one that a browser follows to its Location.
    package var isRedirect: Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    package init() {}

    /// A head that begins with this line; nil if it is no status line. The status is 0 if it has
    /// none, which libcurl refuses later.
    init?(statusLine line: UnsafeRawBufferPointer) {
        guard line.starts(with: "HTTP/".utf8) else { return nil }
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return }
        status = line[(space + 1)...].prefix(3).reduce(0) { status, byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                ? status * 10 + Int(byte - UInt8(ascii: "0")) : status
        }
    }

    /// Whether it is the empty line behind a head.
    static func isEnd(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy { $0 == 0x0D || $0 == 0x0A }
    }

    /// Takes in one header line, with or without its line break.
    mutating func read(line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        // The lengths of the names told apart first: most headers are none of these.
        switch name.count {
        case 4 where equals(name, "etag"):
            entityTag = text(value)
        case 7 where equals(name, "refresh"):
            refresh = refresh ?? text(value)
        case 4 where equals(name, "date"):
            date = text(value)
        case 8 where equals(name, "location"):
            location = location ?? Array(value)
        case 11 where equals(name, "retry-after"):
            retryAfter = text(value)
        case 12 where equals(name, "cf-mitigated"):
            if text(value).lowercased() == "challenge" { isChallenge = true }
        case 12 where equals(name, "content-type"):
            contentType = text(value)
        case 13 where equals(name, "last-modified"):
            lastModified = text(value)
        case 14 where equals(name, "content-length"):
            contentLength = isChunked ? nil : Int64(text(value)).flatMap { $0 < 0 ? nil : $0 }
        case 16 where equals(name, "content-encoding"):
            readEncodings(text(value))
        case 17 where equals(name, "x-amzn-waf-action"):
            if ["challenge", "captcha"].contains(text(value).lowercased()) { isChallenge = true }
        case 17 where equals(name, "transfer-encoding"):
            isChunked = true
            contentLength = nil
        case 19 where equals(name, "content-disposition"):
            contentDisposition = text(value)
        case 22 where equals(name, "x-content-type-options"):
            // The first of several counts, as in the Fetch standard.
            let first = text(value).prefix { $0 != "," && $0 != " " && $0 != "\t" }
            if first.lowercased() == "nosniff" { maySniff = false }
        default: break
        }
    }

    private mutating func readEncodings(_ value: String) {
        for coding in value.split(separator: ",") {
            let name = coding.filter { $0 != " " && $0 != "\t" }.lowercased()
            if name != "identity", !name.isEmpty { contentEncodings.append(name) }
        }
    }

    private func trimmed(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
        }
        var (start, end) = (0, value.count)
        while start < end, isSpace(value[start]) { start += 1 }
        while end > start, isSpace(value[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: value[start..<end])
    }

    private func text(_ value: UnsafeRawBufferPointer) -> String {
        String(decoding: value, as: UTF8.self)
    }

    private func equals(_ name: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
        guard name.count == lowercase.utf8CodeUnitCount else { return false }
        // Setting bit 5 makes a letter lower case; of the other bytes that it changes, none
        // becomes a letter or "-".
        for index in 0..<name.count where name[index] | 0x20 != lowercase.utf8Start[index] {
            return false
        }
        return true
    }
}
