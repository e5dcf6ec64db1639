import Configuration
import Events
import Fetching
import Glibc
import History
import PageLoading
import PageModel
import Reactor
import Watching

/// `pagewatch check --target`: one load of a configured target as the service would make it, and what
/// the service would tell of it. Nothing is kept.
final class TargetCheck {
    private let options: CheckOptions
    private let name: String
    private let trial: TargetTrial
    /// Whether there is a state to go on from.
    private let hasState: Bool
    private let loop: EventLoop
    private let pool: TransferPool
    private let output = StandardOutput()
    private var code = ExitCode.fine

    /// - Throws: ``UsageError``: there is no such target, or its configuration is wrong.
    init(_ options: CheckOptions, target name: String) throws {
        self.options = options
        self.name = name
        let definition = try Self.definition(name, options)
        let missing = definition.missingSecrets
        guard missing.isEmpty else {
            throw UsageError(
                "the secret of \(missing.joined(separator: ", ")) of \(quoted(name)) can't be read")
        }
        let stored = try Self.stored(name, options)
        hasState = stored != nil
        trial = try TargetTrial(definition, stored: stored, userAgent: Version.userAgent)
        loop = try EventLoop()
        pool = try TransferPool(loop: loop, connections: 4)
        try loop.handle(signals: [SIGINT, SIGTERM]) { [unowned self] number in
            code = .interrupted(by: number)
            loop.stop()
        }
    }

    private static func definition(
        _ name: String, _ options: CheckOptions
    ) throws -> TargetDefinition {
        let path: String
        do {
            path = try MainFile.path(named: options.config)
        } catch {
            throw UsageError(error.message)
        }
        let loaded = ConfigurationFiles.load(main: path)
        let targets = loaded.configuration.targets
        if let found = targets.first(where: { $0.name == name }) { return found }
        if let file = loaded.refusedFiles.first(where: { $0.targetNames.contains(name) }),
            let mistake = file.mistakes.first
        {
            throw UsageError("\(mistake)")
        }
        let near = nearest(to: name, among: targets.map(\.name))
        throw UsageError(
            "\(quoted(name)) is no target of \(escaped(path))"
                + (near.map { " (did you mean \(quoted($0))?)" } ?? ""))
    }

    /// What the store has of it; without a store the target is as one that was never loaded.
    private static func stored(_ name: String, _ options: CheckOptions) throws -> StoredTarget? {
        guard options.state != nil else {
            guard let folder = try StateSearch.folderIfThere() else { return nil }
            return try HistoryReader(folder).target(name)
        }
        return try HistoryReader(StateSearch.folder(named: options.state)).target(name)
    }

    /// Loads it and prints what came of it.
    func run() -> ExitCode {
        let display = ProgressDisplay(isWanted: options.showsProgress)
        display.begin(0, url: name)
        do throws(SystemError) {
            try display.follow(loop)
        } catch {
            StandardError.write("pagewatch check: \(error)\n")
        }
        let load = trial.load(loop: loop, pool: pool) { event in
            if case .estimatedProgress(let progress) = event {
                display.update(0, progress: progress)
                display.draw()
            }
        } onEnd: { [unowned self] result, decision in
            display.restore()
            print(result, decision)
            loop.stop()
        }
        withExtendedLifetime(load) { loop.run() }
        display.restore()
        return output.finish().combined(with: code)
    }

    private func print(_ result: LoadResult, _ decision: Decision) {
        if case .failed = decision.verdict { code = .pageFailed }
        if decision.events.contains(where: { $0.name == .titleChanged }) {
            code = .titleNotAsExpected
        }
        if options.form == .json { return printJSON(result, decision) }
        var text = ResultLine(result).text + "\n"
        if case .failed(let error) = decision.verdict, result.error == nil {
            text += "counts as failed: \(error.text)\n"
        }
        text += "decision: \(decision.explanation)\n"
        if !hasState {
            text += "as of a target that was never loaded: no state has it (--state DIR)\n"
        }
        for line in lines(decision) { text += "would tell: \(line.text)\n" }
        output.write(text)
    }

    private func printJSON(_ result: LoadResult, _ decision: Decision) {
        var json = JSONWriter()
        result.appendJSON(to: &json)
        json.object { json in
            json.key("target")
            json.value(name)
            json.key("decision")
            json.value(decision.explanation)
            json.key("events")
            json.array { json in
                for line in lines(decision) { line.appendObject(to: &json) }
            }
        }
        json.newline()
        output.write(bytes: json.bytes)
    }

    private func lines(_ decision: Decision) -> [EventLine] {
        decision.events.map {
            EventLine(seq: 0, time: .now(), target: name, load: nil, event: .durable($0))
        }
    }
}
