import PageModel
import Testing

@Suite struct `A page` {
    /// A page with `pageURL` and the title One on it, whose events are taken.
    private func shownPage() -> Page {
        var page = Page()
        page.show(pageURL, title: "One")
        _ = page.takeEvents()
        return page
    }

    @Test func `tells a first load in WebKit's order`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        page.responseStarted(expectedBytes: 1000)
        page.receive(1000)
        page.titleParsed("One")
        page.finish()
        #expect(
            page.told() == [
                "progress 0.1", "url \(pageURL)", "isLoading true", "started",
                "progress 0.5", "title ''", "committed \(pageURL)",
                "title 'One'", "progress 1.0", "isLoading false", "finished 200 1000",
            ])
        #expect(page.title == "One" && page.url == pageURL && !page.isLoading)
        #expect(page.backForwardList.currentItem?.title == "One")
    }

    @Test func `tells a second page's way back before its commit`() {
        var page = shownPage()
        page.startLoad(.load, url: "http://site.test/two")
        page.responseStarted(expectedBytes: 1000)
        page.receive(1000, of: "http://site.test/two")
        #expect(
            page.told() == [
                "progress 0.1", "url http://site.test/two", "isLoading true", "started",
                "progress 0.5", "title ''", "canGoBack true", "committed http://site.test/two",
            ])
    }

    @Test func `tells only what changes when it is loaded again`() {
        var page = shownPage()
        page.show(pageURL, as: .reload, title: "One")
        #expect(
            page.told() == [
                "progress 0.1", "isLoading true", "started",
                "progress 0.5", "title ''", "committed \(pageURL)",
                "title 'One'", "progress 1.0", "isLoading false", "finished 200 1000",
            ])
    }

    @Test func `has no title when it has no title element`() {
        var page = Page()
        page.show(pageURL, title: nil)
        #expect(page.title == nil)
        #expect(page.told().filter { $0.hasPrefix("title") } == ["title ''", "title none"])
        // The next document's title is not known either, but that is another thing.
        page.startLoad(.reload, url: pageURL)
        page.commitEmpty(commit())
        #expect(page.title == "")
    }

    @Test func `tells an empty title once`() {
        var page = Page()
        page.show(pageURL, title: "")
        #expect(page.told().filter { $0.hasPrefix("title") } == ["title ''"])
    }

    @Test func `tells a title that differs in its bytes alone`() {
        var page = shownPage()
        page.startLoad(.reload, url: pageURL)
        page.receive(10)
        page.titleParsed("caf\u{E9}")
        _ = page.takeEvents()
        page.titleParsed("cafe\u{301}")
        #expect(page.takeEvents().count == 1)
        #expect(page.title?.utf8.count == 6)
    }

    @Test func `commits an empty body without a value of its own`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        page.responseStarted(expectedBytes: 0)
        _ = page.takeEvents()
        page.commitEmpty(commit())
        page.titleParsed(nil)
        page.finished(status: 200, bytes: 0, timings: Timings())
        #expect(
            page.told() == [
                "title ''", "committed \(pageURL)", "title none",
                "progress 1.0", "isLoading false", "finished 200 0",
            ])
    }

    @Test func `commits once, with what its first block told`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        page.receive(10, of: "http://site.test/first")
        page.receive(10, of: "http://site.test/later", atMs: 500)
        page.commitEmpty(commit("http://site.test/last"))
        #expect(page.told().filter { $0.hasPrefix("committed") }.count == 1)
        #expect(page.url == "http://site.test/first")
    }

    @Test func `follows redirects under their URLs`() {
        var page = Page()
        page.startLoad(.load, url: "http://site.test/a")
        page.redirected(to: "http://site.test/b", status: 301)
        page.redirected(to: "http://site.test/b", status: 303)
        page.responseStarted(expectedBytes: 1000)
        page.receive(1000, of: "http://site.test/b")
        #expect(
            page.told() == [
                "progress 0.1", "url http://site.test/a", "isLoading true", "started",
                "url http://site.test/b", "redirected http://site.test/b 301 http",
                "redirected http://site.test/b 303 http",
                "progress 0.5", "title ''", "committed http://site.test/b",
            ])
    }

    @Test func `follows a refresh within the same load`() {
        var page = Page()
        page.startLoad(.load, url: "http://site.test/a")
        page.responseStarted(expectedBytes: 1000)
        page.receive(1000, of: "http://site.test/a")
        page.titleParsed("Wait")
        _ = page.takeEvents()
        page.refreshed(to: "http://site.test/b", status: 200)
        #expect(page.isLoading && page.estimatedProgress == 0.1)
        page.responseStarted(expectedBytes: 1000)
        page.receive(1000, of: "http://site.test/b", atMs: 10)
        page.titleParsed("There")
        page.finish()
        #expect(
            page.told() == [
                "url http://site.test/b", "redirected http://site.test/b 200 refresh",
                "progress 0.1", "progress 0.5", "title ''", "committed http://site.test/b",
                "title 'There'", "progress 1.0", "isLoading false", "finished 200 1000",
            ])
    }

    @Test func `ignores what belongs to no load`() {
        var page = shownPage()
        page.receive(10)
        page.commitEmpty(commit())
        page.titleParsed("Late")
        page.redirected(to: "http://site.test/b", status: 301)
        page.refreshed(to: "http://site.test/b", status: 200)
        page.finish()
        page.failed(refusal)
        #expect(page.told() == [])
        #expect(page.title == "One" && page.url == pageURL)
    }

    @Test func `has nothing to refresh before its commit`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        _ = page.takeEvents()
        page.refreshed(to: "http://site.test/b", status: 200)
        #expect(page.told() == [])
    }

    @Test func `moves on as ever when nobody listens`() {
        var silent = Page()
        silent.recordsEvents = false
        silent.show("http://site.test/a", title: "A")
        silent.show("http://site.test/b", title: "B")
        #expect(silent.takeEvents().isEmpty)
        #expect(silent.title == "B" && silent.url == "http://site.test/b")
        #expect(silent.canGoBack && silent.estimatedProgress == 1 && !silent.isLoading)
        // What was not recorded is not told later on either: only what changes from then on.
        silent.recordsEvents = true
        silent.startLoad(.reload, url: "http://site.test/b")
        #expect(silent.told() == ["progress 0.1", "isLoading true", "started"])
    }

    @Test func `hands each event over once, taken or drained`() {
        var (taken, drained) = (Page(), Page())
        taken.show(pageURL, title: "One")
        drained.show(pageURL, title: "One")
        var events: [PageEvent] = []
        drained.drainEvents { events.append($0) }
        #expect(events == taken.takeEvents())
        #expect(!events.isEmpty)
        #expect(drained.takeEvents().isEmpty && taken.takeEvents().isEmpty)
    }
}

