/// A moment at which something is to happen on a loop; armed and disarmed at will.
///
/// Belongs to the loop that it was first armed on, and is held by it only while armed.
package final class Deadline {
    fileprivate(set) var due: Duration = .zero
    fileprivate var position: Int?
    let action: () -> Void

    /// - Parameter action: Runs once each time the deadline is reached; it may arm it again.
    package init(action: @escaping () -> Void) {
        self.action = action
    }

    /// Whether the action is still to run.
    package var isArmed: Bool { position != nil }
}

/// The armed deadlines of a loop, the next due first: a binary heap in which each deadline knows
/// its place, so that moving one costs a few swaps and no search.
struct DeadlineHeap {
    private var items: [Deadline] = []

    /// The next deadline's moment.
    var nextDue: Duration? { items.first?.due }

    /// Puts a deadline in, or moves it.
    mutating func arm(_ deadline: Deadline, due: Duration) {
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

    /// Takes out and gives the next deadline that is due by `now`.
    mutating func popDue(by now: Duration) -> Deadline? {
        guard let first = items.first, first.due <= now else { return nil }
        disarm(first)
        return first
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
