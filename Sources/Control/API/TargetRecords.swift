import CLinux
import History
import PageModel
import Reactor
import Watching

/// What the history has of targets beside their events.
final class TargetRecords: Sendable {
    private let changes: [String: Timestamp]
    private let loads: [String: (good: LoadRecord?, failed: LoadRecord?)]

    /// Nothing.
    init() { (changes, loads) = ([:], [:]) }

    /// - Parameter name: Of one target; nil for all.
    init(_ reader: HistoryReader, of name: String? = nil) throws {
        changes = try reader.lastEvents([.firstSeen, .titleChanged], of: name)
        loads = try reader.lastLoads(of: name)
    }

    /// A target as it is now, and what is known of it here.
    func answer(_ view: TargetView) -> TargetAnswer {
        let last = loads[view.name]
        return TargetAnswer(
            view: view, lastChange: changes[view.name], lastGood: last?.good,
            lastFailed: last?.failed)
    }
}

/// The records of all targets, for those who ask about all of them.
///
/// One look into the history is under way at a time: it takes the store's thread from the changes
/// that are to be written, and its outcome takes memory. Those who come meanwhile, or shortly
/// after, share the next or the last one.
final class AllTargetRecords {
    /// How old a look may be that is still held for somebody.
    private static let freshness = Duration.seconds(5)
    /// When nobody reads any more, the system gets its memory back.
    private static let trimDelay = Duration.seconds(1)

    private let questions: HistoryQuestions
    private let loop: EventLoop
    private var waiting: [(Responder, (TargetRecords) -> Void)] = []
    private var isAsking = false
    private weak var last: TargetRecords?
    private var lastTime = Duration.zero
    private lazy var trim = Deadline { malloc_trim(0) }

    init(_ questions: HistoryQuestions, loop: EventLoop) {
        self.questions = questions
        self.loop = loop
    }

    /// Calls `done` with the records, now or in a later turn; not at all once nobody waits for the
    /// answer any more.
    func ask(for responder: Responder, _ done: @escaping (TargetRecords) -> Void) {
        if let last, MonotonicClock.now() - lastTime < Self.freshness { return done(last) }
        waiting.append((responder, done))
        if !isAsking { look() }
    }

    /// An answer that held the records is over.
    func rest() { loop.arm(trim, at: MonotonicClock.now() + Self.trimDelay) }

    private func look() {
        waiting.removeAll { !$0.0.isOpen }
        guard !waiting.isEmpty else { return }
        isAsking = true
        let served = waiting
        waiting = []
        questions.ask {
            try TargetRecords($0)
        } done: { [weak self] (records: TargetRecords?) in
            guard let self else { return }
            isAsking = false
            let records = records ?? TargetRecords()
            (last, lastTime) = (records, MonotonicClock.now())
            for (responder, done) in served where responder.isOpen { done(records) }
            look()
        }
    }
}
