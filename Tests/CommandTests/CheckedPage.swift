import Foundation
import LoopbackSite
import Testing
import TestSupport

/// A value of JSON, as far as tests look into it.
typealias JSON = [String: Any]

/// The objects of output that is one JSON object a line.
func objects(_ outcome: Program.Outcome) throws -> [JSON] {
    try outcome.outputLines.map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? JSON, "\(line)")
    }
}

/// One event line, told in a word or two so that a whole story can be compared.
///
/// `estimatedProgress 0.14`, `url /v1`, `isLoading true`, `title "V1"`, `committed 200`,
/// `failed body/connectionReset after commit`.
struct ToldEvent: CustomStringConvertible {
    let description: String
    /// Seconds since the epoch, in steps of a millisecond.
    let time: Double

    init(_ event: JSON, site: String) throws {
        let name = try #require(event["event"] as? String)
        let value = event[name]
        description =
            switch name {
            case "navigation": try Self.navigation(event, site: site)
            case "url": "url \(Self.path(value, site))"
            case "title": "title \(value.flatMap { $0 as? String }.map { "\"\($0)\"" } ?? "null")"
            case "estimatedProgress":
                "estimatedProgress \(Self.rounded(try #require(value as? Double)))"
            default: "\(name) \(try #require(value as? Bool))"
            }
        time = try Self.seconds(try #require(event["time"] as? String))
    }

    private static func navigation(_ event: JSON, site: String) throws -> String {
        let state = try #require(event["state"] as? String)
        switch state {
        case "redirected":
            return "redirected \(path(event["url"], site)) \(event["status"] ?? "") "
                + "\(event["reason"] ?? "")"
        case "committed", "finished": return "\(state) \(event["status"] ?? "")"
        case "failed":
            let error = try #require(event["error"] as? JSON)
            let when = event["committed"] as? Bool == true ? "after" : "before"
            return "failed \(error["phase"] ?? "")/\(error["code"] ?? "") \(when) commit"
        default: return state
        }
    }

    private static func path(_ url: Any?, _ site: String) -> String {
        let url = url as? String ?? "?"
        return url.hasPrefix(site) ? "/" + url.dropFirst(site.count) : url.isEmpty ? "none" : url
    }

    /// To six digits behind the point, as the vectors are written.
    private static func rounded(_ value: Double) -> String {
        var text = String(format: "%.6f", value)
        while text.hasSuffix("0"), !text.hasSuffix(".0") { text.removeLast() }
        return text
    }

    private static func seconds(_ time: String) throws -> Double {
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return try #require(format.date(from: time)).timeIntervalSince1970
    }
}

/// The events of `check --events` on a page of the site.
func events(of path: String, on site: LoopbackSite, _ arguments: String...) async throws
    -> [ToldEvent]
{
    let outcome = try await Program.pagewatch(
        arguments: ["check", "--events", site.url(path)] + arguments
    ).run()
    return try objects(outcome).map { try ToldEvent($0, site: site.url("/")) }
}
