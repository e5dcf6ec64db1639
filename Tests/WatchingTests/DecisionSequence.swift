import Configuration
import PageModel
import Patterns
import Testing

@testable import Watching

/// A target's rules and loads, and the events that must come after each: the text of a file in
/// `Decisions`, or of an example in `docs/RULES.md`. `Decisions/README.md` tells the form.
struct DecisionSequence: CustomTestStringConvertible, Sendable {
    struct Step: Sendable {
        var line: Int
        var verb: String
        var words: [String]
        /// What must come; for a load of `x5` after the fifth, and nothing after the others.
        var expected: [[String]]
        var times: Int
    }

    struct Mistake: Error, CustomStringConvertible {
        var description: String
    }

    var name: String
    var file: String
    var steps: [Step] = []

    var testDescription: String { "\(file): \(name)" }

    /// The sequences of a text.
    static func read(_ text: String, file: String) throws -> [DecisionSequence] {
        var sequences: [DecisionSequence] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = try words(of: line, place: "\(file):\(number + 1)")
            guard let verb = words.first else { continue }
            if verb == "sequence" {
                let name = words.dropFirst().joined(separator: " ")
                sequences.append(DecisionSequence(name: name, file: file))
                continue
            }
            guard !sequences.isEmpty else {
                throw Mistake(description: "\(file):\(number + 1): no sequence yet")
            }
            let parts = words.dropFirst().split(
                separator: "=>", maxSplits: 1, omittingEmptySubsequences: false)
            var facts = Array(parts.first ?? [])
            var times = 1
            if let last = facts.last, last.first == "x", let count = Int(last.dropFirst()) {
                times = count
                facts.removeLast()
            }
            let expected = parts.count > 1 ? parts[1].split(separator: ";").map(Array.init) : []
            sequences[sequences.count - 1].steps.append(
                Step(
                    line: number + 1, verb: verb, words: facts, expected: expected, times: times))
        }
        return sequences
    }

    /// Words between spaces; a text in quotes is part of one, `#` begins a remark.
    ///
    /// In quotes `\u{301}` is a scalar; the quotes stay, so that "" and nothing differ.
    private static func words(of line: Substring, place: String) throws -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if isQuoted, scalar == "\\" {
                guard rest.starts(with: "u{".unicodeScalars), let end = rest.firstIndex(of: "}"),
                    let code = UInt32(String(rest[..<end].dropFirst(2)), radix: 16),
                    let named = Unicode.Scalar(code)
                else {
                    guard let next = rest.popFirst() else { continue }
                    word.unicodeScalars.append(next)
                    continue
                }
                word.unicodeScalars.append(named)
                rest = rest[end...].dropFirst()
                continue
            }
            if scalar == "\"" { isQuoted.toggle() }
            if !isQuoted, scalar == "#" { break }
            if !isQuoted, scalar == " " || scalar == ";" {
                if !word.isEmpty { words.append(word) }
                word = ""
                if scalar == ";" { words.append(";") }
                continue
            }
            word.unicodeScalars.append(scalar)
        }
        guard !isQuoted else { throw Mistake(description: "\(place): a quote is missing") }
        if !word.isEmpty { words.append(word) }
        return words
    }
}

/// Plays a sequence against ``ChangeRule``.
struct SequencePlayer {
    /// Whether the state goes through its stored form after each load.
    var restartsAlways = false

    private(set) var told: [DurableEvent] = []
    private(set) var faults: [String] = []
    private var rules = Rules()
    private var state = TargetState()
    private var url = "https://page.example/"
    private var edits = ["headers": 0, "encoding": 0, "userAgent": 0, "reader": 0]
    private var isOffline = false
    /// Minutes after 10:00.
    private var minute: Int64 = 0
    private let shelf = PatternShelf()

    init(restartsAlways: Bool = false) { self.restartsAlways = restartsAlways }

    mutating func play(_ sequence: DecisionSequence) throws {
        for step in sequence.steps {
            do {
                try play(step, place: "\(sequence.file):\(step.line)")
            } catch let error as DecisionSequence.Mistake {
                throw DecisionSequence.Mistake(
                    description: "\(sequence.file):\(step.line): \(error)")
            }
        }
    }

