import Configuration
import Events
import Glibc
import History
import Reactor
import Watching

/// What the service starts with: the configuration in force, and the opened store.
struct DaemonStart {
    let configuration: Configuration
    /// The files that it was read from.
    let readFiles: ReadFiles
    /// The path of its main file.
    let mainFile: String
    let opening: HistoryStore.Opening
    /// Where the store's thread leaves what it has to say.
    let mailbox: Mailbox<Watcher.StoreMessage>
    /// What is wrong with the configuration, to be told: files that are not in force.
    let mistakes: [String]

    /// Reads the configuration, opens the state folder, and puts the last good definitions of
    /// broken files in force.
    ///
    /// - Throws: ``StartProblem``: a main file that is wrong, a state folder that can't be used, or
    ///   the wish that it ends.
    ///
    /// - Parameter patience: Told of each step of what may take long.
    init(_ options: DaemonOptions, patience: StartPatience? = nil) throws {
        patience?.begins("reading the configuration")
        let path = try Self.mainFile(options)
        mainFile = path
        let first = ConfigurationFiles.load(main: path)
        guard first.isMainAccepted else { throw StartProblem(first) }
        mailbox = try Mailbox()
        patience?.begins("opening the history")
        opening = try Self.open(first.configuration, options, mailbox, patience)
        // Only files that are not in force need to know what was: most starts read them once.
        let needsLastGood =
            !first.refusedFiles.isEmpty || !first.emptyFiles.isEmpty
            || first.isDropInFolderMissing || first.folderMistake != nil
        let loaded =
            needsLastGood
            ? ConfigurationFiles.load(main: path, lastGood: Self.lastGood(opening)) : first
        guard loaded.isMainAccepted else { throw StartProblem(loaded) }
        readFiles = loaded.readFiles
        configuration = loaded.inForce(isForced: options.isForced)
        mistakes = loaded.complaints(isForced: options.isForced)
    }

    private static func mainFile(_ options: DaemonOptions) throws(StartProblem) -> String {
        do {
            return try MainFile.path(named: options.config)
        } catch {
            throw StartProblem(error.message, .misconfigured)
        }
    }

    /// The definitions that were in force before, as far as they can be read.
    private static func lastGood(_ opening: HistoryStore.Opening) -> Configuration {
        var configuration = Configuration()
        configuration.targets = opening.targets.compactMap { stored in
            guard stored.retired == nil, let definition = stored.definition else { return nil }
            return try? TargetDefinition.decoded(definition.bytes)
        }
        return configuration
    }

    // MARK: The state folder

    private static func open(
        _ configuration: Configuration, _ options: DaemonOptions,
        _ mailbox: Mailbox<Watcher.StoreMessage>, _ patience: StartPatience?
    ) throws(StartProblem) -> HistoryStore.Opening {
        let listener = HistoryStore.Listener(
            committed: { mailbox.post(.committed($0)) }, trouble: { mailbox.post(.trouble($0)) },
            gaveBack: { mailbox.post(.gaveBack) })
        // A store that is repaired later, on its own thread, is no start.
        let isStarting = Locked(true)
        defer { isStarting.withLock { $0 = false } }
        do {
            return try HistoryStore.open(
                folder(options, configuration), version: Version.number,
                limits: StoreLimits(configuration.retention), listener: listener,
                onStep: {
                    guard isStarting.withLock({ $0 }) else { return true }
                    patience?.goesOn()
                    return !Daemon.isAskedToEnd
                })
        } catch {
            // Whatever else came of it: nobody wants it any more.
            if Daemon.isAskedToEnd { throw .askedToEnd }
            throw StartProblem("\(error)", error.isPassing ? .notNow : .misconfigured)
        }
    }

    /// The first folder that can be written, of those where the state may be; the first of all if
    /// none can, for the error to name.
    private static func folder(
        _ options: DaemonOptions, _ configuration: Configuration
    ) -> StateFolder {
        let candidates = StateFolder.candidates(named: options.state ?? configuration.state) {
            getenv($0).map { String(cString: $0) }
        }
        return candidates.first { access($0.path, W_OK) == 0 } ?? candidates[0]
    }
}

extension StartProblem {
    /// For a main file that is not good, or can't be read just now.
    fileprivate init(_ loaded: ConfigurationFiles.Loaded) {
        let mistakes = loaded.mistakes
        self.init(
            lines: mistakes.map(\.description),
            mistakes.contains { $0.isPassing } ? .notNow : .misconfigured)
    }
}
