import Testing
import Titles

/// SVG and MathML in HTML: which tags end them, and where their content is HTML again.
@Suite struct `Foreign content` {
    static let breakingOut = [
        "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em",
        "embed", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing",
        "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small", "span", "strong", "strike",
        "sub", "sup", "table", "tt", "u", "ul", "var", "font color", "font face=a", "font x size",
        "/p", "/br",
    ]
    static let stayingIn = [
        "a", "font", "font x=color", "section", "td", "select", "option", "object", "button",
        "form", "input", "q", "svg", "math", "image", "script/", "style/", "template/", "/div",
        "/b", "/span", "g p", "title/", "mglyph",
    ]

    @Test(arguments: breakingOut)
    func `is ended by`(tag: String) {
        #expect(Reading("<svg><g><\(tag)><title>x</title>").titleString == "x")
        #expect(Reading("<math><mrow><\(tag)><title>x</title>", chunk: 1).titleString == "x")
    }

    @Test(arguments: stayingIn)
    func `is not ended by`(tag: String) {
        #expect(Reading("<svg><g><\(tag)><title>x</title>").title == nil)
        #expect(Reading("<math><mrow><\(tag)><title>x</title>", chunk: 1).title == nil)
    }

    @Test(arguments: [
        "svg><foreignObject", "svg><desc", "svg><title", "math><mi", "math><mo", "math><mn",
        "math><ms", "math><mtext", "math><annotation-xml encoding=text/html",
        "math><annotation-xml encoding='application/XHTML+xml'", "math><annotation-xml><svg><desc",
    ])
    func `holds HTML in`(point: String) {
        #expect(Reading("<\(point)><title>x</title>").titleString == "x")
        #expect(Reading("<\(point)/><title>x</title>", chunk: 1).title == nil)
    }
}