    private mutating func play(_ step: DecisionSequence.Step, place: String) throws {
        switch step.verb {
        case "rules": try setRules(step.words)
        case "restart": state = try TargetState(decoding: state.encoded())
        case "back": state.comeBack()
        case "offline": isOffline = true
        case "online": isOffline = false
        case "forget-failures": state.forgetFailures(since: try Self.time(step.words.first ?? ""))
        case "edit":
            for word in step.words {
                if word == "url" {
                    url = "https://other.example/"
                } else if edits[word] != nil {
                    edits[word, default: 0] += 1
                } else {
                    throw DecisionSequence.Mistake(description: "what is \(word)?")
                }
            }
        case "load":
            for number in 1...step.times {
                let load = try observation(step.words)
                minute += 1
                let decision = ChangeRule.decide(load, rules: rules, state: state)
                if decision != ChangeRule.decide(load, rules: rules, state: state) {
                    faults.append("\(place): decided in two ways")
                }
                state =
                    restartsAlways
                    ? try TargetState(decoding: decision.state.encoded()) : decision.state
                told += decision.events
                check(decision, number == step.times ? step.expected : [], place: place)
            }
        default: throw DecisionSequence.Mistake(description: "what is \(step.verb)?")
        }
    }

    // MARK: What is given

    private mutating func setRules(_ words: [String]) throws {
        rules = Rules()
        for word in words {
            let (name, value) = Self.pair(word)
            switch name {
            case "confirm": rules.confirm = Int(value) ?? 0
            case "failures": rules.failures = Int(value) ?? 0
            case "ignore":
                let preset = IgnoreRule.Preset(rawValue: value).map { IgnoreRule.preset($0) }
                rules.ignore.append(try shelf.pattern(preset?.source ?? value))
            case "expect_title": rules.expectTitle = try shelf.pattern(value)
            case "reject_title": rules.rejectTitle = try shelf.pattern(value)
            case "expect_url": rules.expectURL = try shelf.pattern(value)
            case "ok_status":
                rules.okStatus = value.split(separator: ",").compactMap { range in
                    let ends = range.split(separator: "-").compactMap { Int($0) }
                    return ends.isEmpty ? nil : ends[0]...ends[ends.count - 1]
                }
            default: throw DecisionSequence.Mistake(description: "what is \(word)?")
            }
        }
    }

    private func observation(_ words: [String]) throws -> Observation {
        let side = OwnSide(
            url: url, headers: [("X", "\(edits["headers"] ?? 0)")],
            encoding: "\(edits["encoding"] ?? 0)", userAgent: "\(edits["userAgent"] ?? 0)",
            rules: rules, readerVersion: UInt32(edits["reader"] ?? 0))
        var load = Observation(
            time: Self.time(minute), initialURL: url, title: nil, status: 200, encoding: "UTF-8",
            ownSide: side, isOffline: isOffline)
        for word in words {
            let (name, value) = Self.pair(word)
            switch name {
            case "none": load.title = nil
            case "status": load.status = Int(value)
            case "url": load.url = value
            case "encoding": load.encoding = value
            case "bytes": load.titleBytes = TitleBytes(Array(value.utf8))
            case "etag": load.validators = Validators(entityTag: value, lastModified: nil)
            case "sent": load.sentValidators = Validators(entityTag: value, lastModified: nil)
            case "challenged": load.isChallenged = true
            case "empty": load.isBodyEmpty = true
            case "nopage":
                load.isPage = false
                load.encoding = nil
            case "asked":
                // As the conductor does: 304 to the validators that the state allows.
                load.status = 304
                load.sentValidators = state.validators(for: side)
            case "fails":
                let parts = value.split(separator: ":").map(String.init)
                guard parts.count == 2, let phase = LoadError.Phase(rawValue: parts[0]) else {
                    throw DecisionSequence.Mistake(description: "what is \(word)?")
                }
                load.error = LoadError(phase: phase, code: parts[1], message: "")
                if phase != .content, phase != .body { load.status = nil }
            default:
                guard word.first == "\"" else {
                    throw DecisionSequence.Mistake(description: "what is \(word)?")
                }
                load.title = Self.unquoted(word)
            }
        }
        return load
    }

    // MARK: What must come

    private mutating func check(_ decision: Decision, _ expected: [[String]], place: String) {
        var events = decision.events.map(EventWords.init)
        for words in expected {
            if words.first == "next" {
                if "\(decision.nextCheck)" != words.last {
                    faults.append("\(place): next is \(decision.nextCheck)")
                }
            } else if words.first == "asks" {
                let asked = state.validators(
                    for: state.ownSide ?? OwnSide(url: url, rules: rules, readerVersion: 0))
                if asked?.entityTag ?? "nothing" != words.last {
                    faults.append("\(place): asks \(asked?.entityTag ?? "nothing")")
                }
            } else if words.first == "failed" || words.first == "good" {
                checkVerdict(decision.verdict, words, place: place)
            } else if events.isEmpty {
                faults.append(
                    "\(place): no \(words.joined(separator: " ")): \(decision.explanation)")
            } else {
                let event = events.removeFirst()
                if !event.matches(words) {
                    faults.append("\(place): \(event.all.joined(separator: " ")) is told")
                }
            }
        }
        for event in events {
            faults.append("\(place): \(event.all.joined(separator: " ")) is told, too")
        }
        if decision.explanation.isEmpty { faults.append("\(place): no explanation") }
    }

