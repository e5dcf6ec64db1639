import Events
import PageModel
import Watching

/// The targets as a table for people, which fits a terminal.
struct StatusTable {
    /// Columns where nobody says how many there are.
    static let usualWidth = 100
    private static let fewestForTitle = 10
    private static let head = ["TARGET", "STATE", "TITLE", "CHANGED", "NEXT"]
    private static let gap = "  "

    private let rows: [[String]]

    /// - Parameter now: What spans are counted from.
    init(_ targets: [TargetAnswer], now: Timestamp) {
        rows = targets.map { target in
            [
                target.view.name, Self.state(of: target.view), Self.title(of: target.view),
                target.lastChange.map {
                    Span.text(now.milliseconds - $0.milliseconds) + " ago"
                } ?? "-", Self.next(of: target.view, now: now),
            ]
        }
    }

    /// The lines, each of at most `width` columns unless names alone are longer.
    func text(width: Int) -> String {
        var widths = Self.head.indices.map { column in
            ([Self.head] + rows).map { displayWidth($0[column]) }.max() ?? 0
        }
        let others = widths.enumerated().reduce(0) { $1.offset == 2 ? $0 : $0 + $1.element }
        let room = width - others - Self.gap.count * (widths.count - 1)
        widths[2] = min(widths[2], max(room, Self.fewestForTitle))
        return ([Self.head] + rows).map { Self.line($0, widths) + "\n" }.joined()
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (cell, width) in zip(cells, widths) {
            let text = fitted(cell, into: width)
            line += text + String(repeating: " ", count: width - displayWidth(text)) + gap
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func state(of view: TargetView) -> String {
        guard view.page.isLoading else { return view.state.rawValue }
        return "loading \(Int((view.page.estimatedProgress * 100).rounded())) %"
    }

    private static func title(of view: TargetView) -> String {
        view.title.map { quoted($0.title) } ?? "-"
    }

    private static func next(of view: TargetView, now: Timestamp) -> String {
        if view.state == .paused {
            return view.pausedUntil.map { "paused, " + remaining(until: $0, now: now) } ?? "paused"
        }
        if let next = view.nextCheck { return remaining(until: next, now: now) }
        return view.load == nil ? "-" : "now"
    }

    private static func remaining(until time: Timestamp, now: Timestamp) -> String {
        "in " + Span.text(time.milliseconds - now.milliseconds)
    }
}
