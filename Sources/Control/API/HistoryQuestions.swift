import History
import Reactor

/// Asks the history from the loop, which never waits for a disk.
///
/// Input: what the API wants to know. Output: the answer, in a later turn of the loop.
final class HistoryQuestions {
    /// What the store's thread found out, until the loop has taken it in.
    private final class Found: Sendable {
        let answers = Locked<[Int: any Sendable]>([:])
    }

    private let store: HistoryStore
    private let found = Found()
    private let mailbox: Mailbox<Int>
    private var waiting: [Int: ((any Sendable)?) -> Void] = [:]
    private var next = 0

    /// - Throws: ``SystemError`` if the system has no descriptors left.
    init(_ store: HistoryStore, loop: EventLoop) throws(SystemError) {
        self.store = store
        mailbox = try Mailbox()
        try mailbox.open(on: loop) { [unowned self] in received($0) }
    }

    /// Asks, and calls `done` with the answer; with nil if the history can't be read.
    func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (HistoryReader) throws -> Answer,
        done: @escaping (Answer?) -> Void
    ) {
        let id = next
        next += 1
        waiting[id] = { done($0 as? Answer) }
        let (found, mailbox) = (found, mailbox)
        let isAsked = store.read { reader in
            let answer: Answer? = reader.flatMap { try? question($0) }
            found.answers.withLock { $0[id] = answer }
            mailbox.post(id)
        }
        if !isAsked { received(id) }
    }

    private func received(_ id: Int) {
        let answer = found.answers.withLock { $0.removeValue(forKey: id) }
        waiting.removeValue(forKey: id)?(answer)
    }
}
