import Reactor

/// A request that the site has read.
package struct Request: Sendable, Equatable {
    /// A header line, as it was written.
    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package let method: String
    /// The target of the request line, without the scheme and host that a proxy is given.
    package let target: String
    /// All header lines, in their order.
    package let headers: [Header]
    /// The number of the connection it came on, counted from 1 by acceptance.
    package let connection: Int
    /// When its head was complete, by ``MonotonicClock``.
    package let time: Duration
    let asksToClose: Bool

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of the first header of that name, in any case of letters.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The value of a parameter of the query, decoded.
    func query(_ name: String) -> String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        for pair in target[target.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, first == name else { continue }
            return parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
        return nil
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                rest = rest.dropFirst(2)
                bytes.append(value)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Finds the requests in the bytes of a connection.
struct RequestReader {
    /// Heads longer than this are given up; the most that libcurl sends is far less.
    private static let longestHead = 1 << 20

    private var pending: [UInt8] = []
    private var searched = 0
    private var bodyLeft = 0
    private(set) var isTooLong = false

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // The body of a request is of no interest.
        let skipped = min(bodyLeft, bytes.count)
        bodyLeft -= skipped
        pending.append(contentsOf: bytes[skipped...])
    }

    /// The next request that is complete up to the end of its head.
    mutating func next(connection: Int, time: Duration) -> Request? {
        guard let end = headEnd() else {
            isTooLong = pending.count > Self.longestHead
            return nil
        }
        let head = String(decoding: pending[..<end], as: UTF8.self)
        let request = Self.request(head, connection: connection, time: time)
        let body = request.header("Content-Length").flatMap { Int($0) } ?? 0
        let skipped = min(max(0, body), pending.count - end - 4)
        bodyLeft = max(0, body) - skipped
        pending.removeFirst(end + 4 + skipped)
        searched = 0
        return request
    }

    private mutating func headEnd() -> Int? {
        while searched + 4 <= pending.count {
            if pending[searched] == 13, pending[searched + 1] == 10, pending[searched + 2] == 13,
                pending[searched + 3] == 10
            {
                return searched
            }
            searched += 1
        }
        return nil
    }

    private static func request(_ head: String, connection: Int, time: Duration) -> Request {
        // CR LF is one Character: splitting by scalars would not see it.
        var lines = head.split(separator: "\r\n")[...]
        let first = (lines.popFirst() ?? "").split(separator: " ")
        let headers = lines.map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let value = line[colon...].dropFirst().drop { $0 == " " }
            return Request.Header(name: String(line[..<colon]), value: String(value))
        }
        let asksToClose =
            first.last == "HTTP/1.0"
            || headers.contains {
                $0.name.lowercased() == "connection" && $0.value.lowercased().contains("close")
            }
        return Request(
            method: first.first.map { String($0) } ?? "",
            target: target(first.count > 1 ? first[1] : "/"), headers: headers,
            connection: connection, time: time, asksToClose: asksToClose)
    }

    private static func target(_ text: Substring) -> String {
        guard text.hasPrefix("http://") else { return String(text) }
        let rest = text.dropFirst("http://".count)
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }
}
