import CLinux
import Configuration
import Events
import Fetching
import Glibc
import History
import PageModel
import Reactor
import Watching

/// The configuration in force, and how another one comes in its place while the service runs.
///
/// Input: the wish to have the files read again, on the loop's thread. Output: the new targets and
/// limits to those who go by them, and what is wrong with the files to the log. Each file is in
/// force whole or not at all; where one is refused, what it said before stays.
final class Reconfiguration {
    /// Those who go by the configuration.
    struct Parts {
        let watcher: Watcher
        let pool: TransferPool
        let store: HistoryStore
        let voice: ServiceVoice
    }

    /// How it went.
    struct Outcome: Sendable {
        /// What is wrong, a line each; empty if all that the files say is in force.
        var mistakes: [String] = []
        var changes = Watcher.TargetChanges()
    }

    /// Hears that the files are read, and before anybody else how that went.
    var onReading: () -> Void = {}
    var onRead: (Outcome) -> Void = { _ in }
    /// Puts other settings of the API in force; answers why that did not go, if so.
    var onAPI: (Configuration.API) -> String? = { _ in nil }
    private let mainFile: String
    /// In force, less its targets, which the watcher has.
    private var configuration: Configuration
    /// Of the reading that led to it.
    private var readFiles: ReadFiles
    private let parts: Parts
    private let loop: EventLoop
    private let mailbox: Mailbox<ConfigurationFiles.Loaded>
    /// Who waits for the reading that runs, and for the one after it.
    private var waiting: [Wish] = []
    private var next: [Wish] = []

    /// Reading took many times what is kept of it; by then all of it is freed.
    private static let trimDelay = Duration.seconds(1)
    private let trim = Deadline { malloc_trim(0) }

    private struct Wish {
        let isForced: Bool
        let done: (Outcome) -> Void
    }

    /// - Throws: ``SystemError`` if the system has no descriptors left.
    init(
        _ configuration: Configuration, _ readFiles: ReadFiles, mainFile: String, parts: Parts,
        loop: EventLoop
    ) throws(SystemError) {
        self.readFiles = readFiles
        self.configuration = configuration
        self.configuration.targets = []
        self.mainFile = mainFile
        self.parts = parts
        self.loop = loop
        mailbox = try Mailbox()
        try mailbox.open(on: loop) { [unowned self] in received($0) }
    }

    /// Reads the files again and puts in force what they say.
    ///
    /// - Parameters:
    ///   - isForced: Whether more than half of the targets may go, and those of a drop-in folder
    ///     that is missing.
    ///   - done: Called in a later turn. Wishes that come while the files are read wait for them to
    ///     be read once more: they may have been changed meanwhile.
    func begin(isForced: Bool = false, done: @escaping (Outcome) -> Void = { _ in }) {
        next.append(Wish(isForced: isForced, done: done))
        if waiting.isEmpty { read() }
    }

    private func read() {
        waiting = next
        next = []
        onReading()
        var lastGood = configuration
        lastGood.targets = parts.watcher.definitions
        do {
            try ConfigurationReading.start(
                ConfigurationReading(
                    mainFile, lastGood: lastGood, before: readFiles, to: mailbox))
        } catch {
            finish(Outcome(mistakes: ["\(error)"]))
        }
    }

    private func received(_ loaded: ConfigurationFiles.Loaded) {
        finish(apply(loaded, isForced: waiting.contains { $0.isForced }))
        loop.arm(trim, at: MonotonicClock.now() + Self.trimDelay)
    }

    private func finish(_ outcome: Outcome) {
        let done = waiting
        waiting = []
        onRead(outcome)
        for wish in done { wish.done(outcome) }
        if !next.isEmpty { read() }
    }

    // MARK: Putting in force

    private func apply(_ loaded: ConfigurationFiles.Loaded, isForced: Bool) -> Outcome {
        var wanted = loaded.inForce(isForced: isForced)
        var outcome = Outcome(mistakes: loaded.complaints(isForced: isForced))
        if let refusal = refusal(of: wanted, isForced: isForced) {
            outcome.mistakes.append(refusal)
        } else {
            if let problem = put(inForce: &wanted) { outcome.mistakes.append(problem) }
            readFiles = loaded.readFiles
            outcome.changes = parts.watcher.reconfigure(wanted)
            if outcome.changes.isEmpty, outcome.mistakes.isEmpty {
                parts.voice.mention(
                    "the configuration was read again: no target changed", .info)
            }
        }
        tell(outcome.mistakes)
        return outcome
    }

    /// Why so many targets should not go without being asked again.
    private func refusal(of wanted: Configuration, isForced: Bool) -> String? {
        let count = parts.watcher.countRetired(by: wanted.targets)
        let all = parts.watcher.targetCount
        guard !isForced, count * 2 > all else { return nil }
        return "\(count) of \(all) targets are not defined any more: nothing is changed"
            + " (if that is meant, say so with \"pagewatch reconfigure --force\")"
    }

    /// Hands all but the targets to those who go by it.
    ///
    /// - Returns: What could not be put in force, if so.
    private func put(inForce wanted: inout Configuration) -> String? {
        let before = configuration
        if wanted.state != before.state {
            parts.voice.mention(
                "state: another folder is used after a new start only", .warning)
        }
        wanted.limits.concurrency = DescriptorLimit.fitted(
            wanted.limits.concurrency,
            tell: { [voice = parts.voice] in voice.mention($0, .warning) })
        if wanted.limits != before.limits {
            parts.pool.change(
                connections: wanted.limits.concurrency * 2,
                connectionAge: wanted.limits.connectionAge)
        }
        if wanted.retention != before.retention {
            parts.store.change(StoreLimits(wanted.retention))
        }
        if wanted.log != before.log { parts.voice.change(wanted.log) }
        let problem = onAPI(wanted.api)
        configuration = wanted
        configuration.targets = []
        return problem
    }

    /// Tells what is wrong: all of it to the log, and that it is so as an event.
    func tell(_ mistakes: [String]) {
        guard !mistakes.isEmpty else { return }
        // Of one mistake the event has all there is to tell.
        if mistakes.count > 1 {
            for mistake in mistakes { parts.voice.mention(mistake, .error) }
        }
        parts.watcher.tellRefused(
            mistakes.count == 1 ? mistakes[0] : "\(mistakes.count) mistakes: \(mistakes[0]); ...")
    }
}

extension ConfigurationFiles.Loaded {
    /// What is in force of it.
    ///
    /// - Parameter isForced: Whether the targets of a drop-in folder that is missing go.
    func inForce(isForced: Bool) -> Configuration {
        var configuration = configuration
        if !isForced { configuration.targets += targetsOfMissingFolder }
        return configuration
    }

    /// What is wrong with it, a line each.
    func complaints(isForced: Bool) -> [String] {
        var lines = mistakes.map(\.description)
        let count = targetsOfMissingFolder.count
        if count > 0, !isForced {
            lines.append(
                "\(escaped(dropInFolder)) is missing: "
                    + (count == 1 ? "its target goes" : "its \(count) targets go") + " on as before"
                    + " (mount it, or retire them by --force)")
        }
        return lines
    }
}

extension StoreLimits {
    /// What the configuration says of it.
    init(_ retention: Configuration.Retention) {
        self.init()
        rowsPerTarget = retention.rows
        days = Int(retention.age / .seconds(86_400))
        newestRows = retention.newest
        bytes = retention.size
    }
}
