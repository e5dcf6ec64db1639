/// A moment at which something is to happen on a loop; armed and disarmed at will.
///
/// Belongs to the loop that it was first armed on, and is held by it only while armed.
package final class Deadline {
    fileprivate(set) var due: Duration = .zero
    fileprivate var position: Int?
    /// Whether it was moved on already since it was armed.
    fileprivate var hadRespite = false
    let isLimit: Bool
    let action: () -> Void

    /// - Parameters:
    ///   - isLimit: Whether it bounds a wait for something from outside. What has come by then is
    ///     taken in first; if the loop was held up, that takes a few turns, which it is given.
    ///   - action: Runs once each time the deadline is reached; it may arm it again.
    package init(isLimit: Bool = false, action: @escaping () -> Void) {
        self.isLimit = isLimit
        self.action = action
    }

    /// Whether the action is still to run.
    package var isArmed: Bool { position != nil }
}

/// The armed deadlines of a loop, the next due first: a binary heap in which each deadline knows
/// its place, so that moving one costs a few swaps and no search.
struct DeadlineHeap {
    private var items: [Deadline] = []

    /// A limit that is found due later than this is the fault of a loop that was held up: its
    /// process was stopped, or a write was not taken.
    private static let mostDelay = Duration.milliseconds(20)
    /// How long what came meanwhile may take to be read, at most.
    private static let longestRespite = Duration.seconds(1)

    /// The next deadline's moment.
    var nextDue: Duration? { items.first?.due }

    /// Puts a deadline in, or moves it.
    mutating func arm(_ deadline: Deadline, due: Duration) {
        deadline.hadRespite = false
        place(deadline, due: due)
    }

    private mutating func place(_ deadline: Deadline, due: Duration) {
        deadline.due = due
        if let position = deadline.position {
            siftDown(siftUp(position))
        } else {
            items.append(deadline)
            deadline.position = items.count - 1
            _ = siftUp(items.count - 1)
        }
    }

    /// Takes a deadline out; nothing if it is not in.
    mutating func disarm(_ deadline: Deadline) {
        guard let position = deadline.position else { return }
        deadline.position = nil
        let last = items.removeLast()
        guard last !== deadline else { return }
        place(last, at: position)
        siftDown(siftUp(position))
    }

    /// Takes out and gives the next deadline that is due by `now`, unless it is a limit.
    mutating func popDue(by now: Duration) -> Deadline? {
        guard let first = items.first, first.due <= now, !first.isLimit else { return nil }
        disarm(first)
        return first
    }

    /// Takes out and gives the next deadline that is due by `now`; moves on, once, each limit that
    /// is found so late that the loop must have been held up.
    mutating func popDueOrLimit(by now: Duration) -> Deadline? {
        while let first = items.first, first.due <= now {
            guard first.isLimit, !first.hadRespite, now - first.due > Self.mostDelay else {
                disarm(first)
                return first
            }
            first.hadRespite = true
            place(first, due: now + min(now - first.due, Self.longestRespite))
        }
        return nil
    }

    private mutating func place(_ deadline: Deadline, at position: Int) {
        items[position] = deadline
        deadline.position = position
    }

    private mutating func siftUp(_ start: Int) -> Int {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard items[position].due < items[parent].due else { break }
            swap(position, parent)
            position = parent
        }
        return position
    }

    private mutating func siftDown(_ start: Int) {
        var position = start
        while true {
            var least = position
            for child in [2 * position + 1, 2 * position + 2]
            where child < items.count && items[child].due < items[least].due {
                least = child
            }
            guard least != position else { return }
            swap(position, least)
            position = least
        }
    }

    private mutating func swap(_ a: Int, _ b: Int) {
        let (first, second) = (items[a], items[b])
        place(second, at: a)
        place(first, at: b)
    }
}
