import PageModel
import Patterns

/// Whether a load is good: it finished with a status that is fine, is a page with a body, and is
/// the page that was meant.
struct Judgement {
    private(set) var verdict: Verdict
    private(set) var exceeded: [String] = []
    /// What a good load showed; for a 304 what the answer did that it repeats.
    private(set) var shown: ShownTitle

    /// The facts of a good load that the rules go by.
    struct ShownTitle {
        var title: String?
        var url: String
        var encoding: String?
        var bytes: TitleBytes?
    }

    /// Judges a load against the state before it.
    init(_ load: Observation, rules: Rules, state: TargetState) {
        shown = ShownTitle(
            title: load.title, url: load.url, encoding: load.encoding, bytes: load.titleBytes)
        verdict = .good(title: nil)
        if let error = fault(of: load, rules: rules, state: state) {
            verdict = .failed(error)
        } else {
            verdict = .good(title: shown.title)
        }
    }

    private mutating func fault(
        of load: Observation, rules: Rules, state: TargetState
    ) -> LoadError? {
        if load.isChallenged {
            return .content(.challenged, "the server asks to prove that people are asking")
        }
        if load.isNotModified {
            guard repeatsValidated(load, state: state) else {
                return .content(.notModified, "the answer is 304, though nobody asked")
            }
        } else if let fault = answerFault(of: load, rules: rules, state: state) {
            return fault
        }
        return pageFault(rules: rules)
    }

    /// Takes over what a 304 repeats: the very answer whose validators were sent.
    private mutating func repeatsValidated(_ load: Observation, state: TargetState) -> Bool {
        guard let answer = state.validated, load.sentValidators == answer.validators,
            isSame(load.url, answer.url),
            load.error.map({ $0.code == ContentFault.notModified.rawValue }) ?? true
        else { return false }
        shown = ShownTitle(
            title: answer.title, url: answer.url, encoding: answer.encoding, bytes: answer.bytes)
        return true
    }

    private func answerFault(
        of load: Observation, rules: Rules, state: TargetState
    ) -> LoadError? {
        if let error = load.error { return error }
        let status = load.status ?? 0
        if !rules.okStatus.contains(where: { $0.contains(status) }) {
            let ranges = rules.okStatus.map {
                $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
            }
            return .content(
                .badStatus,
                "status \(status) is not in ok_status (\(ranges.joined(separator: ", ")))")
        }
        if state.hasHadTitle, load.isBodyEmpty {
            return .content(.emptyBody, "the answer has no body")
        }
        if state.hasHadTitle, !load.isPage {
            return .content(.notPage, "the answer is no page, but there was one before")
        }
        return nil
    }

    private mutating func pageFault(rules: Rules) -> LoadError? {
        if let pattern = rules.expectURL, !isFound(pattern, in: shown.url) {
            return .content(
                .unexpectedURL, "the final URL does not match expect_url \"\(pattern.source)\"")
        }
        if let pattern = rules.rejectTitle, isFound(pattern, in: shown.title ?? "") {
            return .content(.rejectedTitle, "the title matches reject_title \"\(pattern.source)\"")
        }
        if let pattern = rules.expectTitle, !isFound(pattern, in: shown.title ?? "") {
            return .content(
                .unexpectedTitle, "the title does not match expect_title \"\(pattern.source)\"")
        }
        return nil
    }

    private mutating func isFound(_ pattern: Pattern, in text: String) -> Bool {
        switch pattern.firstMatch(in: text) {
        case .match: return true
        case .noMatch: return false
        case .limitExceeded:
            exceeded.append(pattern.source)
            return false
        }
    }
}

/// Why a load that brought an answer does not count; `docs/RULES.md` lists the words.
enum ContentFault: String, CaseIterable {
    case challenged, notModified, badStatus, emptyBody, notPage, unexpectedURL, rejectedTitle
    case unexpectedTitle
}

extension LoadError {
    fileprivate static func content(_ fault: ContentFault, _ message: String) -> LoadError {
        LoadError(phase: .content, code: fault.rawValue, message: message)
    }
}
