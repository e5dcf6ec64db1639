import Testing
import Titles

@Suite struct `The type of a page` {
    private static let page = "<!DOCTYPE html><title>x</title><p>y"

    @Test(arguments: [
        "text/html", "text/html;charset=UTF-8", "TEXT/HTML", " text/html ; x=y", "text/html,",
    ])
    func `is HTML, whatever its parameters and case`(type: String) {
        let reading = Reading(Self.page, type: type)
        #expect(reading.titleString == "x")
        #expect(reading.kind == .html)
    }

    @Test(arguments: [
        "text/plain", "application/json", "application/pdf", "image/png", "text/css",
        "text/javascript", "application/rss+xml", "application/atom+xml", "application/foo+xml",
        "multipart/x-mixed-replace; boundary=b", "application/octet-stream",
    ])
    func `that is no page has no title`(type: String) {
        let reading = Reading(Self.page, type: type)
        #expect(reading.title == nil)
        #expect(reading.kind == .notPage)
        #expect(reading.isSettled && reading.isTitleKnown && reading.hasBodyBegun)
        #expect(reading.encodingName == nil && reading.encodingSource == nil)
    }

    @Test(
        arguments: [
            nil, "", "unknown/unknown", "Application/Unknown", "*/*", "html", "text/", "/html",
            "a/b/c",
            "te xt/html",
        ] as [String?])
    func `is told by the first bytes when it is not usable`(type: String?) {
        for chunk in [1, 7, Int.max] {
            #expect(Reading(Self.page, type: type, chunk: chunk).titleString == "x")
            #expect(Reading("x" + Self.page, type: type, chunk: chunk).kind == .notPage)
        }
    }

    @Test(arguments: [
        ("  \n<TITLE>x</TITLE>", PageReader.Kind.html), ("<b>", .html), ("<a href=x>", .html),
        ("<!-- c -->", .html), ("<body>", .html), ("<p>", .html), ("<h1>", .html),
        ("<?xml version='1.0'?><a/>", .xml), ("<h2>", .notPage), ("<bx>", .notPage),
        ("<!DOCTYPE htm>", .notPage), ("<title", .notPage), ("", .notPage), ("%PDF-1.4", .notPage),
        ("\u{FEFF}<title>x</title>", .notPage), ("{\"a\": \"<title>\"}", .notPage),
    ])
    func `is told by signatures`(body: String, kind: PageReader.Kind) {
        #expect(Reading(body, type: nil).kind == kind)
        #expect(Reading(body, type: nil, chunk: 1).kind == kind)
    }

    @Test func `is not looked for beyond the standard's first bytes`() {
        let blanks = String(repeating: " ", count: 1500)
        #expect(Reading(blanks + Self.page, type: nil).kind == .notPage)
        #expect(Reading(blanks + Self.page, type: nil, chunk: 7).kind == .notPage)
    }

    @Test func `is not guessed when the server forbids it`() {
        let options = PageReader.Options(maySniff: false)
        let reading = Reading(Array(Self.page.utf8), type: nil, options: options)
        #expect(reading.kind == .notPage)
        #expect(Reading(Array(Self.page.utf8), type: "text/html", options: options).kind == .html)
    }
}

@Suite struct `A page reader` {
    private func reader(after page: String) -> PageReader {
        let reader = PageReader(contentType: "text/html; charset=utf-8")
        Array(page.utf8).withUnsafeBytes { reader.read($0) }
        return reader
    }

    @Test(arguments: ["<body>", "<p>", "text", "</br>", "&nbsp;", "<frameset>", "<img>", "<svg>"])
    func `sees the body begin`(tag: String) {
        #expect(reader(after: "<head><title>x</title>" + tag + " ").hasBodyBegun)
    }

    @Test(arguments: [
        "", "<html>", "<head></head>", "<!-- c --> \n", "<meta><link><base>", "</head></p></div>",
        "<noscript><style></style>", "<script>x</script>", "<template><p>text</p></template>",
        "&#32;", "<style>p",
    ])
    func `does not take the head for a body`(head: String) {
        let reader = reader(after: "<title>x</title>" + head)
        #expect(!reader.hasBodyBegun)
        #expect(reader.isTitleKnown && !reader.isSettled)
        #expect(reader.title == "x")
    }

    @Test func `tells a title when its end tag was seen, not before`() {
        #expect(!reader(after: "<title>x</title").isTitleKnown)
        #expect(reader(after: "<title>x</title").title == nil)
        #expect(reader(after: "<title>x</title>").title == "x")
    }

    @Test func `is settled once title and body have come`() {
        let page = "<title>x</title><meta charset=utf-8><body class=y>"
        #expect(reader(after: page).isSettled)
        #expect(!reader(after: String(page.dropLast())).isSettled)
    }

    @Test func `reads on for a title while there is none`() {
        #expect(
            !reader(after: "<body><p>x</p><div>" + String(repeating: "y", count: 9999)).isSettled)
    }

    @Test func `waits for a table that can still bring an earlier title`() {
        let open = "<body>x<table><tr><td><title>In</title>"
        #expect(reader(after: open).title == "In")
        #expect(!reader(after: open).isSettled)
        #expect(reader(after: open + "</table>").isSettled)
        #expect(reader(after: open + "</tr><title>Out</title>").title == "Out")
    }

    @Test func `waits for a frameset as long as one can come`() {
        #expect(!reader(after: "<p><title>x</title>").isSettled)
        #expect(reader(after: "<p><title>x</title>text").isSettled)
        let replaced = reader(after: "<p><title>x</title><frameset>")
        #expect(replaced.title == nil && replaced.isSettled)
    }

    @Test func `is settled by plaintext, which never ends`() {
        #expect(reader(after: "<plaintext>").isSettled)
    }

    @Test func `cuts a title at a mebibyte, between characters`() throws {
        let text = "a" + String(repeating: "日", count: 400_000)
        for chunk in [1000, Int.max] {
            let title = try #require(Reading("<title>\(text)</title>", chunk: chunk).titleString)
            #expect(title.utf8.count == 1 + 3 * ((1 << 20) / 3))
            #expect(text.hasPrefix(title))
        }
    }

    @Test func `says where the encoding came from`() {
        let page = "<meta charset=windows-1251><title>x</title><p>"
        #expect(Reading(page, type: "text/html").encodingSource == .meta)
        #expect(Reading(page, type: "text/html").encodingName == "windows-1251")
        #expect(Reading(page, type: "text/html; charset=gbk").encodingSource == .http)
        let options = PageReader.Options(encoding: .koi8r)
        let reading = Reading(Array(page.utf8), type: "text/html; charset=gbk", options: options)
        #expect(reading.encodingSource == .override && reading.encodingName == "KOI8-R")
    }

    @Test func `needs no byte after an empty body`() {
        let reading = Reading("")
        #expect(reading.title == nil && reading.isSettled && reading.hasBodyBegun)
    }
}
