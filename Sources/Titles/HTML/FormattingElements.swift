/// The standard's list of active formatting elements: `b`, `a` and the like that were not ended.
///
/// One that is cut short by the end of a block is opened again in the next one, and its end tag then
/// ends what is open inside of it: also SVG and MathML, in which no `title` would count.
struct FormattingElements {
    /// Browsers have no limit; but each tag may open all of them again.
    private static let most = 128
    /// Of elements that are alike, the standard keeps this many.
    private static let mostAlike = 3

    /// One formatting element, or a marker: the edge of a cell, a caption, an object or a template.
    struct Entry {
        let tag: TagName
        /// Links it with the element on the stack; 0 for a marker.
        let number: UInt32
        /// It has no attributes. Those that have some count as all different.
        let isPlain: Bool
        /// It is on the stack, or was left out there for depth.
        var isOpen: Bool

        var isMarker: Bool { number == 0 }
    }

    private(set) var entries: [Entry] = []
    private var lastNumber: UInt32 = 0

    /// Whether the last one is to be opened again before anything is put into the body.
    var isLastClosed: Bool {
        guard let last = entries.last else { return false }
        return !last.isOpen && !last.isMarker
    }

    /// Adds the element that a tag opens.
    ///
    /// - Returns: Its number on the stack.
    mutating func add(_ tag: borrowing Tag) -> UInt32 {
        if !tag.hasAttributes { dropOneAlike(tag.tag) }
        // No page has four billion of them; 0 is no number.
        lastNumber &+= 1
        let isPlain = !tag.hasAttributes
        append(Entry(tag: tag.tag, number: lastNumber, isPlain: isPlain, isOpen: true))
        return lastNumber
    }

    mutating func addMarker() {
        append(Entry(tag: .other, number: 0, isPlain: true, isOpen: false))
    }

    /// Removes all down to the last marker, that one included.
    mutating func clearToMarker() {
        while let entry = entries.popLast(), !entry.isMarker {}
    }

    /// The last of that tag behind the last marker.
    func last(_ tag: TagName) -> Int? {
        var index = entries.count - 1
        while index >= 0, !entries[index].isMarker {
            if entries[index].tag == tag { return index }
            index -= 1
        }
        return nil
    }

    func index(of number: UInt32) -> Int? {
        guard number != 0 else { return nil }
        return entries.lastIndex { $0.number == number }
    }

    mutating func remove(at index: Int) { entries.remove(at: index) }

    /// Removes the last if it has that number.
    mutating func removeLast(number: UInt32) -> Bool {
        guard let last = entries.last, last.number == number else { return false }
        entries.removeLast()
        return true
    }

    /// Moves one to another place; `place` is counted as if it had been removed.
    mutating func move(from index: Int, to place: Int) {
        let entry = entries.remove(at: index)
        entries.insert(entry, at: min(place, entries.count))
    }

    /// Takes note that an element is on the stack, or no longer.
    mutating func setOpen(_ isOpen: Bool, number: UInt32) {
        if let index = index(of: number) { entries[index].isOpen = isOpen }
    }

    /// The first of those at the end that are to be opened again.
    func firstClosed() -> Int {
        var index = entries.count
        while index > 0, !entries[index - 1].isOpen, !entries[index - 1].isMarker { index -= 1 }
        return index
    }

    private mutating func append(_ entry: Entry) {
        if entries.count == Self.most { entries.removeFirst() }
        entries.append(entry)
    }

    private mutating func dropOneAlike(_ tag: TagName) {
        var alike = 0
        var index = entries.count - 1
        while index >= 0, !entries[index].isMarker {
            if entries[index].tag == tag, entries[index].isPlain {
                alike += 1
                if alike == Self.mostAlike { return remove(at: index) }
            }
            index -= 1
        }
    }
}
