import Configuration
import Fetching
import History
import PageLoading
import PageModel
import Patterns
import Reactor
import WebAddress

/// One load of a target by its own settings and rules, as the service would make it, that changes
/// nothing: what would be told of it, and why.
package final class TargetTrial {
    private let definition: TargetDefinition
    private let settings: LoadSettings
    private let state: TargetState

    /// - Parameters:
    ///   - stored: What the store has of the target; nil if it was never loaded.
    ///   - userAgent: What a target without one of its own sends.
    /// - Throws: ``PatternError``, as the service would refuse the target; ``StateError`` if what is
    ///   stored is of a later version.
    package init(
        _ definition: TargetDefinition, stored: StoredTarget?, userAgent: String
    ) throws {
        self.definition = definition
        settings = try LoadSettingsShelf(userAgent: userAgent).settings(of: definition)
        var state = try stored?.state.map { try TargetState(decoding: $0.bytes) } ?? TargetState()
        if stored?.retired != nil { state.comeBack() }
        self.state = state
    }

    /// Loads the page, whole: without asking whether it is still the same.
    ///
    /// - Parameter onEnd: Gets the result and what the rules say of it, once.
    /// - Returns: The load, to be kept until then.
    package func load(
        loop: EventLoop, pool: TransferPool, onEvent: @escaping (PageEvent) -> Void,
        onEnd: @escaping (LoadResult, Decision) -> Void
    ) -> PageLoad {
        var load: PageLoad?
        let new = PageLoad(
            definition.url, page: Page(), initialURL: definition.url.text, options: settings.load,
            loop: loop, pool: pool, onEvent: onEvent
        ) { [self] result in
            guard let ended = load else { return }
            load = nil
            let observation = Observation(
                ended, result, time: HistoryStore.systemTime(), sentValidators: nil,
                ownSide: settings.ownSide(of: definition))
            onEnd(result, ChangeRule.decide(observation, rules: settings.rules, state: state))
        }
        load = new
        new.start(.reload)
        return new
    }
}

extension Observation {
    /// What the rules are to know of a load that has ended.
    init(
        _ load: PageLoad, _ result: LoadResult, time: Timestamp, sentValidators: Validators?,
        ownSide: OwnSide, isOffline: Bool = false
    ) {
        self.init(
            result, time: time, isPage: load.isPage, isBodyEmpty: result.bytes == 0,
            titleBytes: load.titleBytes.map { TitleBytes($0) },
            isChallenged: load.head?.isChallenge ?? false, sentValidators: sentValidators,
            validators: Validators(
                entityTag: load.head?.entityTag, lastModified: load.head?.lastModified),
            ownSide: ownSide, isOffline: isOffline)
    }
}
