import Testing
import Titles

/// Faults that users of comparable programs reported; the number is the row of our list.
@Suite struct `A fault reported elsewhere` {
    /// B09, B10: titles beyond 4 KB, or beyond 700 KB of style sheet, were not found.
    @Test(arguments: [4 << 10, 64 << 10, 700 << 10, 2 << 20])
    func `title far down`(size: Int) {
        let css = String(repeating: ".c { color: red }\n", count: size / 18)
        let page = "<head><style>\(css)</style><title>Far</title></head><body>"
        #expect(Reading(page, chunk: 16384).titleString == "Far")
        #expect(Reading(page, type: "text/html", chunk: 16384).titleString == "Far")
    }

    /// B01, B06, B20: the encoding stands in a meta or in the header, or the label means more than
    /// its name says.
    @Test(
        arguments: [
            ("text/html", "<meta charset=gbk>", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            ("text/html; charset=GBK", "", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            ("text/html", "<meta charset=Shift_JIS>", [0x93, 0xFA, 0x96, 0x7B], "日本"),
            ("text/html; charset=euc-kr", "", [0x8C, 0x63], "똠"),
        ] as [(String, String, [UInt8], String)])
    func `mojibake`(type: String, meta: String, bytes: [UInt8], title: String) {
        let body = Array("\(meta)<title>".utf8) + bytes + Array("</title><p>".utf8)
        for chunk in [1, 7, Int.max] {
            #expect(Reading(body, type: type, chunk: chunk).title == Array(title.utf8))
        }
    }

    /// B12 to B15: the header's charset in all forms; what is no label falls back to the page's own.
    @Test(arguments: [
        "text/html;charset=UTF-8", "text/html; Charset=utf-8", "text/html; charset=\"utf-8\"",
        "text/html; charset='utf-8'", "text/html; x=y; charset=utf-8", "text/html; utf-8",
        "text/html; charset=\"utf-8\"\\r\\n\"", "text/html; charset=nonsense",
        "text/html; charset=",
    ])
    func `header variants`(type: String) {
        #expect(
            Reading("<meta charset=utf-8><title>é—</title><p>", type: type).title
                == Array("é—".utf8))
    }

    /// B17: a meta after the title counts too.
    @Test func `meta after the title`() {
        let page = "<head><title>é—</title><meta charset=utf-8></head><body>"
        for chunk in [1, 7, Int.max] {
            #expect(Reading(page, type: "text/html", chunk: chunk).title == Array("é—".utf8))
        }
    }

    /// B07, B18: without any label a page is read as browsers read it, and never guessed from its
    /// text: so the same bytes always give the same title.
    @Test func `no label at all`() {
        let reading = Reading("<title>é</title><p>日本語", type: "text/html")
        #expect(reading.title == Array("Ã©".utf8))
        #expect(reading.encodingName == "windows-1252" && reading.encodingSource == .default)
    }
}
