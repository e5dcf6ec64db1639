import PageModel

/// What a check has to say about a page that loaded.
package enum Finding: Equatable, Sendable {
    /// The title has no match of the pattern.
    case titleNotExpected(pattern: String)
    /// The title is not the one kept from an earlier run.
    case titleChanged(from: String?)
    /// Whether the title has a match was not found out within the bounds of a search.
    case patternTooSlow(pattern: String)

    /// Whether it says that something could not be found out, and not that it is wrong.
    package var isUnknown: Bool {
        if case .patternTooSlow = self { true } else { false }
    }
}

extension LoadResult {
    /// Whether the page counts as failed: it did not finish, or answered with 400 or more.
    package var isFailure: Bool { outcome == .failed || (status ?? 0) >= 400 }
}

/// A page's result as one line for people: status, time, bytes, title, URL.
///
/// ```
/// 200      0.12 s   48.8 kB  "Swift.org"  https://www.swift.org/
/// 200      0.31 s    3.1 kB  "New" (was "Old")  http://example.com/ -> https://example.com/
/// failed   0.03 s  connect: refused: Connection refused  https://localhost:1/
/// ```
///
/// The columns line up from one page to the next, and the last word is the URL that was reached.
/// A title is in quotes as JSON writes it, so nothing in it can be taken for another column.
package struct ResultLine: Equatable, Sendable {
    private let result: LoadResult
    private let findings: [Finding]

    /// Findings are told in the order given.
    package init(_ result: LoadResult, findings: [Finding] = []) {
        self.result = result
        self.findings = findings
    }

    /// The line, without its line break.
    package var text: String {
        var columns = [statusColumn, timeColumn]
        if result.outcome == .finished { columns.append(sizeColumn) }
        columns.append(result.outcome == .finished ? titleColumn : errorColumn)
        columns.append(urlColumn)
        return columns.joined(separator: "  ")
    }

    private var statusColumn: String {
        let word = result.outcome == .failed ? "failed" : result.status.map(String.init) ?? "ok"
        return word.padded(to: 6)
    }

    private var timeColumn: String {
        (result.timings.map { Figures.seconds($0.total) } ?? "-").indented(to: 7)
    }

    private var sizeColumn: String {
        (result.bytes.map(Figures.size) ?? "-").indented(to: 8)
    }

    private var errorColumn: String { result.error?.text ?? "unknown" }

    /// The title, and in brackets what is not right about it, and where the page wants to go on.
    private var titleColumn: String {
        let title = findings.reduce(quoted(result.title)) { $0 + " (" + $1.text + ")" }
        guard let refresh = result.refresh else { return title }
        return title + " (refreshes after \(refresh.delay) s to \(escaped(refresh.url)))"
    }

    private var urlColumn: String {
        let initial = escaped(result.initialURL)
        guard let url = result.url, !url.utf8.elementsEqual(result.initialURL.utf8) else {
            return initial
        }
        return initial + " -> " + escaped(url)
    }
}

extension Finding {
    /// `was "Old"`, or `does not match "RE"`.
    var text: String {
        switch self {
        case .titleNotExpected(let pattern): "does not match " + quoted(pattern)
        case .titleChanged(let previous): "was " + quoted(previous)
        case .patternTooSlow(let pattern): quoted(pattern) + " takes too long"
        }
    }
}

extension String {
    /// Spaces behind ASCII text up to a width.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - utf8.count))
    }

    /// Spaces before ASCII text up to a width.
    fileprivate func indented(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - utf8.count)) + self
    }
}
