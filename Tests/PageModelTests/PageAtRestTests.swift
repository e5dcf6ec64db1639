import PageModel
import Testing

@Suite struct `Page at rest` {
    private func expectSame(_ one: Page, _ other: Page) {
        #expect(one.url == other.url && one.title == other.title)
        #expect(one.estimatedProgress == other.estimatedProgress)
        #expect(one.isLoading == other.isLoading)
        #expect(one.canGoBack == other.canGoBack && one.canGoForward == other.canGoForward)
        #expect(one.backForwardList == other.backForwardList)
        #expect(one.recordsEvents == other.recordsEvents)
    }

    @Test func `is a new page before the first load`() {
        expectSame(Page(PageAtRest()), Page())
        expectSame(Page(Page().atRest), Page())
    }

    @Test func `stays as it is, and tells nothing of it anew`() {
        var page = Page()
        page.show("http://site.test/a", title: "A")
        page.show("http://site.test/b", final: "http://site.test/c")
        page.show("http://site.test/a", as: .backForward(offset: -1), title: "A")
        var again = Page(page.atRest)
        expectSame(again, page)
        #expect(again.told() == [])
    }

    @Test func `keeps a title that never came apart from none`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        page.receive(10)
        page.failed(refusal)
        #expect(Page(page.atRest).title == "")
        page.show(pageURL, as: .reload, title: nil)
        #expect(Page(page.atRest).title == nil)
    }

    @Test func `keeps whether events are wanted`() {
        var page = Page()
        page.recordsEvents = false
        #expect(Page(page.atRest).recordsEvents == false)
    }

    @Test(arguments: 1...20)
    func `goes on like the page that was not put to rest`(seed: UInt64) {
        var numbers = FixedNumbers(state: seed)
        var (page, rested) = (Page(), Page())
        for _ in 0..<60 {
            let step = Step(&numbers)
            step.run(on: &page)
            step.run(on: &rested)
            #expect(page.told() == rested.told())
            rested = Page(rested.atRest)
            expectSame(rested, page)
        }
    }
}

/// One load, however it goes.
private struct Step {
    let kind: Page.LoadKind
    let url: String
    let final: String?
    let refreshURL: String?
    let title: String?
    /// How far the load comes; 4 is its end.
    let stages: Int

    init(_ numbers: inout FixedNumbers) {
        let urls = ["http://site.test/a", "http://site.test/b", "http://site.test/c"]
        kind =
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: .load
            case 1: .backForward(offset: Int.random(in: -2...2, using: &numbers))
            default: .reload
            }
        url = urls[Int.random(in: 0..<3, using: &numbers)]
        final = Bool.random(using: &numbers) ? urls[Int.random(in: 0..<3, using: &numbers)] : nil
        refreshURL =
            Int.random(in: 0..<4, using: &numbers) == 0
            ? urls[Int.random(in: 0..<3, using: &numbers)] : nil
        title = [nil, "", "One", "Two"][Int.random(in: 0..<4, using: &numbers)]
        stages = Int.random(in: 0...6, using: &numbers)
    }

    func run(on page: inout Page) {
        page.startLoad(kind, url: url)
        guard stages > 0 else { return page.failed(refusal) }
        if let final { page.redirected(to: final, status: 302) }
        guard stages > 1 else { return page.failed(refusal) }
        page.responseStarted(expectedBytes: 100)
        page.receive(50, of: final ?? url)
        guard stages > 2 else { return page.failed(refusal) }
        page.titleParsed(title)
        guard let refreshURL else { return page.finish() }
        page.refreshed(to: refreshURL, status: 200)
        guard stages > 3 else { return page.failed(refusal) }
        page.responseStarted(expectedBytes: nil)
        page.receive(10, of: refreshURL)
        page.titleParsed(title)
        page.finish()
    }
}
