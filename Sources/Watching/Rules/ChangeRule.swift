import PageModel

/// Decides what a finished load of a target means: what is told, and what is remembered.
///
/// Pure: the same load, rules and state always give the same decision, so that it can be explained
/// and played again. `docs/RULES.md` tells the rules for people.
///
/// Input: what a load's end showed, from the conductor. Output: events for `History` and then the
/// event ring, the state to store, and what the next load is for.
package struct ChangeRule {
    /// Good loads within which four switches make an oscillation.
    static let window: UInt64 = 20
    /// Switches that make an oscillation.
    static let mostSwitches = 4
    /// Different titles that an oscillation has at most, and that `unstable` names.
    static let mostTitles = 4
    /// Equal good loads that end an oscillation.
    static let settledLoads = 10
    /// Good loads without a confirmed title that make a page unstable.
    static let unstableLoads = 10

    private let rules: Rules
    private let load: Observation
    private var comparison: TitleComparison
    private var state: TargetState
    private var events: [DurableEvent] = []
    private var explanation = ""

    /// The decision about one load.
    ///
    /// - Parameters:
    ///   - load: What the load showed.
    ///   - rules: The target's, as they were when the load began.
    ///   - state: What the decision about the load before left.
    package static func decide(
        _ load: Observation, rules: Rules, state: TargetState
    ) -> Decision {
        var rule = ChangeRule(rules: rules, load: load, state: state)
        return rule.decision()
    }

    private init(rules: Rules, load: Observation, state: TargetState) {
        self.rules = rules
        self.load = load
        self.state = state
        comparison = TitleComparison(rules)
    }

    private mutating func decision() -> Decision {
        takeInEdits()
        let judgement = Judgement(load, rules: rules, state: state)
        switch judgement.verdict {
        case .failed(let error): countFailure(error)
        case .good: countGood(judgement.shown)
        }
        return Decision(
            state: state, events: events, verdict: judgement.verdict, nextCheck: state.nextCheck,
            explanation: explanation,
            exceededPatterns: judgement.exceeded
                + comparison.exceeded.filter { !judgement.exceeded.contains($0) })
    }

    // MARK: Our own side

    /// Titles that our own side's past gathered are no evidence for what the page does now.
    private mutating func takeInEdits() {
        if let before = state.ownSide {
            let edits = load.ownSide.edits(since: before)
            if !edits.isEmpty {
                state.edits.formUnion(edits)
                state.startOver()
            }
        }
        state.ownSide = load.ownSide
        if state.told == nil || state.isBack { state.edits = [] }
    }

    // MARK: Failed loads

    private mutating func countFailure(_ error: LoadError) {
        // A 304 after this would repeat an answer that is not the last one.
        state.validated = nil
        if load.isOffline || error.code == "cancelled" {
            explanation =
                load.isOffline
                ? "failed, but does not count: the watcher itself seems to be offline"
                : "does not count: the load was stopped"
            return
        }
        var run =
            state.failures
            ?? FailureRun(count: 0, first: load.time, error: error, status: nil, isTold: false)
        run.count += 1
        if !run.isTold {
            run.error = error
            run.status = load.status
        }
        let what = "failed (\(error.phase.rawValue): \(error.code))"
        if run.isTold {
            explanation = "\(what): it has been failing for \(run.count) loads, which was told"
        } else if run.count >= rules.failures {
            run.isTold = true
            events.append(.failing(error: error, status: load.status, since: run.first))
            explanation = "\(what): told, as \(run.count) loads in a row failed"
        } else {
            explanation = "\(what): \(run.count) of \(rules.failures) in a row, not told yet"
        }
        state.failures = run
        state.nextCheck = run.isTold ? .regular : .retry
    }

    // MARK: Good loads

    private mutating func countGood(_ shown: Judgement.ShownTitle) {
        state.goodLoads += 1
        endFailures()
        let isConfirmed = countTitle(shown)
        let isTold = !state.isBack && isToldTitle(shown)
        if isTold { seeToldAgain(shown) }
        countUnconfirmed(shown, isConfirmed: isConfirmed)
        if state.told == nil || state.isBack {
            decideFirst(shown, isConfirmed: isConfirmed)
        } else if state.oscillation != nil {
            decideOscillating(shown, isConfirmed: isConfirmed, isTold: isTold)
        } else {
            decideChange(shown, isConfirmed: isConfirmed, isTold: isTold)
        }
        keepValidators(shown)
        dropOldSwitches()
        tellUnstable()
    }

    private mutating func endFailures() {
        if let failures = state.failures, failures.isTold {
            events.append(
                .recovered(
                    error: failures.error, status: failures.status, since: failures.first))
        }
        state.failures = nil
    }

    /// - Returns: Whether enough good loads in a row showed the title.
    private mutating func countTitle(_ shown: Judgement.ShownTitle) -> Bool {
        var run =
            state.run.flatMap { comparison.isSame($0.title, shown.title) ? $0 : nil }
            ?? TitleRun(title: nil, count: 0, first: load.time)
        run.title = shown.title
        run.count += 1
        state.run = run
        return run.count >= rules.confirm
    }

    private mutating func isToldTitle(_ shown: Judgement.ShownTitle) -> Bool {
        guard let told = state.told else { return false }
        return comparison.isSame(told.title, shown.title)
    }

    private mutating func seeToldAgain(_ shown: Judgement.ShownTitle) {
        guard let told = state.told else { return }
        state.told = toldTitle(told.title, shown)
        state.edits = []
    }

    private func toldTitle(_ title: String?, _ shown: Judgement.ShownTitle) -> ToldTitle {
        ToldTitle(
            title: title, url: shown.url, lastSeen: load.time, encoding: shown.encoding,
            bytes: shown.bytes)
    }

    /// The first title, or the first after the target came back.
    private mutating func decideFirst(_ shown: Judgement.ShownTitle, isConfirmed: Bool) {
        guard isConfirmed else { return awaitConfirmation("first title") }
        events.append(
            .firstSeen(
                title: shown.title, url: shown.url, previous: state.isBack ? state.title : nil))
        explanation = "first title: told\(afterLoads)"
        state.isBack = false
        tell(shown)
    }

    private mutating func decideChange(
        _ shown: Judgement.ShownTitle, isConfirmed: Bool, isTold: Bool
    ) {
        if isTold {
            explanation = "the title is the one that was told last"
            state.nextCheck = .regular
        } else if !isConfirmed {
            awaitConfirmation("new title")
        } else if !state.edits.isEmpty {
            tellRebased(shown)
        } else if let members = oscillationByNow(shown) {
            state.oscillation = members
            state.switches = []
            events.append(.oscillating(titles: members))
            explanation =
                "told as oscillating: switch \(Self.mostSwitches) among \(members.count) titles "
                + "within \(Self.window) good loads"
            state.nextCheck = .regular
        } else {
            tellChange(shown, why: "new title: told\(afterLoads)")
        }
    }

    private mutating func decideOscillating(
        _ shown: Judgement.ShownTitle, isConfirmed: Bool, isTold: Bool
    ) {
        let count = state.run?.count ?? 0
        if isMember(shown.title) {
            state.edits = []
            state.nextCheck = .regular
            let needed = max(Self.settledLoads, rules.confirm)
            guard count >= needed else {
                explanation =
                    "not told: one of the titles that the page is known to go to and fro among"
                return
            }
            state.oscillation = nil
            events.append(.settled(titles: [shown.title]))
            explanation = "told as settled: \(count) good loads in a row showed the title"
            if !isTold { tellChange(shown, why: explanation) }
        } else if !isConfirmed {
            awaitConfirmation("a title outside of those that the page goes to and fro among")
        } else {
            state.oscillation = nil
            if state.edits.isEmpty {
                tellChange(
                    shown,
                    why: "a title outside of those that the page went to and fro among: "
                        + "told\(afterLoads)")
            } else {
                tellRebased(shown)
            }
        }
    }

    private mutating func awaitConfirmation(_ what: String) {
        explanation = "\(what): \(state.run?.count ?? 0) of \(rules.confirm) good loads in a row"
        // A page that never shows a title often enough is not asked more often for ever.
        state.nextCheck = state.isUnstableTold ? .regular : .confirm
        explanation += ", not told yet"
    }

    private var afterLoads: String {
        let count = state.run?.count ?? 0
        return count == 1 ? "" : ", as \(count) good loads in a row showed it"
    }

    // MARK: What is told

    private mutating func tellRebased(_ shown: Judgement.ShownTitle) {
        let because = state.edits.words
        events.append(
            .rebased(from: state.told?.title, to: shown.title, because: because))
        explanation = "told as rebased: our own side was changed (\(because)), so the page may not"
        tell(shown)
    }

    /// Tells that the title is another one, or only read in another way.
    private mutating func tellChange(_ shown: Judgement.ShownTitle, why: String) {
        guard let told = state.told else { return }
        if let previous = told.encoding, let encoding = shown.encoding,
            !isSame(previous, encoding), let bytes = told.bytes, bytes == shown.bytes
        {
            events.append(
                .encodingChanged(
                    title: shown.title, encoding: encoding, previousEncoding: previous))
            explanation = "told as encodingChanged: the title's bytes are the same as before"
        } else {
            events.append(
                .titleChanged(
                    TitleChange(
                        from: told.title, to: shown.title, url: shown.url,
                        initialURL: load.initialURL, lastSeen: told.lastSeen,
                        firstShown: state.run?.first ?? load.time,
                        fromURL: isSame(told.url, shown.url) ? nil : told.url)))
            explanation = why
        }
        state.switches.append(TitleSwitch(from: told.title, load: state.goodLoads))
        tell(shown)
    }

    private mutating func tell(_ shown: Judgement.ShownTitle) {
        state.told = toldTitle(shown.title, shown)
        state.edits = []
        if shown.title != nil { state.hasHadTitle = true }
        state.nextCheck = .regular
    }
}

