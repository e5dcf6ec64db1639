import Events
import Glibc
import PageModel
import Patterns
import Reactor
import Systemd

/// What `check` says: the one place where its results turn into output and an exit code.
///
/// Input: events and results from the run. Output: lines on standard output in the form that was
/// asked for, the bars on the terminal, and the title file.
final class CheckReport {
    /// Between two drawings of the bars: smooth to look at, and of no weight.
    private static let drawInterval = Duration.milliseconds(80)
    /// Problems told on standard error, and the UTF-16 units of each: together less than a pipe
    /// holds, so a reader that is slow there does not stop the loop.
    private static let mostProblems = 100
    private static let longestProblem = 500
    /// Bytes that come together in one turn before nothing more is begun in it.
    private static let mostUnflushed = 256 << 10

    private let options: CheckOptions
    private let output = StandardOutput()
    /// The journal takes a priority from the beginning of a line.
    private let isJournal = JournalStream.isJournal(STDOUT_FILENO, environmentVariable)
    private let expected: Pattern?
    private var titles: TitleFile?
    private let display: ProgressDisplay
    private var json = JSONWriter()
    private var text: [UInt8] = []
    private var plugin = PluginReport()
    private var seq: Int64 = 0
    private var code = ExitCode.fine
    private var problems = 0
    /// Whether there was anything to check at all.
    private var isEmpty = true

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

    /// Keeps the bars right while `loop` runs, as ``ProgressDisplay/follow(_:)`` does.
    ///
    /// - Throws: ``SystemError`` if the system refuses what that needs.
    func follow(_ loop: EventLoop) throws(SystemError) { try display.follow(loop) }

    /// Whether the pages' events are wanted, and not only their results.
    var wantsEvents: Bool { options.form == .events }

    // MARK: The output's reader

    /// Whether nothing more can be told: the output can't be written, or is given up.
    var isOutputLost: Bool { output.hasFailed }

    /// Whether the reader keeps up, so that what brings more may begin.
    var hasRoom: Bool { !output.isFull && json.bytes.count + text.count < Self.mostUnflushed }

    /// Whether something waits for the reader to take it.
    var isHeldUp: Bool { output.held > 0 || (isUnflushed && !canTell) }

    /// What to watch for a reader that takes more.
    var outputDescriptor: CInt { output.descriptor }

    /// Gives up what the reader has not taken yet.
    func abandonOutput() { output.abandon() }

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
        isEmpty = false
        let findings = self.findings(result)
        if result.isFailure {
            code.combine(.pageFailed)
        }
        for finding in findings {
            code.combine(finding.isUnknown ? .unusable : .titleNotAsExpected)
        }
        tell(result, findings)
    }

    /// Tells of a line of the list that is no URL.
    func add(unusable result: LoadResult) {
        let problem = result.error?.message ?? "not a URL"
        switch options.form {
        case .plugin, .events: add(problem: problem)
        case .text, .json:
            isEmpty = false
            code.combine(.unusable)
            tell(result, [])
        }
    }

    /// Tells of a list that could not be read, or a part of it.
    func add(problem: String) {
        isEmpty = false
        code.combine(.unusable)
        if options.form == .plugin { plugin.add(problem: problem) }
        tellProblem(problem)
    }

    private func tellProblem(_ problem: String) {
        problems += 1
        guard problems <= Self.mostProblems else { return }
        var lines = "pagewatch check: \(cut(problem, utf16Limit: Self.longestProblem))\n"
        if problems == Self.mostProblems {
            lines += "pagewatch check: further problems are not told here\n"
        }
        if display.isActive {
            display.printAbove { display.send(Array(lines.utf8)) }
        } else {
            StandardError.write(lines)
        }
    }

    private func findings(_ result: LoadResult) -> [Finding] {
        guard !result.isFailure else { return [] }
        var findings: [Finding] = []
        if let expected {
            switch expected.firstMatch(in: result.title ?? "") {
            case .match: break
            case .noMatch: findings.append(.titleNotExpected(pattern: expected.source))
            case .limitExceeded:
                findings.append(.patternTooSlow(pattern: expected.source))
                tellProblem(
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
            result.appendJSON(to: &json, findings: findings, expectsTitle: expected != nil)
        case .text where !isQuiet(result, findings):
            if isJournal { text += "<\(priority(result, findings).rawValue)>".utf8 }
            text.append(contentsOf: ResultLine(result, findings: findings).text.utf8)
            text.append(UInt8(ascii: "\n"))
        default: break
        }
    }

    /// As of the service's events that tell the same.
    private func priority(_ result: LoadResult, _ findings: [Finding]) -> Priority {
        if result.isFailure { return .warning }
        return findings.isEmpty ? .info : .notice
    }

    /// Whether only what is not fine is asked for, and this is fine.
    private func isQuiet(_ result: LoadResult, _ findings: [Finding]) -> Bool {
        options.isQuiet && !result.isFailure && findings.isEmpty
    }

    private var isUnflushed: Bool { !json.bytes.isEmpty || !text.isEmpty }

    /// Whether lines may be written: where bars are on the same terminal they go first.
    private var canTell: Bool { !display.isActive || !output.isTerminal || display.isReady }

    /// Writes what has come together; once a turn of the loop.
    func flush() {
        guard isUnflushed || output.held > 0, canTell else { return }
        tellAboveBars {
            output.write(bytes: json.bytes)
            output.write(bytes: text)
            output.flush()
        }
        json.removeAll()
        text.removeAll(keepingCapacity: true)
    }

    /// Takes in what is left to tell once every page is done; ``flush()`` and ``finish()`` follow.
    func conclude(interruptedBy signal: CInt?) {
        if let signal {
            plugin.interrupt(by: signal == SIGTERM ? "SIGTERM" : "Ctrl-C")
        } else if isEmpty {
            code.combine(.unusable)
            if options.form != .plugin { tellProblem("no URL in \(listName) (nothing is checked)") }
        }
        guard options.form == .plugin else { return }
        // The one line must not say OK before titles are kept that can't be.
        keepTitles { (titles) throws(TitleFileError) in try titles.rehearse() }
        text.append(contentsOf: (plugin.line + "\n").utf8)
    }

    private var listName: String {
        options.from == "-" ? "standard input" : escaped(options.from ?? "")
    }

    /// Keeps the titles, if all was told that is to be told, and gives the exit code.
    ///
    /// A change that could not be told is told by the next run: it compares with the same titles.
    func finish() -> ExitCode {
        display.restore()
        guard output.finish() == .fine else { return code.combined(with: .unusable) }
        keepTitles { (titles) throws(TitleFileError) in try titles.save() }
        return code
    }

    private func keepTitles(_ body: (TitleFile) throws(TitleFileError) -> Void) {
        guard let titles else { return }
        do {
            try body(titles)
        } catch {
            // Once is enough.
            self.titles = nil
            add(problem: error.message)
        }
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
