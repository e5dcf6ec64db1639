import Titles

/// A page of one unit, over and over: the kinds of input that make a parser slow.
struct EndlessPage {
    let name: String
    private var start = ""
    private let unit: String
    private var contentType = "text/html; charset=utf-8"

    private init(_ unit: String, after start: String = "", as contentType: String? = nil) {
        let opening = start.count < 16 ? start : "\(start.prefix(10))... "
        name = opening + unit + (contentType.map { " as \($0)" } ?? "")
        self.start = start
        self.unit = unit
        if let contentType { self.contentType = contentType }
    }

    static let all = [
        Self("<"), Self("&"), Self("a"), Self("é"), Self("\u{0}"), Self("<!--"), Self("<!-- -->"),
        Self("<!"), Self("</"), Self("</a>"), Self("</p>"), Self("<a>"), Self("<p>"), Self("<b>"),
        Self("<b></i>"), Self("<p><b a>"), Self("<p><i></b>", after: deep("<b a><p>")),
        Self("<div>"), Self("<x></y>", after: deep("<x>")), Self("<li>"),
        Self("<a b=c "), Self("a", after: "<a b="), Self("a", after: "<a b='"),
        Self(" a", after: "<a"),
        Self("<table>"), Self("<table><tr><td>"), Self("<td>"), Self("<table><title></title>"),
        Self("<tr><b></table>", after: "<table>"),
        Self("<svg>"), Self("<svg><desc>"), Self("</g>", after: deep("<svg>")),
        Self("<math><mi>"), Self("<template>"), Self("<template></template>"), Self("<select>"),
        Self("<select><option>"), Self("<button>"), Self("<form></form>"), Self("<nobr>"),
        Self("<h1>"), Self("<title>"), Self("</", after: "<title>"), Self("&a", after: "<title>"),
        Self("&#1;", after: "<title>"), Self("<", after: "<script>"),
        Self("<!--<script>", after: "<script>"), Self("]", after: "<svg><![CDATA["),
        Self("<meta content='0;url=a' http-equiv=refresh>"), Self("<", as: "text/html"),
        Self("<meta charset=x>", as: "text/html"), Self("a", as: "text/html; charset=gb18030"),
        Self("啊", as: "text/html; charset=gb18030"), Self("é", as: "text/html; charset=koi8-r"),
        Self("<a>", as: "text/xml"), Self("<a/>", after: "<a>", as: "text/xml"),
        Self("a", after: "<a>", as: "text/xml"), Self("&amp;", after: "<a>", as: "text/xml"),
    ]

    /// As many open elements as are tracked.
    private static func deep(_ tag: String) -> String {
        String(repeating: tag, count: 2000)
    }

    /// What reading `size` bytes of it costs, the end included.
    func nanosecondsPerByte(size: Int) -> Double {
        var piece = Array(unit.utf8)
        while piece.count < Rounds.chunk { piece += Array(unit.utf8) }
        let opening = Array(start.utf8)
        let time = seconds {
            let reader = PageReader(contentType: contentType)
            opening.withUnsafeBytes { reader.read($0) }
            piece.withUnsafeBytes { piece in
                var count = 0
                while count < size, !reader.isSettled {
                    reader.read(piece)
                    count += piece.count
                }
            }
            reader.finish()
        }
        return time * 1e9 / Double(size)
    }
}
