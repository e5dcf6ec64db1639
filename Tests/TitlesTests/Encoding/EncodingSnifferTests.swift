import Testing

@testable import Titles

/// A page's first bytes, and how it is to be read.
struct SnifferCase: Sendable, CustomTestStringConvertible {
    let page: String
    let encoding: Encoding
    let source: EncodingSource

    init(_ page: String, _ encoding: Encoding, _ source: EncodingSource) {
        self.page = page
        self.encoding = encoding
        self.source = source
    }

    var testDescription: String { "\(page.prefix(90)) is \(encoding.name)" }
}

/// The decision about a page that comes in pieces of `step` bytes, and when it fell.
private func decision(
    _ page: [UInt8], http: String? = nil, override: Encoding? = nil, isXML: Bool = false,
    step: Int = .max
) -> (answer: EncodingDecision?, bytesRead: Int) {
    var sniffer = EncodingSniffer(httpCharset: http, override: override, isXML: isXML)
    return page.withUnsafeBytes { all in
        var start = 0
        while true {
            let end = all.count - start > step ? start + step : all.count
            let piece = UnsafeRawBufferPointer(rebasing: all[start..<end])
            if let answer = sniffer.consider(piece, isLast: end == all.count) {
                return (answer, end)
            }
            if end == all.count { return (nil, end) }
            start = end
        }
    }
}

private let koi = "<meta charset=koi8-r>"

@Suite struct `The encoding of a page` {
    static let declared = [
        SnifferCase("<meta charset=\"koi8-r\">", .koi8r, .meta),
        SnifferCase("<!doctype html><HTML><head>\n<META CharSet = ' KOI8-R ' />", .koi8r, .meta),
        SnifferCase("<meta/name=x charset=koi8-r>", .koi8r, .meta),
        SnifferCase("<meta \"charset=a charset=koi8-r>", .koi8r, .meta),
        SnifferCase("<meta name=a=b charset=koi8-r>", .koi8r, .meta),
        SnifferCase("<meta name=\"a>b\"charset=koi8-r>", .koi8r, .meta),
        SnifferCase(
            "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>", .koi8r, .meta),
        SnifferCase(
            "<meta content='charset=\"koi8-r\"' http-equiv=content-type>", .koi8r, .meta),
        SnifferCase(
            "<meta http-equiv=content-type content='xcharset charset = koi8-r ; x'>", .koi8r, .meta),
        SnifferCase(
            "<meta charset=koi8-r http-equiv=content-type content='charset=gbk'>", .koi8r, .meta),
        // Read as ASCII, so UTF-16 it is not.
        SnifferCase("<meta charset=utf-16be>", .utf8, .meta),
        SnifferCase("<meta charset=x-user-defined>", .windows1252, .meta),
        SnifferCase("<meta charset=hz-gb-2312>", .replacement, .meta),
        SnifferCase("<meta charset=utf-7><meta charset=koi8-r>", .koi8r, .meta),
        SnifferCase("<title>t</title>" + koi, .koi8r, .meta),
        SnifferCase("<body><p>text" + koi, .koi8r, .meta),
        SnifferCase("<noscript>" + koi, .koi8r, .meta),
        SnifferCase("</body>" + koi, .koi8r, .meta),
        SnifferCase("<?xml version='1.0' encoding='koi8-r'?><p>", .koi8r, .xml),
        SnifferCase("<?xml encoding = \"utf-16\" ?><p>", .utf8, .xml),
        SnifferCase("<?xml encoding='gbk'?>" + koi, .koi8r, .meta),
    ]

