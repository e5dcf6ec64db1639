import Events

/// One picture of all running pages' bars: the lines, each within the terminal's width.
///
/// ```
/// www.swift.org/               ━━━━━━━━━━━━━━━━━━━━────────────────────  50 %
/// example.c…long/path/to/it  ━━━━────────────────────────────────────  10 %
/// and 62 more pages
/// ```
struct ProgressFrame {
    /// A page that is loading.
    struct Page: Equatable {
        let url: String
        /// From 0 to 1.
        var progress: Double
    }

    /// How a terminal can be drawn on.
    struct Style: Equatable {
        var hasColor = true
        /// Whether it shows UTF-8.
        var hasUnicode = true
    }

    /// More bars tell less.
    private static let mostBars = 10
    /// Wider bars tell no more, and a terminal that is made narrower folds them: what it folds it may
    /// scroll away, out of our reach. Few are made narrower than this.
    private static let widest = 59
    /// ` 100 %` behind the bar.
    private static let percentWidth = 6
    /// A bar below this tells nothing; then there is the percentage alone.
    private static let narrowestBar = 8

    let pages: [Page]
    let columns: Int
    let rows: Int
    let style: Style

    /// The lines to draw, without line breaks; none if nothing is running.
    var lines: [String] {
        // The last column stays free: some terminals wrap there early.
        let width = min(columns - 1, Self.widest)
        guard !pages.isEmpty, width >= Self.percentWidth else { return [] }
        // A row stays free for the results above.
        let room = max(1, min(Self.mostBars, rows - 1))
        let shown = pages.count <= room ? pages.count : max(1, room - 1)
        var lines = pages.prefix(shown).map { line(for: $0, width: width) }
        let more = pages.count - shown
        if more > 0, room > 1 {
            lines.append(fitted("and \(more) more page" + (more == 1 ? "" : "s"), into: width))
        }
        return lines
    }

    private func line(for page: Page, width: Int) -> String {
        let percent = percentText(page.progress)
        let rest = width - Self.percentWidth
        guard rest >= Self.narrowestBar else { return percent }
        let labelWidth = rest / 2
        guard labelWidth >= Self.narrowestBar else {
            return bar(page.progress, width: rest) + percent
        }
        let label = fittedAround(shown(page.url), into: labelWidth)
        let gap = String(repeating: " ", count: labelWidth - displayWidth(label) + 2)
        return label + gap + bar(page.progress, width: rest - labelWidth - 2) + percent
    }

    /// What a label has room for: a URL without the usual scheme, and without what the terminal
    /// can't show.
    private func shown(_ url: String) -> String {
        let scheme = "https://"
        let text = escaped(url.hasPrefix(scheme) ? String(url.dropFirst(scheme.count)) : url)
        guard !style.hasUnicode else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isASCII ? $0 : "?" }))
    }

    private func percentText(_ progress: Double) -> String {
        let number = String(Int((Self.bounded(progress) * 100).rounded(.down)))
        return String(repeating: " ", count: 4 - number.utf8.count) + number + " %"
    }

    private func bar(_ progress: Double, width: Int) -> String {
        let filled = Int((Self.bounded(progress) * Double(width)).rounded(.down))
        let full = String(repeating: style.hasUnicode ? "━" : "=", count: filled)
        let empty = String(repeating: style.hasUnicode ? "─" : "-", count: width - filled)
        guard style.hasColor else { return full + empty }
        // Blue as Safari's; the rest dim.
        return "\u{1B}[34m\(full)\u{1B}[0;2m\(empty)\u{1B}[0m"
    }

    private static func bounded(_ progress: Double) -> Double {
        progress.isFinite ? min(max(progress, 0), 1) : 0
    }
}

extension ProgressFrame {
    /// What takes all bars off the screen; the cursor stands at the first one's beginning.
    ///
    /// Erased from the second column on, behind the first line: from a screen's first cell tmux takes
    /// it for "clear", and keeps what was there in its history.
    static let erasure = Array("\r\u{1B}[K\u{1B}[C\u{1B}[J\r".utf8)

    /// What draws the frame over the one before, in one write.
    ///
    /// The cursor is hidden only within the write, so no ending of the program leaves it hidden;
    /// so is the wrapping of lines. In the end it stands at the beginning of the first bar: there
    /// all bars can be erased, even when a change of the width has folded them.
    func render() -> [UInt8] {
        let lines = self.lines
        guard !lines.isEmpty else { return Self.erasure }
        var text = "\u{1B}[?25l\u{1B}[?7l\r"
        text += lines.joined(separator: "\u{1B}[K\r\n")
        text += "\u{1B}[J\r"
        if lines.count > 1 { text += "\u{1B}[\(lines.count - 1)A" }
        text += "\u{1B}[?7h\u{1B}[?25h"
        return Array(text.utf8)
    }
}
