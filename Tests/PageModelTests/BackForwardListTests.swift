import PageModel
import Testing

@Suite struct `Back-forward list` {
    private func item(_ name: String) -> BackForwardList.Item {
        BackForwardList.Item(url: name, initialURL: name)
    }

    private func list(_ names: String...) -> BackForwardList {
        var list = BackForwardList()
        for name in names { list.append(item(name)) }
        return list
    }

    @Test func `is empty before the first page`() {
        var list = BackForwardList()
        #expect(list.currentItem == nil)
        #expect(list.backList.isEmpty && list.forwardList.isEmpty)
        #expect(!list.canGoBack && !list.canGoForward)
        let hasGone = list.go(to: 0)
        #expect(!hasGone)
        list.setCurrentTitle("nobody's")
        #expect(list == BackForwardList())
    }

    @Test func `gives what is behind oldest first and what is ahead nearest first`() {
        var list = list("A", "B", "C", "D", "E")
        let hasGone = list.go(to: -2)
        #expect(hasGone)
        #expect(list.currentItem?.url == "C")
        #expect(list.backList.map(\.url) == ["A", "B"])
        #expect(list.forwardList.map(\.url) == ["D", "E"])
        #expect(list.canGoBack && list.canGoForward)
    }

    @Test(arguments: [(-2, nil), (-1, "A"), (0, "B"), (1, "C"), (2, nil)] as [(Int, String?)])
    func `counts items from the current one`(offset: Int, url: String?) {
        var list = list("A", "B", "C")
        list.go(to: -1)
        #expect(list.item(at: offset)?.url == url)
    }

    @Test(arguments: [Int.min, -3, 3, Int.max])
    func `stays where it is when asked to go beyond its ends`(offset: Int) {
        var list = list("A", "B", "C")
        let before = list
        let hasGone = list.go(to: offset)
        #expect(!hasGone)
        #expect(list == before)
    }

    @Test func `drops what is ahead when a new item comes`() {
        var list = list("A", "B", "C")
        list.go(to: -2)
        list.append(item("D"))
        #expect(list.backList.map(\.url) == ["A"])
        #expect(list.currentItem?.url == "D")
        #expect(!list.canGoForward)
    }

    @Test func `replaces the current item alone`() {
        var list = list("A", "B", "C")
        list.go(to: -1)
        list.replaceCurrent(with: item("X"))
        #expect(list.backList.map(\.url) == ["A"])
        #expect(list.currentItem?.url == "X")
        #expect(list.forwardList.map(\.url) == ["C"])
    }

    @Test func `takes a replacement for its first item when it is empty`() {
        var list = BackForwardList()
        list.replaceCurrent(with: item("A"))
        #expect(list == self.list("A"))
    }

    @Test func `drops the oldest beyond a hundred items`() {
        var list = BackForwardList()
        for number in 0..<104 { list.append(item("n\(number)")) }
        #expect(list.backList.count == 99)
        #expect(list.backList.first?.url == "n4")
        #expect(list.currentItem?.url == "n103")
    }

    @Test func `tells titles apart by their bytes`() {
        var one = list("A")
        var other = one
        one.setCurrentTitle("caf\u{E9}")
        other.setCurrentTitle("cafe\u{301}")
        #expect(one != other)
    }

    @Test func `is the same whoever's memory its URLs lie in`() {
        var list = BackForwardList()
        for name in ["a", "b", "c"] {
            list.append(.init(url: "http://site.test/\(name)", initialURL: "http://site.test/b"))
        }
        list.go(to: -1)
        list.entryURL = "http://site.test/c"
        #expect(list.sharing("http://site.test/b") == list)
        #expect(list.sharing("http://other.test/") == list)
    }
}