    static let undeclared = [
        "", "a", "<", "<meta charset=koi8-r", "<meta charset=nonsense>", "<meta charset=\"\">",
        "<meta charset=koi8-r/>", "<metas charset=koi8-r>", "</meta charset=koi8-r>",
        "<meta content='text/html; charset=koi8-r'>",
        "<meta http-equiv='content-type ' content='charset=koi8-r'>",
        "<meta http-equiv=content-type content='charset=\"koi8-r'>",
        "<title>" + koi, "<script>" + koi, "<style>" + koi, "<textarea>" + koi, "<xmp>" + koi,
        "<iframe>" + koi, "<noframes>" + koi, "<plaintext></plaintext>" + koi, "<!--" + koi,
        "<!-- -- >" + koi, "<!doctype " + koi.replacing(">", with: ""), "<p title='" + koi,
        "<title></titles>" + koi, "<script><!--<script></script>" + koi,
        " <?xml encoding='koi8-r'?>", "<?xml encoding='koi8-r'", "<?xml encoding=koi8-r?>",
        "<?xml encoding='koi8-r?>", "<?xml encoding=' koi8-r'?>", "<?XML encoding='koi8-r'?>",
    ]

    /// What looks like a comment or a text element, but is over before the declaration.
    static let ended = [
        "<!-->", "<!--->", "<!-- - -- --->", "<!----!>", "<!-- <!-- -->", "<!-x>", "<!>", "<?x>",
        "</>",
        "</ x>", "<!doctype html \">\">", "<![CDATA[>", "<title></TITLE >", "<style></style/>",
        "<script></ script></script x='>'>", "<script><!--</script>",
        "<script><!--<script></script></script>", "<script><!--<script>--></script>",
        "<script><!--><script></script>", "<textarea><!--</textarea>", "<<", "< p<", "<1>",
    ]

    @Test(arguments: declared)
    func `is the one that it declares`(_ example: SnifferCase) {
        let answer = decision(Array(example.page.utf8)).answer
        #expect(answer?.encoding == example.encoding)
        #expect(answer?.source == example.source)
        #expect(answer?.bomLength == 0)
    }

    @Test(arguments: undeclared)
    func `is windows-1252 when nothing valid declares it`(page: String) {
        let answer = decision(Array(page.utf8)).answer
        #expect(answer == EncodingDecision(encoding: .windows1252, source: .default, bomLength: 0))
    }

    @Test(arguments: ended)
    func `is seen behind what only looks like text`(prefix: String) {
        #expect(decision(Array((prefix + koi).utf8)).answer?.encoding == .koi8r)
    }

    @Test func `does not depend on how the bytes are cut`() {
        let pages = Self.declared.map(\.page) + Self.undeclared + Self.ended.map { $0 + koi }
        for page in pages {
            let bytes = Array(page.utf8)
            for isXML in [false, true] {
                let whole = decision(bytes, isXML: isXML).answer
                for step in [1, 2, 3, 7] {
                    #expect(
                        decision(bytes, isXML: isXML, step: step).answer == whole,
                        "\(page) in pieces of \(step)")
                }
            }
        }
    }

    @Test(arguments: [
        ([0xEF, 0xBB, 0xBF, 0x3C], Encoding.utf8, 3), ([0xFE, 0xFF], .utf16BE, 2),
        ([0xFF, 0xFE, 0, 0], .utf16LE, 2),
    ])
    func `is told first by a byte order mark`(page: [UInt8], encoding: Encoding, length: Int) {
        let expected = EncodingDecision(encoding: encoding, source: .bom, bomLength: length)
        for step in [1, .max] {
            for isXML in [false, true] {
                let answer = decision(
                    page, http: "koi8-r", override: .gbk, isXML: isXML, step: step
                ).answer
                #expect(answer == expected)
            }
        }
    }

    @Test(arguments: [[], [0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x41], [0xFF, 0xFF], [0xFE]])
    func `is not told by half a byte order mark`(page: [UInt8]) {
        for step in [1, .max] {
            #expect(decision(page, http: "koi8-r", step: step).answer?.source == .http)
            #expect(decision(page, step: step).answer?.source == .default)
        }
    }

    @Test func `is told by the user, then by the header, then by the page`() {
        let page = Array(koi.utf8)
        #expect(decision(page, http: "gbk", override: .big5).answer?.source == .override)
        #expect(decision(page, http: "gbk", override: .big5).answer?.encoding == .big5)
        #expect(decision(page, http: "gbk").answer?.source == .http)
        #expect(decision(page, http: "gbk").answer?.encoding == .gbk)
        #expect(decision(page, http: "utf-16").answer?.encoding == .utf16LE)
        #expect(decision(page, http: "nonsense").answer?.source == .meta)
    }

    @Test func `of UTF-16 without a mark shows in its XML declaration`() {
        let declaration = Array("<?xml?>".utf8)
        let little = declaration.flatMap { [$0, 0] as [UInt8] }
        let big = declaration.flatMap { [0, $0] as [UInt8] }
        for isXML in [false, true] {
            #expect(decision(little, isXML: isXML, step: 1).answer?.encoding == .utf16LE)
            #expect(decision(big, isXML: isXML, step: 1).answer?.encoding == .utf16BE)
        }
    }

    @Test func `of XML is never told by a meta tag, and is UTF-8 by default`() {
        let plain = decision(Array("<html><head>\(koi)".utf8), isXML: true).answer
        #expect(plain == EncodingDecision(encoding: .utf8, source: .default, bomLength: 0))
        let declared = decision(Array("<?xml encoding='gbk'?>\(koi)".utf8), isXML: true).answer
        #expect(declared == EncodingDecision(encoding: .gbk, source: .xml, bomLength: 0))
        #expect(decision([], http: "gbk", isXML: true).answer?.source == .http)
    }
}

