import Glibc
import Reactor
import TestSupport
import Testing

/// An answer of the API.
struct APIAnswer: Sendable {
    let status: Int
    /// By name in lower case.
    let headers: [String: String]
    let body: String

    /// The body as JSON; null if it is none.
    var json: JSONValue { JSONValue(body) ?? .null }
    /// The word that says what is wrong.
    var code: String? { json["error"]["code"].string }

    /// - Parameter output: What `curl -i` has printed.
    init(_ output: String) throws {
        // curl shows the answer to "Expect" as well.
        var rest = output[...]
        var (head, status) = (Substring(), 100)
        while (100..<200).contains(status) {
            guard let end = rest.firstRange(of: "\r\n\r\n") else {
                throw Unmet("an answer, not \(output)")
            }
            head = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
            status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
        }
        self.status = status
        let lines = head.split(separator: "\r\n").dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (name.lowercased(), String(line.dropFirst(name.count + 2)))
        }
        headers = Dictionary(lines) { first, _ in first }
        body = String(rest)
    }
}

extension WatchedFolder {
    /// Asks the daemon, or wishes, by curl.
    ///
    /// - Parameters:
    ///   - what: `GET` or `POST` and the target.
    ///   - accept: What the answer is to be; curl's own `*/*` if nil.
    ///   - more: Further arguments of curl.
    func ask(_ what: String, accept: String? = nil, _ more: String...) async throws -> APIAnswer {
        let parts = what.split(separator: " ")
        var arguments = ["-sS", "-i", "--max-time", "40", "--unix-socket", socket]
        arguments += ["-X", String(parts[0])] + more
        if let accept { arguments += ["-H", "Accept: \(accept)"] }
        let outcome = try await Program("curl", arguments + ["http://pagewatch\(parts[1])"]).run()
        guard outcome.exitCode == 0 else { throw Unmet("\(what): \(outcome.errorText)") }
        return try APIAnswer(outcome.outputText)
    }

    /// What a target is now.
    func target(_ name: String) async throws -> JSONValue {
        try await ask("GET /v1/targets/\(name)").json
    }

    /// Asks for a target again and again until something holds of it.
    @discardableResult
    func target(
        _ name: String, until what: String, _ holds: (JSONValue) -> Bool
    ) async throws -> JSONValue {
        var last = JSONValue.null
        for _ in 0..<600 {
            last = try await target(name)
            if holds(last) { return last }
        }
        throw Unmet("\(what), not \(last)")
    }

    /// Waits until the daemon answers.
    func isServed() async throws {
        let socket = socket
        try await eventually("the socket") {
            _ = try RawConnection(path: socket)
            return true
        }
    }

    /// Follows the events as JSON lines.
    func follow(
        _ query: String = "", lastEventID: Int? = nil
    ) throws -> EventFollower {
        let connection = try RawConnection(path: socket)
        var headers = "Accept: application/x-ndjson\r\n"
        if let lastEventID { headers += "Last-Event-ID: \(lastEventID)\r\n" }
        connection.send("GET /v1/events\(query) HTTP/1.1\r\nHost: pagewatch\r\n\(headers)\r\n")
        return EventFollower(connection)
    }
}

/// A reader of `/v1/events`.
final class EventFollower: Sendable {
    let connection: RawConnection
    private let received = Locked<[UInt8]>([])

    init(_ connection: RawConnection) { self.connection = connection }

    /// What was read so far.
    var events: FollowedEvents { FollowedEvents(received.withLock { $0 }) }

    /// Waits until the stream has begun.
    func begun() async throws {
        _ = try await events { received in received.starts(with: "HTTP/1.1 200 ".utf8) }
    }

    /// All events up to the end of the stream.
    func rest() async throws -> FollowedEvents {
        let next = try await connection.receive()
        received.withLock { $0 += next.bytes }
        guard next.ending == .closed else { throw Unmet("the end of a stream") }
        return events
    }

    /// The events until one has this in it.
    @discardableResult
    func events(upTo text: String) async throws -> FollowedEvents {
        try await events { FollowedEvents($0).lines.contains { $0.contains(text) } }
    }

    /// The events until something holds of the bytes.
    @discardableResult
    func events(until holds: ([UInt8]) -> Bool) async throws -> FollowedEvents {
        while true {
            let all = received.withLock { $0 }
            if holds(all) { return FollowedEvents(all) }
            let next = try await connection.receive(atLeast: 1)
            guard next.ending == .enough else {
                throw Unmet("more of \(String(decoding: all, as: UTF8.self))")
            }
            received.withLock { $0 += next.bytes }
        }
    }
}

/// What a reader has got, its chunks put together.
struct FollowedEvents: Sendable {
    /// The whole lines.
    let lines: [String]
    /// Whether the stream was ended, and not only cut off.
    private(set) var isEnded = false

    init(_ received: [UInt8]) {
        var rest = received[...]
        if let end = Self.end(of: "\r\n\r\n", in: rest) { rest = rest[end...] } else { rest = [] }
        var content: [UInt8] = []
        while let end = Self.end(of: "\r\n", in: rest),
            let size = Int(String(decoding: rest[..<(end - 2)], as: UTF8.self), radix: 16)
        {
            isEnded = size == 0
            content += rest[end...].prefix(size)
            rest = rest[end...].dropFirst(size + 2)
        }
        var lines = String(decoding: content, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines.removeLast()
        self.lines = lines
    }

    private static func end(of text: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let wanted = Array(text.utf8)
        var index = bytes.startIndex
        while index + wanted.count <= bytes.endIndex {
            if bytes[index..<(index + wanted.count)].elementsEqual(wanted) {
                return index + wanted.count
            }
            index += 1
        }
        return nil
    }

    var events: [JSONValue] { lines.compactMap { JSONValue($0) } }
    /// The numbers of the events, those that only tell of missed ones left out.
    var numbers: [Int] {
        events.filter { $0["event"].string != "missed" }.compactMap { $0["seq"].integer }
    }
    /// How many the reader was told to have missed.
    var missed: Int {
        events.filter { $0["event"].string == "missed" }.compactMap { $0["count"].integer }
            .reduce(0, +)
    }
}
