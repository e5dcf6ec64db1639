import Testing
import Titles

@Suite struct `A refresh value` {
    @Test(
        arguments: [
            ("5", 5, nil), (" 0 ", 0, nil), ("5;", 5, nil), ("5 ; ", 5, nil), ("1.9", 1, nil),
            (".5", 0, nil), ("3..4.5;x", 3, "x"), ("0;url=/a", 0, "/a"), ("0;URL = /a", 0, "/a"),
            ("0, url=/a", 0, "/a"), ("0 url=/a", 0, "/a"), ("0;/a", 0, "/a"),
            ("0; 'a b'c", 0, "a b"),
            ("0;url='/a'b", 0, "/a"), ("0;url=\"/a", 0, "/a"), ("0;url=/a ' b", 0, "/a ' b"),
            ("0;url/a", 0, "url/a"), ("0;u", 0, "u"), ("0;urls", 0, "urls"), ("0;url=", 0, ""),
            ("\t7\n;\r\u{C}url=x", 7, "x"), ("0;;/a", 0, ";/a"),
            ("99999999999999999999;x", Int.max, "x"), ("0;url=/ä", 0, "/ä"),
        ] as [(String, Int, String?)])
    func `is read as browsers read it`(value: String, delay: Int, url: String?) throws {
        let found = try #require(PageReader.parseRefresh(value))
        #expect(found.delay == delay)
        #expect(found.url == url)
    }

    @Test(arguments: ["", " ", "x", "-1;/a", "+1", ";/a", "url=/a", "5x", "5/a", "\u{B}5"])
    func `that asks for nothing is none`(value: String) {
        #expect(PageReader.parseRefresh(value) == nil)
    }
}

@Suite struct `A page's refresh` {
    private func refresh(in page: String) -> Refresh? {
        let whole = Reading(page).refresh
        for chunk in [1, 7] { #expect(Reading(page, chunk: chunk).refresh == whole) }
        return whole
    }

    @Test func `comes with the base before it`() {
        let page = """
            <base target=x><base href="/b/"><base href="/c/">
            <META content='3; URL="a?x=1&amp;copy=2&copy=3"' http-equiv=ReFresh><title>x</title>
            """
        #expect(
            refresh(in: page) == Refresh(delay: 3, url: "a?x=1&copy=2&copy=3", baseHref: "/b/"))
    }

    @Test func `is not resolved with a later base`() {
        let page = "<meta http-equiv=refresh content='0;a'><base href=/b/><title>x</title>"
        #expect(refresh(in: page) == Refresh(delay: 0, url: "a", baseHref: nil))
    }

    @Test func `is the first that counts`() {
        let page = """
            <meta http-equiv=refresh><meta http-equiv=refresh content=x>
            <meta http-equiv=refresh content=1><meta http-equiv=refresh content='2;a'>
            """
        #expect(refresh(in: page) == Refresh(delay: 1, url: nil, baseHref: nil))
    }

    @Test func `has its line ends made one`() {
        let page = "<meta http-equiv=refresh content='0;a\r\nb\rc&#13;\nd'>"
        #expect(refresh(in: page)?.url == "a\nb\nc\r\nd")
    }

    @Test(arguments: [
        "<noscript><meta http-equiv=refresh content=0></noscript><title>x</title>",
        "<noscript><img><meta http-equiv=refresh content=0></noscript><title>x</title>",
        "<template><meta http-equiv=refresh content=0></template><title>x</title>",
        "<svg><desc><template><meta http-equiv=refresh content=0></template></svg><title>x</title>",
        "<script><meta http-equiv=refresh content=0></script><title>x</title>",
        "<!-- <meta http-equiv=refresh content=0> --><title>x</title>",
        "<title><meta http-equiv=refresh content=0></title>",
        "<meta http-equiv='refresh ' content=0><meta name=refresh content=0>",
        "<meta http-equiv=x http-equiv=refresh content=0>",
        "<title>x</title><body><meta http-equiv=refresh content=0>",
    ])
    func `is not found where none takes effect`(page: String) {
        #expect(refresh(in: page) == nil)
    }

    @Test func `counts in a body while the title is sought`() {
        #expect(refresh(in: "<p>x<meta http-equiv=refresh content=0><title>y</title>")?.delay == 0)
    }

    @Test func `counts after the title, up to the body`() {
        let page = "<title>x</title><meta http-equiv=refresh content='0;/a'><body>"
        #expect(refresh(in: page)?.url == "/a")
    }

    @Test func `that is too long is left alone`() {
        let long = String(repeating: "a", count: 70_000)
        #expect(refresh(in: "<meta http-equiv=refresh content='0;\(long)'><p>") == nil)
    }

    @Test func `is found in XHTML`() {
        let page = """
            <html xmlns="http://www.w3.org/1999/xhtml"><head><base href="/b/"/>
            <noscript><meta http-equiv="refresh" content="1"/></noscript>
            <meta http-equiv="Refresh" content="0; a&amp;b"/><title>x</title></head><body/></html>
            """
        let found = Reading(page, type: "application/xhtml+xml").refresh
        #expect(found == Refresh(delay: 0, url: "a&b", baseHref: "/b/"))
    }
}