@Suite struct `A load that fails` {
    @Test func `before its commit goes back to what is shown`() {
        var page = Page()
        page.show(pageURL, title: "One")
        let list = page.backForwardList
        _ = page.takeEvents()
        page.startLoad(.load, url: "http://site.test/two")
        page.redirected(to: "http://site.test/three", status: 302)
        _ = page.takeEvents()
        page.failed(refusal)
        #expect(
            page.told() == [
                "isLoading false", "url \(pageURL)", "failed started connect refused",
                "progress 1.0",
            ])
        #expect(page.title == "One" && page.backForwardList == list)
    }

    @Test func `before any page is shown leaves no URL`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        _ = page.takeEvents()
        page.failed(refusal)
        #expect(
            page.told() == [
                "isLoading false", "url ", "failed started connect refused", "progress 1.0",
            ])
        #expect(page.title == nil && page.backForwardList.currentItem == nil)
    }

    @Test func `before its commit tells no URL when it is the one shown`() {
        var page = Page()
        page.show(pageURL, title: "One")
        page.startLoad(.reload, url: pageURL)
        _ = page.takeEvents()
        page.failed(refusal)
        #expect(
            page.told() == ["isLoading false", "failed started connect refused", "progress 1.0"])
    }

    @Test func `after its commit keeps what has come`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        page.receive(10)
        page.titleParsed("Half")
        _ = page.takeEvents()
        page.failed(LoadError(phase: .body, code: "bodyCutShort", message: "cut short"))
        #expect(
            page.told() == [
                "progress 1.0", "isLoading false", "failed committed body bodyCutShort",
            ])
        #expect(page.title == "Half" && page.url == pageURL)
        #expect(page.backForwardList.currentItem?.title == "Half")
    }

    @Test func `on the way that a refresh named leaves the page that named it`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        page.receive(10)
        page.titleParsed("Wait")
        page.refreshed(to: "http://site.test/two", status: 200)
        _ = page.takeEvents()
        page.failed(refusal)
        #expect(
            page.told() == [
                "isLoading false", "url \(pageURL)", "failed started connect refused",
                "progress 1.0",
            ])
        #expect(page.title == "Wait")
        #expect(page.backForwardList.currentItem?.url == pageURL)
    }
}

@Suite struct `A load over a running one` {
    @Test func `ends that without a false or a 1 between`() {
        var page = Page()
        page.startLoad(.load, url: "http://site.test/a")
        _ = page.takeEvents()
        page.startLoad(.load, url: "http://site.test/b")
        #expect(
            page.told() == [
                "url http://site.test/b", "failed started request cancelled", "started",
            ])
        #expect(page.isLoading)
    }

    @Test func `starts again at a tenth and leaves the page shown until its commit`() {
        var page = Page()
        page.startLoad(.load, url: "http://site.test/a")
        page.responseStarted(expectedBytes: 1000)
        page.receive(500, of: "http://site.test/a")
        page.titleParsed("A")
        _ = page.takeEvents()
        page.startLoad(.load, url: "http://site.test/b")
        #expect(
            page.told() == [
                "progress 0.1", "url http://site.test/b", "failed committed body cancelled",
                "started",
            ])
        #expect(page.title == "A")
        page.failed(refusal)
        #expect(page.url == "http://site.test/a")
        #expect(page.backForwardList.currentItem?.url == "http://site.test/a")
    }

    @Test func `says how far that had come`() {
        var page = Page()
        page.startLoad(.load, url: "http://site.test/a")
        _ = page.takeEvents()
        page.startLoad(.load, url: "http://site.test/b", over: .tls)
        #expect(page.told().contains("failed started tls cancelled"))
    }
}
