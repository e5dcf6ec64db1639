/// What a request line asks for: `/v1/targets/a%20b?limit=2` taken apart.
struct RequestTarget: Equatable {
    /// The decoded segments of the path; none for `/`.
    var path: [String] = []
    /// The decoded names and values of the query, in their order.
    var query: [Parameter] = []

    struct Parameter: Equatable {
        var name: String
        var value: String
    }

    /// - Parameter bytes: As they came, less a NUL, which ends them.
    /// - Throws: ``Refusal`` for what has no one meaning: an escape that is none, text that is no
    ///   UTF-8, a NUL.
    init(_ bytes: some Collection<UInt8>) throws(Refusal) {
        let beforeFragment = bytes.prefix { $0 != UInt8(ascii: "#") }
        let path = beforeFragment.prefix { $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/") else {
            throw Refusal(.badRequest, "badTarget", "the request's target is no path")
        }
        for segment in path.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            self.path.append(try Self.decoded(segment))
        }
        // `/` has no segment. Any other slash at the end has an empty one behind it: a name that is
        // missing must not ask for all there are.
        if self.path == [""] { self.path = [] }
        for part in beforeFragment.dropFirst(path.count + 1).split(separator: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            query.append(
                Parameter(
                    name: try Self.decoded(name),
                    value: try Self.decoded(part.dropFirst(name.count + 1))))
        }
    }

    /// Percent-decoded text. A plus is a plus, as in the `+02:00` of a time, not a space.
    private static func decoded(_ bytes: some Collection<UInt8>) throws(Refusal) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                throw Refusal(.badRequest, "badTarget", "a % is not followed by two hex digits")
            }
            decoded.append(high << 4 | low)
        }
        guard !decoded.contains(0), let text = String(validating: decoded, as: UTF8.self) else {
            throw Refusal(.badRequest, "badTarget", "the request's target is not UTF-8 text")
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
