/// The pages a web view has shown, and which of them it shows now.
///
/// At most 100 items; the oldest drops out. Which page makes a new item and which takes the place
/// of one is not decided here but by ``Page``.
package struct BackForwardList: Equatable, Sendable {
    /// One page of the list. Nothing is recorded of its status: an error page is an item too.
    package struct Item: Equatable, Sendable {
        /// The URL the page was shown under, after redirects.
        package var url: String
        /// The URL first asked for; of a page that a refresh led to, the refresh's.
        package var initialURL: String
        /// Nil while none is known, and for a page without a title element.
        package var title: String?

        package init(url: String, initialURL: String, title: String? = nil) {
            self.url = url
            self.initialURL = initialURL
            self.title = title
        }

        /// Compares the bytes, not canonical equivalence.
        package static func == (one: Self, other: Self) -> Bool {
            isSame(one.url, other.url) && isSame(one.initialURL, other.initialURL)
                && isSame(one.title, other.title)
        }
    }

    /// WebKit's `DefaultCapacity`, the current item included.
    package static let capacity = 100

    /// Oldest first.
    private var items: [Item] = []
    /// Where the current item is in `items`; of no meaning, and 0, while that is empty.
    private(set) var currentIndex = 0
    /// The URL at the first commit of the load that brought the page shown; differs from its item's
    /// if that load followed a refresh. Loaded again, such a page is first shown under this URL:
    /// were that a new item, each check of such a target would add one to the list.
    package var entryURL = ""

    package init() {}

    // MARK: Reading

    package var currentItem: Item? { item(at: 0) }

    /// What can be gone back to, oldest first: the nearest is the last.
    package var backList: [Item] { Array(items[..<currentIndex]) }

    /// What can be gone forward to, nearest first.
    package var forwardList: [Item] { Array(items.dropFirst(currentIndex + 1)) }

    package var canGoBack: Bool { currentIndex > 0 }

    package var canGoForward: Bool { currentIndex + 1 < items.count }

    /// The item so many steps from the current one: 0 is the current one, -1 the one before it,
    /// 1 the one after; nil if the list does not reach so far.
    package func item(at offset: Int) -> Item? {
        index(at: offset).map { items[$0] }
    }

    // MARK: Changing

    /// Makes `item` the current one, after the one that was; all items forward of it drop out.
    package mutating func append(_ item: Item) {
        if !items.isEmpty { items.removeSubrange((currentIndex + 1)...) }
        items.append(item)
        if items.count > Self.capacity { items.removeFirst() }
        currentIndex = items.count - 1
    }

    /// Puts `item` in the current one's place, all others stay; in an empty list, appends it.
    package mutating func replaceCurrent(with item: Item) {
        guard items.indices.contains(currentIndex) else { return append(item) }
        items[currentIndex] = item
    }

    /// Gives the current item another title; without a current item, nothing happens.
    package mutating func setCurrentTitle(_ title: String?) {
        guard items.indices.contains(currentIndex) else { return }
        items[currentIndex].title = title
    }

    /// Makes the item that ``item(at:)`` gives the current one; items all stay. False, with
    /// nothing changed, if the list does not reach so far.
    @discardableResult
    package mutating func go(to offset: Int) -> Bool {
        guard let target = index(at: offset) else { return false }
        currentIndex = target
        return true
    }

    /// Takes back what ``go(to:)`` did: nothing may have been appended since.
    ///
    /// - Parameter index: What `currentIndex` was before; one beyond the items is ignored.
    mutating func restore(currentIndex index: Int) {
        guard items.indices.contains(index) else { return }
        currentIndex = index
    }

    /// The same list, whose URLs lie in the memory of `url` where they are equal to it: thousands of
    /// lists of one item that are read from a store would have each of theirs three times.
    package func sharing(_ url: String) -> BackForwardList {
        var list = self
        for index in items.indices {
            if isSame(items[index].url, url) { list.items[index].url = url }
            let own = list.items[index].url
            if isSame(items[index].initialURL, own) { list.items[index].initialURL = own }
            if isSame(entryURL, own) { list.entryURL = own }
        }
        return list
    }

    private func index(at offset: Int) -> Int? {
        // The offset may come from a command line: no sum of it that could overflow.
        let reachable = -currentIndex..<(items.count - currentIndex)
        return reachable.contains(offset) ? currentIndex + offset : nil
    }
}
