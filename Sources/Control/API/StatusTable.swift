import Events
import PageModel
import Watching

/// The targets as a table for people, which fits a terminal.
struct StatusTable {
    /// Columns where nobody says how many there are.
    static let usualWidth = 100
    private static let fewestForTitle = 10
    private static let headCells = ["TARGET", "STATE", "TITLE", "CHANGED", "NEXT"]
    private static let titleColumn = 2
    private static let gap = "  "
    /// Of more targets not every row is looked at before the first is told: columns get the room
    /// that they may need.
    private static let measuredRows = 1000
    private static let widestCells = ["loading 100 %", "59 min ago", "paused, in 59 min"]

    private let now: Timestamp
    private let widths: [Int]
    /// What was measured: what becomes of a target afterwards may be wider.
    private var rows: [[String]] = []

    /// - Parameters:
    ///   - now: What spans are counted from.
    ///   - width: Of the table in columns. It is kept unless the other columns leave the title less
    ///     than ten.
    init(
        _ names: [String], _ answer: (String) -> TargetAnswer?, now: Timestamp, width: Int
    ) {
        self.now = now
        var widths = Self.headCells.map(displayWidth)
        if names.count > Self.measuredRows {
            widths[0] = max(widths[0], names.map(displayWidth).max() ?? 0)
            for (column, cell) in zip([1, 3, 4], Self.widestCells) {
                widths[column] = displayWidth(cell)
            }
            widths[Self.titleColumn] = .max
        } else {
            rows = names.compactMap(answer).map { Self.row($0, now) }
            for row in rows {
                widths = zip(widths, row).map { max($0, displayWidth($1)) }
            }
        }
        let others = widths.enumerated().reduce(0) {
            $1.offset == Self.titleColumn ? $0 : $0 + $1.element
        }
        let room = width - others - Self.gap.count * (widths.count - 1)
        widths[Self.titleColumn] = min(
            widths[Self.titleColumn], max(room, Self.fewestForTitle))
        self.widths = widths
    }

    /// The line of the columns' names, and those of the targets if they were all measured.
    var head: String { ([Self.headCells] + rows).map(line).joined() }

    /// Whether ``head`` has all lines.
    var isWhole: Bool { !rows.isEmpty }

    /// The line of a target.
    func line(_ target: TargetAnswer) -> String { line(Self.row(target, now)) }

    private func line(_ cells: [String]) -> String {
        var line = ""
        for (cell, width) in zip(cells, widths) {
            let text = fitted(cell, into: width)
            line += text + String(repeating: " ", count: width - displayWidth(text)) + Self.gap
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }

    private static func row(_ target: TargetAnswer, _ now: Timestamp) -> [String] {
        [
            target.view.name, state(of: target.view), title(of: target.view),
            target.lastChange.map {
                Span.text(now.milliseconds - $0.milliseconds) + " ago"
            } ?? "-", next(of: target.view, now: now),
        ]
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
