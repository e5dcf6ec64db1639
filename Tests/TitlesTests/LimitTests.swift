import Glibc
import Testing
import Titles

/// Bodies that never end must not take memory that never ends; each is read in a process of its own.
@Suite struct `An endless page` {
    struct Body: Codable, Sendable, CustomTestStringConvertible {
        var start: String
        var unit: String
        var type = "text/html; charset=utf-8"

        var testDescription: String { start + unit }
    }

    private static let xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'>"
    static let bodies = [
        Body(start: "<title>", unit: "abc def "), Body(start: "<title>", unit: "&amp;&#65;&x"),
        Body(start: "", unit: " "), Body(start: "", unit: "<"), Body(start: "", unit: "<div>"),
        Body(start: "", unit: "<p><b a>"), Body(start: "", unit: "<object><i>"),
        Body(start: "", unit: "<svg><g>"), Body(start: "", unit: "<table><tr><td>"),
        Body(start: "", unit: "<template>"), Body(start: "<a b='", unit: "c"),
        Body(start: "<meta http-equiv=refresh content='", unit: "0"), Body(start: "<", unit: "a"),
        Body(start: "<!--", unit: "a"), Body(start: "<script>", unit: "<!--<script "),
        Body(start: "<p>", unit: "&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        Body(start: "", unit: "<meta>", type: "text/html"),
        Body(start: "", unit: " ", type: ""),
        Body(start: xhtml + "<title>", unit: "abc ", type: "text/xml"),
        Body(start: "", unit: "<a>", type: "text/xml"),
        Body(start: "<!DOCTYPE a [", unit: "<!ENTITY a 'x'>", type: "text/xml"),
        Body(start: "<a b='", unit: "c", type: "text/xml"),
    ]

    @Test(arguments: bodies)
    func `is read in bounded memory`(body: Body) async {
        await #expect(processExitsWith: .success) { [body = body as Body] in
            // What is kept of a tag is larger than the tag: fewer of them show a leak as well.
            let total = body.unit.hasPrefix("<") ? 3 << 20 : 12 << 20
            let mostGrowth = 8 << 10  // KiB
            var piece = Array(body.unit.utf8)
            while piece.count < 16384 { piece += Array(body.unit.utf8) }
            let before = peakMemory()
            let reader = PageReader(contentType: body.type)
            Array(body.start.utf8).withUnsafeBytes { reader.read($0) }
            for _ in 0..<(total / piece.count) where !reader.isSettled {
                piece.withUnsafeBytes { reader.read($0) }
            }
            reader.finish()
            exit(peakMemory() - before < mostGrowth ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    /// What libxml2 compares or searches anew for each element: found while fuzzing.
    static let dear: [(start: String, unit: String)] = [
        (
            "<!DOCTYPE a [<!ATTLIST a \(attributes(5000) { "\($0) CDATA ''" })>]><a>",
            String(repeating: "<a/>", count: 1000)
        ),
        ("<a>", "<a \(attributes(40_000) { "\($0)=''" })/>"),
        ("<a>", "<a \(attributes(500) { "xmlns:\($0)='u'" })>"),
        (
            "<!DOCTYPE a [<!ENTITY b '\(String(repeating: "<a/>", count: 200))'>]><a>",
            String(repeating: "&b;", count: 500)
        ),
    ]

    /// Each reference is as long as what it stands for.
    @Test(arguments: ["<p>&a;</p>", "<p a=\"&a;\"/>", "&a;"])
    func `of what entities of XML come to is one`(reference: String) {
        let head =
            "<!DOCTYPE html [<!ENTITY a \"" + String(repeating: "y ", count: 10_000) + "\">]>"
        let page =
            head + "<html xmlns=\"http://www.w3.org/1999/xhtml\">"
            + String(repeating: reference, count: 10_000) + "<title>t</title></html>"
        let reading = Reading(page, type: "application/xhtml+xml", chunk: 16)
        #expect(reading.title == nil)
        #expect(reading.bytesUntilSettled < head.utf8.count + 10_000)
    }

    /// Found by the fuzzer: libxml2 copies such a comment for each error in it.
    @Test(arguments: ["<a>", "<!DOCTYPE a ["])
    func `in a comment of XML that has errors is one, soon`(start: String) {
        let page = start + "<!--" + String(repeating: "a--", count: 10_000) + "><title>"
        #expect(Reading(page, type: "text/xml", chunk: 16).bytesUntilSettled < 100)
    }

    private static func attributes(_ count: Int, _ each: (String) -> String) -> String {
        (0..<count).map { each("a\($0)") }.joined(separator: " ")
    }

    @Test(arguments: dear.indices)
    func `that would be dear to read is an error, soon`(index: Int) {
        let (start, unit) = Self.dear[index]
        let page = start + String(repeating: unit, count: 20)
        let reading = Reading(page, type: "text/xml", chunk: 1024)
        #expect(reading.bytesUntilSettled < start.utf8.count + 5 * unit.utf8.count)
    }

    @Test func `in a title of XML takes the title with it`() {
        let page =
            Self.xhtml + "<title>a" + "<!--" + String(repeating: "b", count: 2 << 20)
            + "--></title><body/></html>"
        for chunk in [4096, Int.max] {
            let reading = Reading(page, type: "text/xml", chunk: chunk)
            #expect(reading.title == nil)
            #expect(reading.bytesUntilSettled < 2 << 20 || chunk == .max)
        }
    }

    @Test func `of XML may have many attributes, namespaces and defaults`() {
        let page = """
            <!DOCTYPE html [<!ATTLIST p \(Self.attributes(60) { "\($0) CDATA ''" })>]>
            <html xmlns='http://www.w3.org/1999/xhtml' \(Self.attributes(900) { "xmlns:\($0)='u'" })
            ><p \(Self.attributes(4000) { "\($0)=''" })/><title>a</title><body/></html>
            """
        #expect(Reading(page, type: "text/xml", chunk: 1024).titleString == "a")
    }

    /// Found by the fuzzer: libxml2 looks through such a type again with each tag behind it.
    @Test func `behind a document type that seems unfinished is an error, soon`() {
        let page =
            "<!DOCTYPE html [<?it isn't?>]>" + Self.xhtml + "<title>a</title>"
            + String(repeating: "<a/>", count: 1000)
        let reading = Reading(page, type: "text/xml", chunk: 16)
        #expect(reading.title == nil)
        #expect(reading.bytesUntilSettled < 100)
    }

    @Test func `of entities in entities is an error, soon`() {
        var type = "<!DOCTYPE html [<!ENTITY l0 \"lol\">"
        for level in 1...12 {
            type +=
                "<!ENTITY l\(level) \""
                + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        let page = type + "]>" + Self.xhtml + "<head><title>&l12;</title></head></html>"
        #expect(Reading(page, type: "text/xml").title == nil)
    }
}

/// The most memory that this process had in use, in KiB.
private func peakMemory() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
}
