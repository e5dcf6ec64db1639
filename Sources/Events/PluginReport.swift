import PageModel

/// The one line that `check --plugin` prints for a monitoring system, for one page or many.
///
/// ```
/// OK - 200 "Swift.org" https://www.swift.org/ | time=0.123456s;;;0 size=50000B;;;0
/// CRITICAL - 2 of 5 pages not fine: https://a.example/: connect: refused: …; … | time=…
/// ```
///
/// With several pages `time` is that of the slowest and `size` the sum. Remote text is escaped,
/// and a `|` in it too: what follows the first one is figures of ours alone.
package struct PluginReport: Sendable {
    /// How bad it is, from best to worst.
    package enum State: Int, Sendable, Comparable {
        case ok, warning, unknown, critical

        package static func < (one: State, other: State) -> Bool { one.rawValue < other.rawValue }

        /// The word that a monitoring system shows.
        var word: String {
            switch self {
            case .ok: "OK"
            case .warning: "WARNING"
            case .unknown: "UNKNOWN"
            case .critical: "CRITICAL"
            }
        }
    }

    /// Monitoring systems cut a line at some kilobytes: of many troubles the worst few are told.
    private static let mostTroubles = 5
    /// UTF-16 units of a title, and of one page's whole text.
    private static let mostTitle = 200
    private static let mostText = 600

    private var pages = 0
    private var notFine = 0
    private var failed = 0
    private var slowest: Double?
    private var size: Int64?
    /// The text of the only page so far.
    private var single = ""
    /// Worst first; of those alike the earlier first; at most ``mostTroubles``.
    private var troubles: [(state: State, text: String)] = []
    /// The worst so far.
    private var worst = State.ok
    /// What ended the run early.
    private var interruption: String?

    package init() {}

    /// Takes in a page's result.
    package mutating func add(_ result: LoadResult, findings: [Finding] = []) {
        let state: State =
            result.isFailure ? .critical : findings.map(\.state).max() ?? .ok
        if result.isFailure { failed += 1 }
        if let total = result.timings?.total { slowest = max(slowest ?? 0, total) }
        if let bytes = result.bytes {
            size = (size ?? 0).addingReportingOverflow(bytes).partialValue
        }
        add(state, Self.text(of: result, findings))
    }

    /// Takes in something that could not be checked, such as a line that is no URL.
    package mutating func add(problem: String) { add(.unknown, problem) }

    private mutating func add(_ state: State, _ text: String) {
        pages += 1
        let text = Self.escapedForPlugin(cut(text, utf16Limit: Self.mostText))
        single = text
        worst = max(worst, state)
        guard state != .ok else { return }
        notFine += 1
        let place = troubles.firstIndex { $0.state < state } ?? troubles.count
        troubles.insert((state, text), at: place)
        if troubles.count > Self.mostTroubles { troubles.removeLast() }
    }

    /// Takes in that the run was ended early, so that nothing can be said of the whole.
    ///
    /// - Parameter cause: Such as `Ctrl-C`.
    package mutating func interrupt(by cause: String) { interruption = cause }

    /// What the line says, and the exit code must say, too.
    package var state: State {
        // Without a page nothing has been found to be fine.
        interruption != nil || pages == 0 ? .unknown : worst
    }

    /// The line, without its line break.
    package var line: String {
        let figures = self.figures
        let early = interruption.map { "interrupted by \($0): " } ?? ""
        return "\(state.word) - \(early)\(text)" + (figures.isEmpty ? "" : " | \(figures)")
    }

    private var text: String {
        switch (pages, notFine) {
        case (0, _): return "no pages"
        case (1, _): return single
        case (_, 0): return "\(pages) pages fine"
        default:
            let rest = notFine - troubles.count
            return "\(notFine) of \(pages) pages not fine: "
                + troubles.map(\.text).joined(separator: "; ")
                + (rest > 0 ? "; and \(rest) more" : "")
        }
    }

    private var figures: String {
        var figures: [String] = []
        if let slowest { figures.append("time=\(Figures.decimal(slowest, digits: 6))s;;;0") }
        if let size { figures.append("size=\(size)B;;;0") }
        if pages > 1 {
            figures.append("pages=\(pages);;;0")
            figures.append("failed=\(failed);;;0;\(pages)")
        }
        return figures.joined(separator: " ")
    }

    private static func text(of result: LoadResult, _ findings: [Finding]) -> String {
        let url = result.url ?? result.initialURL
        if result.outcome == .failed {
            return "\(escaped(url)): \(result.error?.text ?? "failed")"
        }
        let status = result.status.map { "\($0) " } ?? ""
        return findings.reduce(status + quoted(result.title.map { cut($0, utf16Limit: mostTitle) }))
        {
            $0 + " (" + $1.text + ")"
        } + " " + escaped(url)
    }

    /// Only figures may follow a `|`.
    private static func escapedForPlugin(_ text: String) -> String {
        var bytes: [UInt8] = []
        appendEscaped(text, also: UInt8(ascii: "|"), 0, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Finding {
    fileprivate var state: PluginReport.State { isUnknown ? .unknown : .warning }
}
