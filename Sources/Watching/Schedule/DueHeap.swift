/// Numbers of targets, the next due first: a binary heap that knows where each of them is, so that
/// moving or removing one costs a few swaps and no search.
struct DueHeap {
    private struct Item {
        var due: Nanoseconds
        var target: Int32
    }

    private var items: [Item] = []
    /// By target; -1 for one that is not in the heap.
    private var places: [Int32] = []

    /// The next one and its moment.
    var first: (target: Int, due: Nanoseconds)? {
        items.first.map { (Int($0.target), $0.due) }
    }

    var count: Int { items.count }

    /// When a target is due; nil if it is not in.
    func due(of target: Int) -> Nanoseconds? {
        guard target < places.count, places[target] >= 0 else { return nil }
        return items[Int(places[target])].due
    }

    /// Puts a target in, or moves it.
    mutating func set(_ target: Int, due: Nanoseconds) {
        while places.count <= target { places.append(-1) }
        let item = Item(due: due, target: Int32(truncatingIfNeeded: target))
        if places[target] < 0 {
            places[target] = Int32(truncatingIfNeeded: items.count)
            items.append(item)
        } else {
            items[Int(places[target])] = item
        }
        settle(Int(places[target]))
    }

    /// Takes a target out; nothing if it is not in.
    mutating func remove(_ target: Int) {
        guard target < places.count, places[target] >= 0 else { return }
        let place = Int(places[target])
        places[target] = -1
        let last = items.removeLast()
        guard place < items.count else { return }
        put(last, at: place)
        settle(place)
    }

    private mutating func put(_ item: Item, at place: Int) {
        items[place] = item
        places[Int(item.target)] = Int32(truncatingIfNeeded: place)
    }

    private static func isBefore(_ one: Item, _ other: Item) -> Bool {
        // Those due together go by number, so that the order does not depend on the heap's past.
        one.due != other.due ? one.due < other.due : one.target < other.target
    }

    private mutating func settle(_ start: Int) {
        var place = start
        let item = items[place]
        while place > 0, Self.isBefore(item, items[(place - 1) / 2]) {
            put(items[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        while true {
            var child = 2 * place + 1
            guard child < items.count else { break }
            if child + 1 < items.count, Self.isBefore(items[child + 1], items[child]) {
                child += 1
            }
            guard Self.isBefore(items[child], item) else { break }
            put(items[child], at: place)
            place = child
        }
        put(item, at: place)
    }
}
