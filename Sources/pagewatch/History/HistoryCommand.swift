import Configuration
import Control
import Events
import History
import PageModel

/// `pagewatch history`: reads the store itself; needs neither service nor configuration.
enum HistoryCommand {
    /// Prints what is asked for.
    static func run(_ options: HistoryOptions) -> ExitCode {
        let output = StandardOutput()
        do {
            let folder = try StateSearch.folder(named: options.state)
            try print(options, try HistoryReader(folder), folder, to: output)
        } catch {
            return output.finish().combined(with: refuse(error, "history"))
        }
        return output.finish()
    }

    /// Says on standard error why a command of the store does nothing.
    static func refuse(_ error: any Error, _ command: String) -> ExitCode {
        let problem = (error as? UsageError)?.message ?? escaped("\(error)")
        StandardError.write("pagewatch \(command): \(problem)\n")
        return .unusable
    }

    /// The target as the store has it.
    ///
    /// - Throws: That there is none, and which name is nearest.
    static func target(
        _ name: String, in reader: HistoryReader, _ folder: StateFolder
    ) throws -> StoredTarget {
        if let target = try reader.target(name) { return target }
        let near = nearest(to: name, among: try reader.targets().map(\.name))
        throw UsageError(
            "nothing is known of \(quoted(name)) in \(escaped(folder.path))"
                + (near.map { " (did you mean \(quoted($0))?)" } ?? ""))
    }

    private static func print(
        _ options: HistoryOptions, _ reader: HistoryReader, _ folder: StateFolder,
        to output: StandardOutput
    ) throws {
        var dropped: Int64 = 0
        if let name = options.target { dropped = try target(name, in: reader, folder).dropped }
        if let text = options.time, let name = options.target {
            let time = try parsedTime(text, now: HistoryStore.systemTime())
            guard let moment = try reader.moment(time, of: name) else { return }
            let report = MomentReport(target: name, moment: moment, zone: options.zone)
            return output.write(bytes: options.isJSON ? report.json : Array(report.text.utf8))
        }
        let since = try options.since.map { text throws(UsageError) in
            try parsedTime(text, now: HistoryStore.systemTime())
        }
        let kept = try reader.events(of: options.target, limit: options.limit)
        // Numbers are the order: what came behind belongs to it, though a clock was set back.
        let events = kept.drop { event in since.map { event.time < $0 } ?? false }
        if dropped > 0, options.limit == nil, events.count == kept.count, !options.isJSON {
            output.write("(\(dropped) older events and titles are no longer kept)\n")
        }
        var json = JSONWriter()
        for event in events {
            let line = EventLine(
                seq: event.seq, time: WallTime(event.time), target: event.target,
                load: event.load, event: event.event)
            if options.isJSON {
                json.removeAll()
                line.appendJSON(to: &json)
                output.write(bytes: json.bytes)
            } else {
                let time = line.time.text(options.zone)
                output.write("\(time) \(line.text(times: options.zone))\n")
            }
        }
    }
}

/// `pagewatch forget`.
enum ForgetCommand {
    /// Long enough for a disk that is busy.
    private static let patience = Duration.seconds(30)

    /// Removes the target.
    static func run(_ options: StoreOptions) -> ExitCode {
        // Without a folder it is about the service that runs, if one does.
        if options.state == nil, let call = try? ServiceCall("forget", socket: options.socket) {
            return ask(call, options)
        }
        do {
            let folder = try StateSearch.folder(named: options.state)
            let name = options.operand ?? ""
            _ = try HistoryCommand.target(name, in: HistoryReader(folder), folder)
            let listener = HistoryStore.Listener { _ in
            } trouble: { trouble in
                StandardError.write("pagewatch forget: \(escaped("\(trouble)"))\n")
            }
            let store = try HistoryStore.open(
                folder, version: Version.number, listener: listener
            ).store
            store.submit(Batch([.forget(target: name)]))
            guard store.close(within: patience) else {
                throw UsageError("\(escaped(folder.database)) could not be written")
            }
            return .fine
        } catch {
            if case .held? = error as? StoreError { return askService(options, because: error) }
            return HistoryCommand.refuse(error, "forget")
        }
    }

    /// The service that holds the store does it, if it can be asked.
    private static func askService(_ options: StoreOptions, because held: any Error) -> ExitCode {
        do throws(NoService) {
            return ask(try ServiceCall("forget", socket: options.socket), options)
        } catch {
            return HistoryCommand.refuse(
                UsageError("\(escaped("\(held)")), and \(error)"), "forget")
        }
    }

    private static func ask(_ call: ServiceCall, _ options: StoreOptions) -> ExitCode {
        let output = StandardOutput()
        let name = ServiceClient.escaped(options.operand ?? "")
        let reply = call.send(
            "POST", "/v1/targets/\(name)/forget", accept: "text/plain", to: output)
        guard let reply, reply.status < 400 else { return .unusable }
        return output.finish()
    }
}

/// `pagewatch backup`.
enum BackupCommand {
    /// Copies the store.
    static func run(_ options: StoreOptions) -> ExitCode {
        do {
            let folder = try StateSearch.folder(named: options.state)
            try Backup.make(of: folder, to: options.operand ?? "")
            return .fine
        } catch {
            return HistoryCommand.refuse(error, "backup")
        }
    }
}
