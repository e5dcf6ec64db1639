/// A mistake in a scenario: where it is, and what is wrong.
package struct ScenarioError: Error, CustomStringConvertible {
    package let file: String
    package let line: Int
    package let problem: String

    /// `FILE:LINE: PROBLEM`.
    package var description: String { "\(file):\(line): \(problem)" }
}

/// Reads the text of a scenario.
///
/// Input: the lines of a file. Output: the ``Scenario`` whose steps a `Connection` plays.
struct ScenarioReader {
    private let name: String
    private let file: String
    private var line = 0
    private var summary = ""
    private var isDemonstration = false
    private var demonstrationTarget: String?
    private var routes: [Route] = []
    /// The route being read; its first list of steps is the route's own, the others belong to
    /// the repeats that are open.
    private var pattern: PathPattern?
    private var conditions: [Route.Condition] = []
    private var lists: [[Step]] = []
    private var repeats: [Int?] = []
    /// What `gather` has put together and `pour` has not sent yet.
    private var gathered: [UInt8] = []

    /// - Throws: ``ScenarioError`` at the first mistake.
    static func read(
        _ text: String, name: String, file: String
    ) throws(ScenarioError) -> Scenario {
        var reader = ScenarioReader(name: name, file: file)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            reader.line += 1
            try reader.take(line)
        }
        try reader.finishRoute()
        guard !reader.routes.isEmpty else { throw reader.error("no \"serve\" in the file") }
        var scenario = Scenario(
            name: name, summary: reader.summary, demonstration: nil, routes: reader.routes)
        if reader.isDemonstration {
            guard let target = reader.demonstrationTarget ?? scenario.entrance else {
                throw reader.error("\"demo\" needs a path, because the first one has parameters")
            }
            scenario = Scenario(
                name: name, summary: reader.summary, demonstration: target, routes: reader.routes)
        }
        return scenario
    }

    private init(name: String, file: String) {
        self.name = name
        self.file = file
    }

    private func error(_ problem: String) -> ScenarioError {
        ScenarioError(file: file, line: line, problem: problem)
    }

    private mutating func take(_ raw: Substring) throws(ScenarioError) {
        let text = raw.trimmed
        if text.first == "#" {
            if summary.isEmpty { summary = String(text.dropFirst().trimmed) }
            return
        }
        guard !text.isEmpty else { return }
        let (verb, rest) = text.firstWord
        switch verb {
        case "demo":
            isDemonstration = true
            demonstrationTarget = rest.isEmpty ? nil : String(rest)
        case "serve":
            try finishRoute()
            guard rest.first == "/" || rest == "*" else {
                throw error("\"serve\" needs a path, such as \"serve /page\"")
            }
            pattern = PathPattern(String(rest))
            lists = [[]]
        case "accept":
            try finishRoute()
            pattern = .onAccept
            lists = [[]]
        default:
            guard pattern != nil else { throw error("\"\(verb)\" before the first \"serve\"") }
            try takeLineOfRoute(verb, rest)
        }
    }

    private mutating func finishRoute() throws(ScenarioError) {
        guard let pattern else { return }
        guard repeats.isEmpty else { throw error("a \"repeat\" has no \"end\"") }
        guard gathered.isEmpty else {
            throw error("\(gathered.count) bytes were gathered and never poured")
        }
        routes.append(
            Route(
                pattern: pattern, conditions: conditions,
                steps: Self.withFraming(lists.first ?? [])))
        self.pattern = nil
        conditions = []
    }

    private mutating func takeLineOfRoute(
        _ verb: Substring, _ rest: Substring
    ) throws(ScenarioError) {
        if try takeCondition(verb, rest) { return }
        switch verb {
        case "repeat":
            repeats.append(rest == "forever" ? nil : try number(rest))
            lists.append([])
        case "end":
            guard let count = repeats.popLast(), let steps = lists.popLast() else {
                throw error("\"end\" without a \"repeat\"")
            }
            append(.repeated(count, Self.withFraming(steps)))
        case "redirect":
            let (status, location) = rest.firstWord
            append(.head(status: try self.status(status), type: nil))
            append(.framing(.length(Template(bytes: Array("0".utf8)))))
            append(.header(try template("Location: " + location), size: nil))
        case "gather":
            let (inner, content) = rest.firstWord
            guard let step = try bodyStep(inner, content), let bytes = step.constantBytes else {
                throw error("\"gather\" takes text, block, hex or fill, without placeholders")
            }
            gathered += bytes
        case "squeeze":
            guard let coding = ContentCoding(rawValue: String(rest)) else {
                throw error("\"squeeze\" knows \(ContentCoding.words), not \"\(rest)\"")
            }
            gathered = coding.encode(gathered)
        case "cut":
            gathered.removeLast(min(try number(rest), gathered.count))
        case "pour":
            let count = rest == "rest" ? gathered.count : try number(rest)
            guard count > 0, count <= gathered.count else {
                throw error("only \(gathered.count) bytes are left to pour")
            }
            append(.bytes(Array(gathered.prefix(count))))
            gathered.removeFirst(count)
        default:
            if let step = try bodyStep(verb, rest) {
                append(step)
            } else if let step = try step(verb, rest) {
                append(step)
            } else {
                throw error("\"\(verb)\" is no word of a scenario")
            }
        }
    }

    private mutating func append(_ step: Step) {
        lists[lists.count - 1].append(step)
    }

    private mutating func takeCondition(
        _ verb: Substring, _ rest: Substring
    ) throws(ScenarioError) -> Bool {
        switch verb {
        case "when", "unless":
            let (name, text) = rest.firstWord
            guard name.last == ":" else {
                throw error("\"\(verb)\" needs a header, such as \"\(verb) Cookie: a=1\"")
            }
            let header = String(name.dropLast())
            conditions.append(
                verb == "when"
                    ? .header(name: header, contains: String(text))
                    : .noHeader(name: header, contains: String(text)))
        case "method": conditions.append(.method(String(rest)))
        case "times": conditions.append(.times(try number(rest)))
        case "turn":
            let words = rest.split(separator: " ")
            guard words.count == 3, words[1] == "of", let turn = Int(words[0]),
                let count = Int(words[2]), turn >= 1, turn <= count
            else { throw error("\"turn\" is written as \"turn 1 of 2\"") }
            conditions.append(.turn(turn, of: count))
        default: return false
        }
        return true
    }

    /// The step of a line that stands for bytes.
    private func bodyStep(_ verb: Substring, _ rest: Substring) throws(ScenarioError) -> Step? {
        switch verb {
        case "text": return .text(try template(rest), size: nil)
        case "block":
            let (size, text) = rest.firstWord
            let content = try template(text)
            let count = try number(size)
            if let bytes = content.constant, bytes.count > count {
                throw error("the text alone has \(bytes.count) bytes, more than \(count)")
            }
            return .text(content, size: count)
        case "hex":
            let digits = Array(rest.utf8.filter { $0 != UInt8(ascii: " ") })
            let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
                UInt8(String(decoding: digits[index...].prefix(2), as: UTF8.self), radix: 16)
            }
            guard digits.count % 2 == 0, !bytes.contains(nil) else {
                throw error("\"hex\" needs pairs of hexadecimal digits")
            }
            return .bytes(bytes.compactMap { $0 })
        case "fill":
            let (size, text) = rest.firstWord
            guard let pattern = try template(text).constant, !pattern.isEmpty else {
                throw error("\"fill\" needs a size and a text, such as \"fill 1000000 <\"")
            }
            return .fill(try number(size), pattern)
        default: return nil
        }
    }

    private func step(_ verb: Substring, _ rest: Substring) throws(ScenarioError) -> Step? {
        switch verb {
        case "head":
            let (status, type) = rest.firstWord
            return .head(
                status: try self.status(status), type: type.isEmpty ? nil : try template(type))
        case "header": return .header(try template(rest), size: nil)
        case "wide":
            let (size, text) = rest.firstWord
            return .header(try template(text), size: try number(size))
        case "length":
            switch rest {
            case "auto": return .framing(.computed)
            case "none": return .framing(.untold)
            default: return .framing(.length(try template(rest)))
            }
        case "chunked": return .framing(.chunked)
        case "unfinished": return .unfinished
        // The end of the head, for the case that a pause comes before the body.
        case "body": return .bytes([])
        case "pause":
            guard let pause = Duration(words: rest) else {
                throw error("\"\(rest)\" is not a duration (write \"250ms\" or \"1.5s\")")
            }
            return .pause(pause)
        case "gate":
            guard !rest.isEmpty else { throw error("\"gate\" needs a name") }
            return .gate(String(rest))
        case "close", "reset", "silence":
            return Step.Ending(rawValue: String(verb)).map { .end($0) }
        case "next":
            guard let ending = Step.Ending(rawValue: String(rest)) else {
                throw error("\"next\" takes close, reset or silence")
            }
            return .next(ending)
        case "tunnel": return .tunnel
        default: return nil
        }
    }

    private func template(_ text: Substring) throws(ScenarioError) -> Template {
        do {
            return try Template(text, parameters: pattern?.parameters ?? [])
        } catch {
            throw self.error(error.words)
        }
    }

    private func number(_ text: Substring) throws(ScenarioError) -> Int {
        guard let value = Int(text), value >= 0 else {
            throw error("\"\(text)\" is not a number")
        }
        return value
    }

    private func status(_ text: Substring) throws(ScenarioError) -> Template {
        let status = try template(text)
        if let bytes = status.constant, bytes.count != 3 || Int(text) == nil {
            throw error("\"\(text)\" is not a status")
        }
        return status
    }

    /// The steps, with a right Content-Length for every head that says nothing else.
    private static func withFraming(_ steps: [Step]) -> [Step] {
        var result: [Step] = []
        for (index, step) in steps.enumerated() {
            result.append(step)
            guard case .head(let status, _) = step,
                !["100", "101", "103", "204", "304"].contains(
                    String(decoding: status.constant ?? [], as: UTF8.self))
            else { continue }
            let own = steps[(index + 1)...].prefix { !$0.isHead }
            if !own.contains(where: { $0.isFraming }) { result.append(.framing(.computed)) }
        }
        return result
    }
}

extension Step {
    var isHead: Bool { if case .head = self { true } else { false } }
    var isFraming: Bool { if case .framing = self { true } else { false } }

    /// The bytes of a body step that are the same for every request.
    var constantBytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .text(let template, let size):
            template.constant.map { Filler.fill($0, to: size ?? $0.count) }
        case .fill(let count, let pattern): Filler.repeating(pattern, from: 0, count: count)
        default: nil
        }
    }
}

extension PathPattern {
    /// Stands for a connection that has asked for nothing yet.
    static let onAccept = PathPattern("")
}

extension Substring {
    /// Without white space at both ends.
    fileprivate var trimmed: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// The text up to the first white space, and what follows that.
    fileprivate var firstWord: (Substring, Substring) {
        let word = prefix { !$0.isWhitespace }
        return (word, self[word.endIndex...].trimmed)
    }
}

extension Duration {
    /// Reads `250ms` or `1.5s`.
    fileprivate init?(words: Substring) {
        if words.hasSuffix("ms"), let count = Int(words.dropLast(2)), count >= 0 {
            self = .milliseconds(count)
        } else if words.hasSuffix("s"), let count = Double(words.dropLast()), count >= 0 {
            self = .seconds(count)
        } else {
            return nil
        }
    }
}
