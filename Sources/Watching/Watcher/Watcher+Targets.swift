import Configuration
import Events
import History
import PageLoading
import PageModel
import Patterns
import Reactor
import WebAddress

/// Which targets are watched: those of the configuration in force, after a start and whenever it
/// is another one.
extension Watcher {
    /// What a configuration made of the targets: their names, in order.
    package struct TargetChanges: Equatable, Sendable {
        package fileprivate(set) var added: [String] = []
        package fileprivate(set) var removed: [String] = []
        package fileprivate(set) var changed: [String] = []

        package init() {}

        package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
    }

    /// The definitions in force, in no order.
    package var definitions: [TargetDefinition] { targets.values.map(\.definition) }

    /// How many targets there are, loaded or not.
    package var targetCount: Int { targets.count }

    /// Of a change of the targets, in one batch.
    private static let batchItems = 1000

    /// How many of the targets these definitions leave out.
    package func countRetired(by definitions: [TargetDefinition]) -> Int {
        // Their names are different ones.
        targets.count - definitions.count { targets[$0.name] != nil }
    }

    /// Puts another configuration in force. What did not change is not disturbed, not even a load
    /// that runs; a changed target's load ends as it began; a removed one's is cancelled.
    ///
    /// Tells `reconfigured`, unless no target is another one.
    @discardableResult
    package func reconfigure(_ configuration: Configuration) -> TargetChanges {
        queue.change(
            concurrency: configuration.limits.concurrency, perHost: configuration.limits.perHost)
        let changes = watch(configuration.targets)
        if !changes.isEmpty {
            let event = ServiceEvent(
                state: .reconfigured, version: version, added: changes.added,
                removed: changes.removed, changed: changes.changed)
            tell(.service(event), of: nil, load: nil)
        }
        armAlarm()
        return changes
    }

    /// Tells that a configuration is not in force, or not all of it.
    package func tellRefused(_ message: String) {
        tell(
            .service(ServiceEvent(state: .refused, version: version, message: message)), of: nil,
            load: nil)
    }

    /// Watches these targets and no others.
    @discardableResult
    func watch(_ definitions: [TargetDefinition]) -> TargetChanges {
        readings &+= 1
        var change = TargetChange(shelf: LoadSettingsShelf(userAgent: "pagewatch/\(version)"))
        targets.reserveCapacity(definitions.count)
        for definition in definitions {
            do throws(PatternError) {
                if let target = targets[definition.name] {
                    target.reading = readings
                    try update(target, definition, &change)
                } else {
                    try add(definition, &change)
                }
            } catch {
                change.unwatched.insert(definition.name)
                audience.mention("\(definition.name): not watched: \(error)", .error)
            }
        }
        // Only now, and all at once: what takes their place is to lie side by side, so that the room
        // of those of a whole store can be given back to the system.
        for name in change.told.added { retired[name] = nil }
        retireOthers(&change)
        // A whole store's definitions in one transaction would keep it from all else for seconds.
        for batch in change.batch.pieces(of: Self.batchItems) { submit(batch) }
        place(change)
        if judge.isOffline { judge.keep(targets.values.map { $0.definition.url.host }) }
        return change.told
    }

    /// One change of the targets, while it is put together.
    private struct TargetChange {
        let shelf: LoadSettingsShelf
        let writer = DefinitionWriter()
        /// Defined, and not watched because something is wrong with them.
        var unwatched: Set<String> = []
        var batch = Batch()
        var newcomers: [(target: WatchedTarget, lastStart: Timestamp?)] = []
        var told = TargetChanges()
    }

    // MARK: One target

    private func add(
        _ definition: TargetDefinition, _ change: inout TargetChange
    ) throws(PatternError) {
        let name = definition.name
        let settings = try change.shelf.settings(of: definition)
        let stored = retired[name]
        var state = state(of: stored)
        if stored?.retired != nil {
            state.comeBack()
            change.batch.append(.unretire(target: name))
            // With it, or a crash before its first load would make a change of its new title.
            change.batch.append(.state(target: name, Self.versioned(state.encoded())))
        }
        let bytes = Self.versioned(change.writer.encoded(definition))
        let isSame = stored?.definition == bytes
        if !isSame { change.batch.append(.definition(target: name, bytes)) }
        let target = WatchedTarget(
            definition, settings: settings, state: state,
            list: stored?.backForwardList?.sharing(definition.url.text),
            nextLoad: stored?.nextLoad ?? store.firstLoad)
        target.reading = readings
        target.lastGood = stored?.lastGood?.ended
        targets[name] = target
        change.told.added.append(name)
        // Nobody wanted the loads of a target that was retired or not enabled.
        let wasDisabled =
            isSame ? !definition.settings.isEnabled : Self.wasDisabled(stored)
        let wasLoaded = stored?.retired == nil && !wasDisabled
        let lastStart = wasLoaded ? state.lastStart ?? stored?.lastStart : nil
        admit(target, lastStart: lastStart, &change)
    }