// MARK: - Going to and fro

extension ChangeRule {
    /// The titles, the oldest first, if the change to `shown` makes an oscillation.
    private mutating func oscillationByNow(_ shown: Judgement.ShownTitle) -> [String?]? {
        dropOldSwitches()
        let before = state.switches.suffix(Self.mostSwitches - 1)
        guard before.count == Self.mostSwitches - 1 else { return nil }
        var titles: [String?] = []
        for title in before.map(\.from) + [state.told?.title, shown.title]
        where !titles.contains(where: { comparison.isSame($0, title) }) {
            titles.append(title)
        }
        return titles.count <= Self.mostTitles ? titles : nil
    }

    /// Drops switches that cannot be within the window of a later one.
    private mutating func dropOldSwitches() {
        state.switches.removeAll { $0.load + Self.window <= state.goodLoads }
        state.switches.removeFirst(max(0, state.switches.count - (Self.mostSwitches - 1)))
    }

    private mutating func isMember(_ title: String?) -> Bool {
        guard let members = state.oscillation else { return false }
        return members.contains { comparison.isSame($0, title) }
    }

    private mutating func countUnconfirmed(_ shown: Judgement.ShownTitle, isConfirmed: Bool) {
        guard !isConfirmed else {
            state.unconfirmed = 0
            state.unconfirmedTitles = []
            state.isUnstableTold = false
            return
        }
        state.unconfirmed += 1
        guard !state.isUnstableTold else { return }
        let same = state.unconfirmedTitles.firstIndex { comparison.isSame($0, shown.title) }
        if let same { state.unconfirmedTitles.remove(at: same) }
        state.unconfirmedTitles.append(shown.title)
        if state.unconfirmedTitles.count > Self.mostTitles { state.unconfirmedTitles.removeFirst() }
    }

    /// Tells once that no title stays long enough. An oscillation is known to be one already.
    private mutating func tellUnstable() {
        guard state.unconfirmed >= max(Self.unstableLoads, rules.confirm), !state.isUnstableTold,
            state.oscillation == nil
        else { return }
        events.append(.unstable(titles: state.unconfirmedTitles))
        explanation =
            "told as unstable: no title was shown by \(rules.confirm) good loads in a row "
            + "for \(state.unconfirmed) good loads"
        state.unconfirmedTitles = []
        state.isUnstableTold = true
        state.nextCheck = .regular
    }

    private mutating func keepValidators(_ shown: Judgement.ShownTitle) {
        if load.isNotModified {
            // It stays the same answer, even if its validators were worded anew.
            if let validators = load.validators { state.validated?.validators = validators }
        } else if let validators = load.validators {
            state.validated = ValidatedAnswer(
                validators: validators, title: shown.title, url: shown.url,
                encoding: shown.encoding, bytes: shown.bytes)
        } else {
            state.validated = nil
        }
    }
}