    private mutating func checkVerdict(_ verdict: Verdict, _ words: [String], place: String) {
        let told =
            switch verdict {
            case .good: "good"
            case .failed(let error): "failed \(error.phase.rawValue):\(error.code)"
            }
        if told != words.joined(separator: " ") { faults.append("\(place): \(told)") }
    }

    // MARK: Words

    private static func pair(_ word: String) -> (name: String, value: String) {
        guard word.first != "\"", let equals = word.firstIndex(of: "=") else { return (word, "") }
        return (String(word[..<equals]), unquoted(String(word[equals...].dropFirst())))
    }

    private static func unquoted(_ word: String) -> String {
        let scalars = word.unicodeScalars
        guard scalars.first == "\"", scalars.last == "\"", scalars.count > 1 else { return word }
        return String(scalars.dropFirst().dropLast())
    }

    static func time(_ minute: Int64) -> Timestamp {
        Timestamp(milliseconds: (600 + minute) * 60_000)
    }

    private static func time(_ word: String) throws -> Timestamp {
        let parts = word.split(separator: ":").compactMap { Int64($0) }
        guard parts.count == 2 else {
            throw DecisionSequence.Mistake(description: "\(word) is no time")
        }
        return Timestamp(milliseconds: (parts[0] * 60 + parts[1]) * 60_000)
    }
}

/// An event in the words of a sequence: what must be there, and what may be.
struct EventWords {
    private(set) var head: [String]
    private(set) var facts: [String] = []

    var all: [String] { head + facts }

    func matches(_ words: [String]) -> Bool {
        let given = words.filter { Self.isFact($0) }
        let first = words.filter { !Self.isFact($0) }
        return Self.bytes(first) == Self.bytes(head)
            && given.allSatisfy { fact in facts.contains { Array($0.utf8) == Array(fact.utf8) } }
    }

    private static func bytes(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }

    private static func isFact(_ word: String) -> Bool {
        word.first != "\"" && word.contains("=")
    }

    init(_ event: DurableEvent) {
        switch event {
        case .firstSeen(let title, let url, let previous):
            head = ["firstSeen", Self.quoted(title)]
            facts = ["url=\(url)"]
            if let previous {
                facts.append("previous=" + Self.quoted(previous.title))
                facts.append("previousTime=" + Self.clock(previous.time))
            } else {
                facts.append("previous=nothing")
            }
        case .titleChanged(let change):
            head = ["titleChanged", Self.quoted(change.from), "->", Self.quoted(change.to)]
            facts = [
                "url=\(change.url)", "initialURL=\(change.initialURL)",
                "lastSeen=" + Self.clock(change.lastSeen),
                "firstShown=" + Self.clock(change.firstShown),
                "fromURL=" + (change.fromURL ?? "nothing"),
            ]
        case .failing(let error, let status, let since):
            head = ["failing", "\(error.phase.rawValue):\(error.code)"]
            facts = ["since=" + Self.clock(since), "status=" + (status.map { "\($0)" } ?? "none")]
        case .recovered(let error, let status, let since):
            head = ["recovered", "\(error.phase.rawValue):\(error.code)"]
            facts = ["since=" + Self.clock(since), "status=" + (status.map { "\($0)" } ?? "none")]
        case .oscillating(let titles): head = ["oscillating"] + titles.map(Self.quoted)
        case .settled(let titles): head = ["settled"] + titles.map(Self.quoted)
        case .unstable(let titles): head = ["unstable"] + titles.map(Self.quoted)
        case .rebased(let from, let to, let because):
            head = ["rebased", Self.quoted(from), "->", Self.quoted(to)]
            facts = ["because=" + because.filter { $0 != " " }]
        case .encodingChanged(let title, let encoding, let previous):
            head = ["encodingChanged", Self.quoted(title)]
            facts = ["encoding=\(encoding)", "previousEncoding=\(previous)"]
        case .gap, .service: head = ["\(event)"]
        }
    }

    private static func quoted(_ title: String?) -> String { title.map { "\"\($0)\"" } ?? "none" }

    private static func clock(_ time: Timestamp) -> String {
        let minutes = time.milliseconds / 60_000
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }
}
