import Events
import Glibc
import PageModel
import Patterns

/// What `check` says: the one place where its results turn into output and an exit code.
///
/// Input: events and results from the run. Output: lines on standard output in the form that was
/// asked for, the bars on the terminal, and the title file.
final class CheckReport {
    /// Between two drawings of the bars: smooth to look at, and of no weight.
    private static let drawInterval = Duration.milliseconds(80)

    private let options: CheckOptions
    private let output = StandardOutput()
    private let expected: Pattern?
    private var titles: TitleFile?
    private let display: ProgressDisplay
    private var json = JSONWriter()
    private var text: [UInt8] = []
    private var plugin = PluginReport()
    private var seq: Int64 = 0
    private var code = ExitCode.fine

    /// - Throws: What is wrong with the pattern or the title file.
    init(_ options: CheckOptions) throws {
        self.options = options
        expected = try options.expectedTitle.map { try Pattern($0) }
        do {
            titles = try options.titleFile.map { path throws(TitleFileError) in
                try TitleFile(path: path)
            }
        } catch {
            throw UsageError(error.message)
        }
        display = ProgressDisplay(isWanted: options.showsProgress)
    }

    /// Whether the pages' events are wanted, and not only their results.
    var wantsEvents: Bool { options.form == .events }

    /// Whether nothing more can be told: the reader of the output is gone.
    var isOutputLost: Bool { output.hasFailed }

    // MARK: Events and results

    /// Tells an event of the page of that URL.
    func add(_ event: PageEvent, of target: String) {
        guard wantsEvents else { return }
        seq += 1
        EventLine(seq: seq, time: .now(), target: target, load: 1, event: event)
            .appendJSON(to: &json)
    }

    /// Tells the result of a load, and takes it into the exit code.
    func add(_ result: LoadResult) {
        let findings = self.findings(result)
        if result.isFailure {
            code.combine(.pageFailed)
        } else if !findings.isEmpty {
            code.combine(.titleNotAsExpected)
        }
        tell(result, findings)
    }

    /// Tells of a line of the list that is no URL.
    func add(unusable result: LoadResult) {
        code.combine(.unusable)
        tell(result, [])
    }

    /// Tells of a list that could not be read, or a part of it.
    func add(problem: String) {
        code.combine(.unusable)
        if options.form == .plugin { plugin.add(problem: problem) }
        tellAboveBars { StandardError.write("pagewatch check: \(problem)\n") }
    }

    private func findings(_ result: LoadResult) -> [Finding] {
        guard !result.isFailure else { return [] }
        var findings: [Finding] = []
        if let expected {
            switch expected.firstMatch(in: result.title ?? "") {
            case .match: break
            case .noMatch: findings.append(.titleNotExpected(pattern: expected.source))
            case .limitExceeded:
                add(
                    problem:
                        "the pattern \(quoted(expected.source)) takes too long on the title of "
                        + "\(escaped(result.initialURL)) (write a simpler one)")
            }
        }
        if case .changed(let from) = titles?.compare(result.title, for: result.initialURL) {
            findings.append(.titleChanged(from: from))
        }
        return findings
    }

    private func tell(_ result: LoadResult, _ findings: [Finding]) {
        switch options.form {
        case .events: break
        case .plugin: plugin.add(result, findings: findings)
        case .json where !isQuiet(result, findings):
            result.appendJSON(to: &json)
        case .text where !isQuiet(result, findings):
            text.append(contentsOf: ResultLine(result, findings: findings).text.utf8)
            text.append(UInt8(ascii: "\n"))
        default: break
        }
    }

    /// Whether only what is not fine is asked for, and this is fine.
    private func isQuiet(_ result: LoadResult, _ findings: [Finding]) -> Bool {
        options.isQuiet && !result.isFailure && findings.isEmpty
    }

    /// Writes what has come together; once a turn of the loop.
    func flush() {
        guard !json.bytes.isEmpty || !text.isEmpty else { return }
        tellAboveBars {
            output.write(bytes: json.bytes)
            output.write(bytes: text)
            output.flush()
        }
        json.removeAll()
        text.removeAll(keepingCapacity: true)
    }

    /// Writes the rest, keeps the titles, and gives the exit code.
    func finish() -> ExitCode {
        flush()
        display.restore()
        if options.form == .plugin { output.write(plugin.line + "\n") }
        do {
            try titles?.save()
        } catch {
            StandardError.write("pagewatch check: \(error.message)\n")
            code.combine(.unusable)
        }
        return code.combined(with: output.finish())
    }

    // MARK: The bars

    /// How often the bars are to be drawn; nil where there are none.
    var redrawInterval: Duration? { display.isActive ? Self.drawInterval : nil }

    /// A page has begun to load.
    func began(_ id: Int, _ url: String) { display.begin(id, url: url) }

    /// A page has come so far.
    func progressed(_ id: Int, _ progress: Double) { display.update(id, progress: progress) }

    /// A page is done: its bar goes.
    func ended(_ id: Int) { display.end(id) }

    /// Draws the bars as they stand.
    func draw() { display.draw() }

    private func tellAboveBars(_ body: () -> Void) {
        if display.isActive { display.printAbove(body) } else { body() }
    }
}
