import Configuration
import Events
import History
import PageModel
import Watching

/// What may be asked.
extension API {
    private static let json = "application/json"
    static let plainText = "text/plain; charset=utf-8"
    /// Of events without a limit; and the most that may be asked for at a time.
    private static let usualEvents: Int64 = 100
    private static let mostEvents: Int64 = 10_000
    /// Targets among which one that was misspelt is looked for.
    private static let mostGuesses = 2000

    func status(_ asked: APIRequest) throws(Refusal) {
        let width = try asked.number("width", in: 20...10_000)
        guard asked.wantsText else {
            var json = JSONWriter()
            watcher.view().appendJSON(to: &json, followers: streams.count)
            return asked.responder.respond(contentType: Self.json, body: json.bytes)
        }
        allRecords.ask(for: asked.responder) { [self] records in
            let now = HistoryStore.systemTime()
            let names = watcher.targetNames
            let answer = { [watcher] name in watcher.view(of: name).map(records.answer) }
            let table = StatusTable(
                names, answer, now: now, width: width.map { Int($0) } ?? StatusTable.usualWidth)
            let head = watcher.view().text(now: now) + "\n" + (names.isEmpty ? "" : "\n")
            let section = SlicedAnswer.Section(
                head: Array((head + (names.isEmpty ? "" : table.head)).utf8),
                piece: { name in
                    table.isWhole ? [] : answer(name).map { Array(table.line($0).utf8) } ?? []
                })
            asked.responder.stream(
                contentType: Self.plainText, source: slicedAnswer([section]))
        }
    }

    func targets(_ asked: APIRequest) throws(Refusal) {
        guard !asked.wantsText else {
            let names = watcher.targetNames.map { $0 + "\n" }.joined()
            return asked.responder.respond(contentType: Self.plainText, body: Array(names.utf8))
        }
        allRecords.ask(for: asked.responder) { [self] records in
            var isFirst = true
            let array = SlicedAnswer.Section(
                head: Array("[".utf8),
                piece: { [watcher] name in
                    guard let view = watcher.view(of: name) else { return [] }
                    var json = JSONWriter()
                    records.answer(view).appendJSON(to: &json)
                    defer { isFirst = false }
                    return (isFirst ? [] : Array(",\n".utf8)) + json.bytes
                },
                foot: Array("]\n".utf8))
            asked.responder.stream(
                contentType: Self.json, source: slicedAnswer([array]))
        }
    }

    private func slicedAnswer(_ sections: [SlicedAnswer.Section]) -> SlicedAnswer {
        SlicedAnswer(watcher.targetNames, sections) { [weak self] in self?.allRecords.rest() }
    }

    func target(_ asked: APIRequest) throws(Refusal) {
        try tell(asked.target, to: asked)
    }

    /// Answers with what a target is now.
    ///
    /// - Parameters:
    ///   - isWish: Whether something was wished for: then a person is told in a line.
    ///   - load: How the load went that was waited for, if one was.
    func tell(
        _ name: String, to asked: APIRequest, isWish: Bool = false, load: LoadResult? = nil
    ) throws(Refusal) {
        guard watcher.view(of: name) != nil else { throw unknownTarget(name) }
        questions.ask {
            try TargetRecords($0, of: name)
        } done: { [self] (records: TargetRecords?) in
            guard let view = watcher.view(of: name) else {
                return asked.responder.refuse(unknownTarget(name))
            }
            let answer = (records ?? TargetRecords()).answer(view)
            // For programs that read no JSON: what a command's exit code says.
            var headers = [("Pagewatch-Healthy", view.isHealthy ? "yes" : "no")]
            if let load {
                headers.append(("Pagewatch-Load", load.outcomeWord))
                if let problem = load.problem { headers.append(("Pagewatch-Error", problem)) }
            }
            if asked.wantsText {
                let zone = TimeZoneStyle(asked)
                let now = HistoryStore.systemTime()
                let text = isWish ? answer.line(zone, now: now) : answer.text(zone, now: now)
                return asked.responder.respond(
                    contentType: Self.plainText, body: Array(text.utf8), headers: headers)
            }
            var json = JSONWriter()
            answer.appendJSON(to: &json)
            json.newline()
            asked.responder.respond(
                contentType: Self.json, body: json.bytes, headers: headers)
        }
    }

    /// That nobody knows the target, with the name that was meant, if it can be guessed.
    func unknownTarget(_ name: String) -> Refusal {
        // The search takes some microseconds a name, and the loop's.
        let names = watcher.targetCount <= Self.mostGuesses ? watcher.targetNames : []
        let remedy =
            nearest(to: name, among: names).map { "did you mean \"\($0)\"?" }
            ?? "\"pagewatch status\" lists them"
        return Refusal(
            status: 404, code: "unknownTarget",
            message: "there is no target \"\(name)\" (\(remedy))")
    }

    // MARK: The history

    func history(_ asked: APIRequest) throws(Refusal) {
        let limit = try asked.number("limit", in: 0...Self.mostEvents) ?? Self.usualEvents
        let before = try asked.number("before", in: 1...Int64.max)
        let name = asked.target
        questions.ask { reader in
            try reader.target(name) == nil
                ? [] : [try reader.events(of: name, limit: Int(limit), before: before)]
        } done: { [self] (found: [[StoredEvent]]?) in
            guard let found else { return asked.responder.refuse(.unreadableHistory) }
            if found.isEmpty, watcher.view(of: name) == nil {
                return asked.responder.refuse(unknownTarget(name))
            }
            tell((found.first ?? []).map { EventLine($0) }, to: asked)
        }
    }