    /// Whether a target was not enabled when the service knew it last.
    private static func wasDisabled(_ stored: StoredTarget?) -> Bool {
        guard let definition = stored?.definition else { return false }
        return TargetDefinition.isDisabled(kept: definition.bytes)
    }

    private func update(
        _ target: WatchedTarget, _ definition: TargetDefinition, _ change: inout TargetChange
    ) throws(PatternError) {
        let before = target.definition
        if definition === before { return }
        guard !definition.isSame(as: before) else {
            target.become(definition, settings: target.settings)
            // Lines move with every edit above them, and matter to nobody after a restart.
            if definition.place.file != before.place.file { keep(definition, &change) }
            return
        }
        target.become(definition, settings: try change.shelf.settings(of: definition))
        keep(definition, &change)
        change.told.changed.append(target.name)
        if let place = target.place, target.isLoaded {
            schedule.change(
                place, host: target.host, timing: target.settings.timing,
                isMoved: definition.url != before.url, now: BoottimeClock.now())
        } else if target.place != nil {
            dismiss(target)
        } else {
            admit(target, lastStart: nil, &change)
        }
    }

    private func keep(_ definition: TargetDefinition, _ change: inout TargetChange) {
        change.batch.append(
            .definition(
                target: definition.name, Self.versioned(change.writer.encoded(definition))))
    }

    private static func versioned(_ bytes: [UInt8]) -> VersionedBytes {
        VersionedBytes(version: 1, bytes: bytes)
    }

    private func state(of stored: StoredTarget?) -> TargetState {
        guard let stored, let bytes = stored.state?.bytes else { return TargetState() }
        do {
            return try TargetState(decoding: bytes)
        } catch {
            audience.mention(
                "\(stored.name): what was known of its title can't be read: it begins anew", .error)
            return TargetState()
        }
    }

    // MARK: The schedule

    private func admit(
        _ target: WatchedTarget, lastStart: Timestamp?, _ change: inout TargetChange
    ) {
        let missing = target.definition.missingSecrets
        if !missing.isEmpty, target.definition.settings.isEnabled {
            // Loaded without, it would fail, or show another page's title.
            audience.mention(
                "\(target.name): not loaded: the secret of \(missing.joined(separator: ", "))"
                    + " is not known until \(target.definition.place.file) is good again", .error)
        }
        if target.isLoaded { change.newcomers.append((target, lastStart)) }
    }

    private func place(_ change: TargetChange) {
        let newcomers = change.newcomers.map { target, lastStart in
            let state = target.state
            return Schedule.Newcomer(
                name: target.name, host: target.host, timing: target.settings.timing,
                lastStart: lastStart, check: state.nextCheck, pause: state.pause)
        }
        let (places, gap) = schedule.add(newcomers, now: BoottimeClock.now(), time: Self.time())
        for (newcomer, place) in zip(change.newcomers, places) {
            newcomer.target.place = place
            placed[place] = newcomer.target
        }
        if let gap { tell(gap, of: nil, load: nil) }
    }

    /// Takes a target out of the schedule; what it loads is cancelled.
    private func dismiss(_ target: WatchedTarget) {
        if let place = target.place {
            schedule.remove(place)
            placed[place] = nil
        }
        target.place = nil
        target.isCheckDue = false
        cancelLoad(of: target)
        // Also of a check that was due and will not come.
        tellWaiters(of: target, nil)
    }

    // MARK: Retired targets

    /// Targets that are no longer defined: what is known of them stays readable.
    private func retireOthers(_ change: inout TargetChange) {
        let time = Self.time()
        let others = targets.values.filter { target in
            target.reading != readings && !change.unwatched.contains(target.name)
        }
        for target in others {
            dismiss(target)
            targets[target.name] = nil
            retired[target.name] = rest(of: target)
            change.told.removed.append(target.name)
        }
        change.told.removed.sort()
        var count = 0
        for name in retired.keys
        where retired[name]?.retired == nil && targets[name] == nil
            && !change.unwatched.contains(name)
        {
            retired[name]?.retired = time
            change.batch.append(.retire(target: name, time))
            count += 1
        }
        // What went while the service ran is told as that; at a start it should not go in silence.
        count -= change.told.removed.count
        guard count > 0 else { return }
        audience.mention(
            (count == 1 ? "1 target is" : "\(count) targets are")
                + " not defined any more, and retired: what is known of them stays readable", .info)
    }

    /// What is needed of a target should it come back.
    private func rest(of target: WatchedTarget) -> StoredTarget {
        var stored = StoredTarget(name: target.name, nextLoad: target.nextLoad)
        stored.state = Self.versioned(target.stateBytes)
        stored.backForwardList = target.page.backForwardList
        return stored
    }
}
