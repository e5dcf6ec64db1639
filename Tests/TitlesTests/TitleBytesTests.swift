import Testing
import Titles

@Suite struct `The bytes of a title` {
    static let pages: [(page: String, bytes: String?)] = [
        ("<title>a &amp; b</title><p>", "a &amp; b"),
        ("<TITLE lang='>'> a\n</tItLe ><p>", " a\n"),
        ("<script>'<title>no</title>'</script><title>&lt;</title><p>", "&lt;"),
        ("<title>a</title><svg><title>b</title></svg>", "a"),
        ("<table><tr><td><title>a</title></td></tr><title>b</title></table>", "b"),
        ("<title>a</titles></title><p>", "a</titles>"),
        ("<title></title><p>", ""), ("<title>a", nil), ("<p>", nil),
    ]

    /// Found by the fuzzer: they depended on where the network had cut the page.
    @Test(arguments: pages)
    func `stand between its tags, however the page is cut`(page: String, bytes: String?) {
        for chunk in [1, 2, 7, 64, Int.max] {
            let reading = Reading(
                Array(page.utf8), type: "text/html", chunk: chunk,
                options: .init(keepsTitleBytes: true))
            #expect(reading.titleBytes == bytes.map { Array($0.utf8) }, "\(chunk) at a time")
        }
    }

    @Test(arguments: [1, 2, 7, 64, Int.max])
    func `are those before decoding`(chunk: Int) {
        let text: [UInt8] = [0x93, 0xFA, 0x96, 0x7B, 0x81]
        let body =
            Array("<p>\u{FF}<meta charset=shift_jis><title>".utf8) + text
            + Array("</title><p>".utf8)
        let reading = Reading(
            body, type: "text/html", chunk: chunk, options: .init(keepsTitleBytes: true))
        #expect(reading.titleString == "日本\u{FFFD}")
        #expect(reading.titleBytes == text)
    }

    @Test(arguments: [1, 2, 7, 64, Int.max])
    func `are found in UTF-16`(chunk: Int) {
        func utf16(_ text: String) -> [UInt8] {
            text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        }
        let title = utf16("a<\u{20AC}")
        let body = utf16("\u{FEFF}<title>") + title + utf16("</title><p>") + Array("</title>".utf8)
        let reading = Reading(
            body, type: "text/html", chunk: chunk, options: .init(keepsTitleBytes: true))
        #expect(reading.titleString == "a<\u{20AC}")
        #expect(reading.titleBytes == title)
    }

    @Test func `are none if there are more than 64 KiB`() {
        for (count, isKept) in [(1 << 16, true), ((1 << 16) + 1, false)] {
            let page = "<title>" + String(repeating: "a", count: count) + "</title><p>"
            for chunk in [1000, 2048, Int.max] {
                let reading = Reading(
                    Array(page.utf8), type: "text/html", chunk: chunk,
                    options: .init(keepsTitleBytes: true))
                #expect((reading.titleBytes != nil) == isKept, "\(count) bytes, \(chunk)")
            }
        }
    }
}
