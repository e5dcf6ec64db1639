/// A page's wish to be followed by another: `<meta http-equiv=refresh>`, or the header of that name.
package struct Refresh: Equatable, Sendable {
    /// Seconds to wait, at least 0; larger values than fit are cut to `Int.max`.
    package let delay: Int
    /// Where to go, exactly as written (not resolved); nil means the page itself.
    package let url: String?
    /// The value of the first `<base href>` before the refresh, exactly as written.
    package let baseHref: String?

    package init(delay: Int, url: String?, baseHref: String?) {
        self.delay = delay
        self.url = url
        self.baseHref = baseHref
    }
}

extension PageReader {
    /// Reads a refresh as the HTML standard's "shared declarative refresh steps" do.
    ///
    /// - Parameter value: The content attribute's or the `Refresh` header's value.
    /// - Returns: nil when the value asks for nothing.
    package static func parseRefresh(_ value: String) -> (delay: Int, url: String?)? {
        var parser = RefreshParser(Array(value.utf8))
        return parser.parse()
    }
}

/// One pass over a refresh value; the method names follow the standard's steps.
struct RefreshParser {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func parse() -> (delay: Int, url: String?)? {
        skipSpace()
        guard let delay = readDelay() else { return nil }
        guard let separator = byte else { return (delay, nil) }
        guard separator == UInt8(ascii: ";") || separator == UInt8(ascii: ",") || isSpace(separator)
        else { return nil }
        skipSpace()
        if byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") { at += 1 }
        skipSpace()
        guard byte != nil else { return (delay, nil) }
        return (delay, readURL())
    }

    /// The whole seconds; a fraction is skipped, and only a fraction means zero.
    private mutating func readDelay() -> Int? {
        let start = at
        var delay = 0
        while let digit = byte, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") {
            let (product, tooLarge) = delay.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            delay = tooLarge || overflow ? Int.max : sum
            at += 1
        }
        if at == start, byte != UInt8(ascii: ".") { return nil }
        while let next = byte,
            next == UInt8(ascii: ".") || (next >= UInt8(ascii: "0") && next <= UInt8(ascii: "9"))
        {
            at += 1
        }
        return delay
    }

    /// What follows `url=`, without its quotes; without `url=` the whole rest is the address.
    private mutating func readURL() -> String {
        let start = at
        guard skip("u"), skip("r"), skip("l") else { return rest(from: start) }
        skipSpace()
        guard byte == UInt8(ascii: "=") else { return rest(from: start) }
        at += 1
        skipSpace()
        guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return rest(from: at)
        }
        at += 1
        let end = bytes[at...].firstIndex(of: quote) ?? bytes.count
        return String(decoding: bytes[at..<end], as: UTF8.self)
    }

    /// The standard's "skip quotes" step also applies when the address begins without `url=`.
    private mutating func rest(from start: Int) -> String {
        at = start
        guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return String(decoding: bytes[at...], as: UTF8.self)
        }
        at += 1
        let end = bytes[at...].firstIndex(of: quote) ?? bytes.count
        return String(decoding: bytes[at..<end], as: UTF8.self)
    }

    private mutating func skip(_ letter: Unicode.Scalar) -> Bool {
        guard let next = byte, next | 0x20 == UInt8(ascii: letter) else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() {
        while let next = byte, isSpace(next) { at += 1 }
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }
}