    private func tell(_ lines: [EventLine], to asked: APIRequest) {
        var json = JSONWriter()
        if asked.wantsText {
            let zone = TimeZoneStyle(asked)
            let text = lines.map { $0.time.text(zone) + " " + $0.text(times: zone) + "\n" }
            asked.responder.respond(
                contentType: Self.plainText, body: Array(text.joined().utf8))
        } else if asked.accepts("application/x-ndjson") {
            for line in lines { line.appendJSON(to: &json) }
            asked.responder.respond(contentType: "application/x-ndjson", body: json.bytes)
        } else {
            json.array { json in
                for line in lines { line.appendObject(to: &json) }
            }
            json.newline()
            asked.responder.respond(contentType: Self.json, body: json.bytes)
        }
    }

    // MARK: Events

    func events(_ asked: APIRequest) throws(Refusal) {
        let kinds = asked.list("event")
        let known = ["all", "durable"] + EventKinds.names
        if let unknown = kinds.first(where: { !known.contains($0) }) {
            let remedy =
                nearest(to: unknown, among: known).map { "did you mean \($0)?" }
                ?? "docs/EVENTS.md lists them"
            throw .badParameter(
                "event is \"\(unknown)\", which is no kind of event (\(remedy))")
        }
        let filter = EventFilter(targets: asked.list("target"), kinds: kinds)
        switch try EventsStart(asked) {
        case .now: follow(asked, filter, from: watcher.ring.next)
        case .event(let seq): follow(asked, filter, from: seq)
        case .time(let time):
            // What comes while the history is asked is not to be passed over.
            let next = watcher.ring.next
            questions.ask {
                [try $0.firstEvent(since: time)]
            } done: { [self] (found: [Int64?]?) in
                follow(asked, filter, from: found?.first.flatMap { $0 } ?? next)
            }
        }
    }

    private func follow(_ asked: APIRequest, _ filter: EventFilter, from cursor: Int64) {
        var (form, type) = (EventStream.Form.json(.serverSent), "text/event-stream")
        if asked.accepts("application/x-ndjson") {
            (form, type) = (.json(.jsonLines), "application/x-ndjson")
        } else if asked.wantsText {
            let text = EventStream.Form.text(
                TimeZoneStyle(asked), isNumbered: asked.isSet("numbers"))
            (form, type) = (text, Self.plainText)
        }
        let stream = EventStream(
            ring: watcher.ring, lines: streams.lines, history: questions, filter: filter,
            form: form, from: cursor, runStart: runStart,
            onEnd: { [weak self] in self?.streams.remove($0) })
        let handle = asked.responder.stream(
            contentType: type, headers: [("Cache-Control", "no-store")], source: stream)
        streams.add(stream, handle)
    }

    // MARK: Metrics

    func metrics(_ asked: APIRequest) throws(Refusal) {
        var metrics = Metrics()
        metrics.add(watcher.view())
        metrics.addAPI(
            kept: watcher.ring.next - watcher.ring.first, followers: streams.count,
            time: processorTime())
        metrics.addProcess()
        let source = slicedAnswer(
            Metrics.ofTargets { [watcher] in watcher.view(of: $0) } + [metrics.section])
        asked.responder.stream(
            contentType: "text/plain; version=0.0.4; charset=utf-8", source: source)
    }
}

extension TimeZoneStyle {
    /// Local times, unless `utc` is asked for.
    init(_ asked: APIRequest) { self = asked.isSet("utc") ? .utc : .local }
}

extension LoadResult {
    /// `finished`, `failed` (an HTTP status of 400 or more counts) or `cancelled`.
    fileprivate var outcomeWord: String {
        guard error?.code != "cancelled" else { return "cancelled" }
        return isFailure ? "failed" : "finished"
    }

    /// Why it failed, for people, without what a header can't have; nil if it did not.
    fileprivate var problem: String? {
        guard isFailure else { return nil }
        let text = error?.text ?? "answered with \(status ?? 0)"
        return String(text.unicodeScalars.map { $0.isASCII ? Character($0) : "?" })
    }
}

extension Refusal {
    static let unreadableHistory = Refusal(
        status: 503, code: "unreadableHistory", message: "the history can't be read at the moment")
}

/// Where a reader of events wants to begin.
private enum EventsStart {
    case now
    /// With the event of that number.
    case event(Int64)
    case time(Timestamp)

    /// From `Last-Event-ID`, which goes first, as it is what a reader sends that lost its
    /// connection; or from `since`.
    init(_ asked: APIRequest) throws(Refusal) {
        if let last = asked.request.headers["last-event-id"], !last.isEmpty {
            guard let seq = Int64(last), (0..<Int64.max).contains(seq) else {
                throw .badParameter("Last-Event-ID is \"\(last)\", not the number of an event")
            }
            self = .event(seq + 1)
            return
        }
        guard let since = asked.request.parameter("since") else {
            self = .now
            return
        }
        if since.hasPrefix("seq:"), let seq = Int64(since.dropFirst(4)),
            (0..<Int64.max).contains(seq)
        {
            self = .event(seq + 1)
        } else if since.hasPrefix("@"), let seconds = Double(since.dropFirst()),
            abs(seconds) < 1e12
        {
            self = .time(Timestamp(milliseconds: Int64(seconds * 1000)))
        } else if let time = WallTime(since) {
            self = .time(Timestamp(milliseconds: time.milliseconds))
        } else {
            throw .badParameter(
                "since is \"\(since)\" (write seq:N, @SECONDS or a time as 2026-05-28T20:26:40Z)")
        }
    }
}