@Suite struct `The search for a declaration` {
    @Test(arguments: [
        ("<body>", ""), ("<body><!--", "-->"), ("<body><script>", "</script>"), ("<p>", "</p>"),
        ("<p title='", "'>"),
    ])
    func `takes every tag that begins in the first 1,024 bytes`(opening: String, end: String) {
        for offset in 1000...1050 {
            let filler = offset - opening.utf8.count - end.utf8.count
            let page = Array((opening + String(repeating: "x", count: filler) + end + koi).utf8)
            for step in [1, 1000, .max] {
                let answer = decision(page, step: step).answer
                #expect((answer?.source == .meta) == (offset < 1024), "at \(offset)")
            }
        }
    }

    @Test(arguments: [
        "<link rel=x>", "<script>'<p>'</script>", "<style>p{}</style>", "<!--p-->", "<meta name=x>",
        "text ", "<object></object>", "<base>", "<noscript></noscript>", "<html><head>",
    ])
    func `goes on for as long as the head does`(filler: String) {
        let long = String(repeating: filler, count: 50_000 / filler.utf8.count)
        let page = Array("<html><head>\(long)\(koi)".utf8)
        #expect(decision(page).answer?.encoding == .koi8r)
        #expect(decision(page, step: 1000).answer?.encoding == .koi8r)
    }

    @Test(arguments: ["<body>", "</head>", "<p>", "</p>", "<a>", "</html>", "<div>"])
    func `ends at the first other tag beyond them`(tag: String) {
        let filler = "<style>" + String(repeating: "x", count: 1100) + "</style>"
        let page = Array("<html><head>\(filler)\(tag)\(koi)".utf8)
        #expect(decision(page).answer?.source == .default)
        // It does not wait for the rest of the page.
        let beginning = Array("<html><head>\(filler)\(tag)".utf8)
        let long = beginning + [UInt8](repeating: 0x20, count: 10_000)
        #expect(decision(long, step: 1).bytesRead == beginning.count)
    }

    @Test func `holds back no more than a mebibyte`() {
        let start = Array("<title>".utf8)
        let blank = [UInt8](repeating: 0x20, count: EncodingSniffer.longestWait + 5000)
        for step in [4096, 100_000, .max] {
            let page = start + blank + Array("</title>\(koi)".utf8)
            let found = decision(page, step: step)
            #expect(found.answer?.source == .default)
            #expect(step == .max || found.bytesRead < EncodingSniffer.longestWait + step)
        }
        let within = start + blank.dropLast(5000 + 100) + Array("</title>\(koi)".utf8)
        #expect(decision(within, step: 4096).answer?.encoding == .koi8r)
    }

    @Test func `is over at once when the header tells`() {
        #expect(decision(Array("<p>".utf8), http: "utf-8", step: 1).bytesRead == 1)
    }
}
