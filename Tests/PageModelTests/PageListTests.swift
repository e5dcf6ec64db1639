import PageModel
import Testing

@Suite struct `List of a page` {
    private let a = "http://site.test/a"
    private let b = "http://site.test/b"
    private let c = "http://site.test/c"
    private let d = "http://site.test/d"

    private func page(_ urls: String...) -> Page {
        var page = Page()
        for url in urls { page.show(url, title: url) }
        _ = page.takeEvents()
        return page
    }

    private func urls(_ page: Page) -> [String] {
        let list = page.backForwardList
        let current = list.currentItem.map { [$0] } ?? []
        return (list.backList + current + list.forwardList).map(\.url)
    }

    @Test func `grows by each new page and drops what was ahead`() {
        var page = page(a, b, c)
        page.show(b, as: .backForward(offset: -1), title: "B")
        #expect(page.canGoBack && page.canGoForward)
        page.show(d)
        #expect(urls(page) == [a, b, d])
        #expect(page.canGoBack && !page.canGoForward)
    }

    @Test(arguments: [Page.LoadKind.reload, .load])
    func `stays as it is when the same page is loaded again`(kind: Page.LoadKind) {
        var page = page(a, b, c)
        page.show(b, as: .backForward(offset: -1))
        page.show(b, as: kind, title: "B anew")
        #expect(urls(page) == [a, b, c])
        #expect(page.backForwardList.currentItem?.title == "B anew")
        #expect(page.canGoForward)
    }

    @Test func `grows by a page whose reload ends elsewhere`() {
        var page = page(a)
        page.show(a, as: .reload, final: b)
        #expect(urls(page) == [a, b])
        #expect(page.backForwardList.currentItem?.initialURL == a)
        // From now on that is where it ends, and it is the same page.
        page.show(a, as: .reload, final: b)
        #expect(urls(page) == [a, b])
    }

    @Test func `takes a reload of nothing for a first page`() {
        var page = Page()
        page.show(a, as: .reload)
        #expect(urls(page) == [a])
    }

    @Test func `has one item for a redirect, with the URL first asked for`() {
        var page = page(a)
        page.show(c, final: b)
        #expect(urls(page) == [a, b])
        #expect(page.backForwardList.currentItem?.initialURL == c)
        // Asked for by its old name, it is a new page again, as in WebKit.
        page.show(c, final: b)
        #expect(urls(page) == [a, b, b])
    }

    @Test func `is not changed by a load that fails before its commit`() {
        var page = page(a, b)
        page.show(a, as: .backForward(offset: -1))
        let before = page.backForwardList
        page.startLoad(.load, url: c)
        page.failed(refusal)
        #expect(page.backForwardList == before)
    }

    @Test func `keeps a page that failed after its commit`() {
        var page = page(a)
        page.startLoad(.load, url: b)
        page.receive(1, of: b)
        page.failed(refusal)
        #expect(urls(page) == [a, b])
        #expect(page.backForwardList.currentItem?.title == nil)
    }

    @Test func `holds a hundred pages`() {
        var page = Page()
        for number in 0..<104 { page.show("http://site.test/n\(number)") }
        #expect(page.backForwardList.backList.count == 99)
        #expect(page.backForwardList.backList.first?.url == "http://site.test/n4")
    }

    // MARK: Refresh

