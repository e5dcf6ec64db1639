/// One script of the site: what is answered to whom, byte for byte and pause for pause.
///
/// Written in scenario files, whose format `Scenarios/README.md` tells.
package struct Scenario: Sendable {
    /// The file's name without folder and ending.
    package let name: String
    /// The first comment of the file: one line for the index page.
    package let summary: String
    /// The target that shows the scenario to people; nil if it is for tests alone.
    package let demonstration: String?
    let routes: [Route]

    /// The path of the first route, if it stands for one path.
    package var entrance: String? {
        demonstration ?? routes.first.flatMap { $0.pattern.hasParameters ? nil : $0.pattern.text }
    }
}

/// What is played to the requests that fit a pattern and all conditions.
struct Route: Sendable {
    let pattern: PathPattern
    let conditions: [Condition]
    let steps: [Step]

    /// When a request whose path fits is answered by this route, and not by the next that fits.
    enum Condition: Sendable, Equatable {
        /// A header has a value that contains the text.
        case header(name: String, contains: String)
        case noHeader(name: String, contains: String)
        case method(String)
        /// Only so many requests are answered by the route.
        case times(Int)
        /// The n-th of every so many requests for the path.
        case turn(Int, of: Int)
    }
}

/// One line of a script.
indirect enum Step: Sendable, Equatable {
    /// Begins a response: the status line, and the type if given.
    case head(status: Template, type: Template?)
    /// A header line, filled up to a size.
    case header(Template, size: Int?)
    case framing(Framing)
    /// The chunked body's last chunk is not sent.
    case unfinished
    /// Text of the head or the body, filled up to a size.
    case text(Template, size: Int?)
    case bytes([UInt8])
    /// A pattern repeated up to so many bytes, made while it is sent.
    case fill(Int, [UInt8])
    case pause(Duration)
    /// Waits until the test opens the gate of that name.
    case gate(String)
    case repeated(Int?, [Step])
    case end(Ending)
    /// What is done to the next request of the connection.
    case next(Ending)
    /// Answers CONNECT, and passes bytes to and from the port it names.
    case tunnel

    /// How the end of a body is told.
    enum Framing: Sendable, Equatable {
        /// A Content-Length that is right.
        case computed
        case length(Template)
        case chunked
        /// By the end of the connection.
        case untold
    }

    /// What becomes of the connection.
    enum Ending: String, Sendable {
        /// Closed when all is sent.
        case close
        /// Reset (RST).
        case reset
        /// Left open, without a word.
        case silence
    }
}

/// The pattern of a path: segments, of which `{name}` takes any.
///
/// With a `?` in it, a pattern is compared with the whole target, and without one with the path.
struct PathPattern: Sendable, Equatable {
    let text: String
    private let segments: [Substring]

    init(_ text: String) {
        self.text = text
        segments = text.split(separator: "/", omittingEmptySubsequences: false)
    }

    var hasParameters: Bool { parameters.isEmpty == false }

    /// The names between the braces.
    var parameters: [String] {
        segments.filter(Self.isParameter).map { String($0.dropFirst().dropLast()) }
    }

    /// The values of the parameters, or nil if the target does not fit.
    func match(_ target: String) -> [String: String]? {
        let whole = text.contains("?")
        let compared = whole ? Substring(target) : target.prefix { $0 != "?" }
        let given = compared.split(separator: "/", omittingEmptySubsequences: false)
        guard given.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, value) in zip(segments, given) {
            if Self.isParameter(segment) {
                values[String(segment.dropFirst().dropLast())] = String(value)
            } else if segment != value {
                return nil
            }
        }
        return values
    }

    private static func isParameter(_ segment: Substring) -> Bool {
        segment.count > 2 && segment.first == "{" && segment.last == "}"
    }
}
