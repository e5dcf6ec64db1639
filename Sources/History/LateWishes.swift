/// What an owner wished of targets while no memory was left for batches: the last of each kind for
/// each target, so that it needs no more memory than there are targets.
///
/// Such wishes are answered as done and are not made again: none may be refused.
struct LateWishes: Sendable {
    /// Of one transaction, about; so many targets' wishes stay together.
    static let batchItems = 1000

    /// The names in their order: new targets get their rows in it.
    private var names: [String] = []
    private var items: [String: [Batch.Item]] = [:]
    /// What waits, and about how much memory it needs.
    private(set) var count = 0
    private(set) var bytes = 0
    /// What was answered for all of them.
    let ticket: Int64

    init(ticket: Int64 = 0) { self.ticket = ticket }

    var isEmpty: Bool { names.isEmpty }

    /// Adds the batch's wishes, behind those that wait; its events are left out.
    mutating func add(_ batch: Batch) {
        for item in batch.items {
            guard let kind = item.wish, let target = item.target else { continue }
            if items[target] == nil { names.append(target) }
            var known = items[target] ?? []
            let before = (known.count, known.reduce(0) { $0 + $1.bytes })
            if kind == .forgetting {
                known = [item]
            } else {
                known.removeAll { $0.wish == kind }
                known.append(item)
            }
            count += known.count - before.0
            bytes += known.reduce(0) { $0 + $1.bytes } - before.1
            items[target] = known
        }
    }

    /// Hands over all as batches; each target's wishes are in one of them.
    mutating func take() -> [Batch] {
        var batch = Batch()
        for name in names {
            for item in items[name] ?? [] { batch.append(item) }
        }
        self = LateWishes()
        return batch.pieces(of: Self.batchItems)
    }
}

extension Batch {
    /// Whether it holds what nobody says again, and not only what a load has shown.
    var isWish: Bool { items.contains { $0.wish?.isDecisive ?? false } }

    /// The same in batches of about so many items; what is about one target in a row stays together.
    package func pieces(of size: Int) -> [Batch] {
        guard items.count > size else { return isEmpty ? [] : [self] }
        var pieces: [Batch] = []
        var piece = Batch()
        var last: String?
        for item in items {
            if piece.items.count >= size, item.target != last {
                pieces.append(piece)
                piece = Batch()
            }
            piece.append(item)
            last = item.target
        }
        pieces.append(piece)
        return pieces
    }
}

extension Batch.Item {
    /// Of two wishes of a kind the later one counts.
    enum Wish {
        case definition, retirement, pause, forgetting, list, state, loadNumber

        /// Loads bring states and numbers, too, and again with the next one.
        var isDecisive: Bool { self != .state && self != .loadNumber }
    }

    var wish: Wish? {
        switch self {
        case .definition: .definition
        case .retire, .unretire: .retirement
        case .pause: .pause
        case .forget: .forgetting
        case .backForwardList: .list
        case .state: .state
        case .loadNumber: .loadNumber
        case .event, .observation, .lastGood, .lastFailed: nil
        }
    }
}