    @Test func `has the page that a refresh led to in place of the one that named it`() {
        var page = page(a)
        page.startLoad(.load, url: b)
        page.receive(10, of: b)
        page.refreshed(to: c, status: 200)
        page.redirected(to: d, status: 302)
        page.receive(10, of: d)
        page.titleParsed("D")
        page.finish()
        #expect(
            page.backForwardList.currentItem
                == BackForwardList.Item(url: d, initialURL: c, title: "D"))
        #expect(urls(page) == [a, d])
    }

    @Test func `does not grow however often a page is loaded that refreshes to others`() {
        var page = Page()
        for _ in 0..<3 {
            page.startLoad(.reload, url: a)
            page.receive(10, of: a)
            for next in [b, c] {
                page.refreshed(to: next, status: 200)
                page.receive(10, of: next)
            }
            page.finish()
            #expect(urls(page) == [c])
        }
        // Nor when the page it led to was itself loaded again meanwhile.
        page.show(c, as: .reload)
        page.startLoad(.reload, url: a)
        page.receive(10, of: a)
        #expect(page.backForwardList.backList.isEmpty)
        #expect(!page.told().contains { $0.hasPrefix("canGo") })
    }

    // MARK: Back and forward

    @Test func `moves when a load back starts and keeps all items`() {
        var page = page(a, b)
        page.startLoad(.backForward(offset: -1), url: a)
        #expect(
            page.told() == [
                "progress 0.1", "url \(a)", "isLoading true", "canGoForward true",
                "canGoBack false", "started",
            ])
        page.receive(1000, of: a)
        page.titleParsed("A")
        page.finish()
        #expect(urls(page) == [a, b])
        #expect(page.backForwardList.forwardList.map(\.url) == [b])
        #expect(!page.told().contains { $0.hasPrefix("canGo") })
    }

    @Test func `goes back to what is shown when a load back fails`() {
        var page = page(a, b)
        let before = page.backForwardList
        page.startLoad(.backForward(offset: -1), url: a)
        _ = page.takeEvents()
        page.failed(refusal)
        #expect(
            page.told() == [
                "isLoading false", "url \(b)", "failed started connect refused",
                "progress 1.0", "canGoForward false", "canGoBack true",
            ])
        #expect(page.backForwardList == before)
    }

    @Test func `stays at the page gone back to once that is shown, even if it fails then`() {
        var page = page(a, b)
        page.startLoad(.backForward(offset: -1), url: a)
        page.receive(1, of: a)
        page.failed(refusal)
        #expect(page.backForwardList.currentItem?.url == a)
        #expect(page.canGoForward && !page.canGoBack)
    }

    @Test func `goes two back when asked twice, and all the way back if that fails`() {
        var page = page(a, b, c)
        page.startLoad(.backForward(offset: -1), url: b)
        page.startLoad(.backForward(offset: -1), url: a)
        #expect(page.backForwardList.currentItem?.url == a)
        page.failed(refusal)
        #expect(page.backForwardList.currentItem?.url == c && page.url == c)
    }

    @Test func `is where it was when another load takes the place of one back`() {
        var page = page(a, b)
        page.startLoad(.backForward(offset: -1), url: a)
        _ = page.takeEvents()
        page.startLoad(.load, url: c)
        #expect(
            page.told() == [
                "url \(c)", "canGoForward false", "canGoBack true",
                "failed started request cancelled", "started",
            ])
        page.receive(1, of: c)
        #expect(urls(page) == [a, b, c])
    }

    @Test func `is at the page gone back to when another load begins over the rest of it`() {
        var page = page(a, b)
        page.startLoad(.backForward(offset: -1), url: a)
        page.receive(1, of: a)
        page.startLoad(.load, url: c)
        page.receive(1, of: c)
        #expect(urls(page) == [a, c])
    }

    @Test func `knows nothing of the page it came from once it has gone back`() {
        var page = page(a, b)
        page.show(a, as: .backForward(offset: -1))
        page.show(a, as: .reload, final: b)
        #expect(urls(page) == [a, b])
        #expect(!page.canGoForward)
    }

    @Test func `keeps the URL first asked for when a redirected page is loaded again`() {
        var page = page(a)
        page.show(c, final: b)
        page.show(b, as: .reload)
        #expect(page.backForwardList.currentItem?.initialURL == c)
    }

    @Test func `updates the item of a page that has moved since`() {
        var page = page(a, b)
        page.show(a, as: .backForward(offset: -1), final: d)
        #expect(urls(page) == [d, b])
        #expect(page.backForwardList.currentItem?.initialURL == a)
    }

    @Test func `takes a step beyond its end for a load of that URL`() {
        var page = page(a)
        page.show(b, as: .backForward(offset: 7))
        #expect(urls(page) == [a, b])
    }

    @Test func `is the same after a restart, and what is shown is its current item`() {
        var page = page(a, b, c)
        page.show(b, as: .backForward(offset: -1), title: "B")
        var restored = Page(PageAtRest(showing: page.backForwardList))
        #expect(restored.backForwardList == page.backForwardList)
        #expect(restored.url == b && restored.title == "B" && !restored.isLoading)
        #expect(restored.canGoBack && restored.canGoForward)
        #expect(restored.takeEvents().isEmpty)
        restored.startLoad(.backForward(offset: 1), url: c)
        restored.failed(refusal)
        #expect(restored.url == b)
        #expect(restored.backForwardList == page.backForwardList)
    }

    @Test func `does not grow by a restart of a page that a refresh leads to`() {
        func load(_ page: inout Page) {
            page.startLoad(.reload, url: a)
            page.receive(1000, of: a)
            page.refreshed(to: b, status: 200)
            page.receive(1000, of: b)
            page.titleParsed("B")
            page.finish()
        }
        var page = Page()
        load(&page)
        #expect(urls(page) == [b])
        var restored = Page(PageAtRest(showing: page.backForwardList))
        load(&restored)
        #expect(urls(restored) == [b])
    }

    @Test func `that is empty is restored as a page never loaded`() {
        let restored = Page(PageAtRest(showing: BackForwardList()))
        #expect(restored.url == "" && restored.title == nil && restored.estimatedProgress == 0)
    }
}
