import PageModel

extension Form<TargetSettings.AddressFamily> {
    static let addressFamily = Form(
        type: "`any`, `4` or `6`", a: "any, 4 or 6",
        parse: { text, _, _ throws(ValueError) in
            guard let family = TargetSettings.AddressFamily(rawValue: text) else {
                throw ValueError(
                    "\(Quoted.shown(text)) is no family of addresses", remedy: "write any, 4 or 6")
            }
            return family
        }, write: { $0.rawValue })
}

extension Form<ClosedRange<Int>> {
    private static let all = 100...599

    /// A status or a range of these.
    static let status = Form(
        type: "status", a: "a status",
        parse: { text, _, _ throws(ValueError) in
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { end in
                end.utf8.count == 3 ? Int(end) : nil
            }
            guard (1...2).contains(ends.count), let first = ends[0],
                let last = ends[ends.count - 1],
                all.contains(first), all.contains(last), first <= last
            else {
                throw ValueError(
                    "\(Quoted.shown(text)) is no status or range of these",
                    remedy: "write 200 or 200-399; all are from 100 to 599")
            }
            return first...last
        }, write: { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" })
}

extension Form<[ClosedRange<Int>]> {
    static let statuses = Form<ClosedRange<Int>>.status.list(
        type: "list of statuses and ranges, 100 to 599", most: 100)
}

extension Form<IgnoreRule> {
    /// A pattern or the name of a preset.
    static let rule = Form(
        type: "rule", a: "a pattern",
        parse: { text, _, reading throws(ValueError) in
            if text.utf8.first == UInt8(ascii: "@") {
                if let preset = IgnoreRule.Preset(rawValue: text) { return .preset(preset) }
                let names = IgnoreRule.Preset.allCases.map(\.rawValue)
                throw ValueError(
                    "\(Quoted.shown(text)) is no preset",
                    remedy: nearest(to: text, among: names).map { "did you mean \"\($0)\"?" }
                        ?? "write \"@counter\", \"@number\", \"@time\", or \"[@]\" for an @")
            }
            if let error = Line.problem(with: text) { throw error }
            if let error = reading.surroundings.problem(withPattern: text) { throw error }
            return .pattern(text)
        },
        write: { rule in
            switch rule {
            case .pattern(let source): Quoted.whole(source)
            case .preset(let preset): Quoted.whole(preset.rawValue)
            }
        })
}

extension Form<[IgnoreRule]> {
    static let rules = Form<IgnoreRule>.rule.list(
        type: "list of patterns (PCRE2), `\"@counter\"`, `\"@number\"`, `\"@time\"`", most: 50)
}

extension Form<String> {
    /// Words for events, as `log: events:` takes them.
    private static let eventWords =
        ["durable", "all"] + PageEvent.Name.allCases.map(\.rawValue)
        + DurableEvent.Name.allCases.map(\.rawValue)

    static let event = Form(
        type: "event", a: "an event",
        parse: { text, _, _ throws(ValueError) in
            guard !eventWords.contains(text) else { return text }
            throw ValueError(
                "\(Quoted.shown(text)) is no kind of event",
                remedy: nearest(to: text, among: eventWords).map { "did you mean \"\($0)\"?" }
                    ?? "write durable, all, or kinds such as titleChanged")
        }, write: { $0 })

    /// An address of this machine's own to listen on: whoever reaches it may do all that the service
    /// can.
    static let listen = line(type: "`HOST:PORT`") { text, _ in
        let remedy = "write 127.0.0.1:8125 or [::1]:8125"
        let wrong = ValueError("\(Quoted.shown(text)) is no HOST:PORT", remedy: remedy)
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return wrong }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.contains(":")
        guard !host.isEmpty, isBracketed || !host.contains(where: { ":[] /".contains($0) }) else {
            return wrong
        }
        guard host == "[::1]" || isLoopback(String(host)) else {
            return ValueError(
                "\(Quoted.shown(text)) is no address of this machine's own",
                remedy: remedy + ", and let a proxy stand before it")
        }
        return nil
    }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension Form<[String]> {
    static let events = Form<String>.event.list(
        type: "list of `durable`, `all` and kinds of events", most: 50)
}
