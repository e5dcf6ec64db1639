/// A manual page in the man(7) language, as it grows.
struct ManualText {
    /// Columns of the file's lines. mandoc(1) wants at most 80.
    private static let width = 76

    private(set) var text: String
    /// Whether a paragraph that comes next needs a macro to begin it.
    private var isAfterHeading = false

    /// - Parameters:
    ///   - source: The program and its version.
    ///   - manual: What the page is a part of.
    init(name: String, section: String, date: String, source: String, manual: String) {
        text = """
            .\\" Made by "make man" from \(name).\(section).md and the program's tables: edit those.
            .TH \(name.uppercased()) \(section) \(date) "\(source)" "\(manual)"

            """
        // Words are not broken: they are to be found and copied. The macros of groff set hyphenation
        // anew at each paragraph, by that register.
        text += ".nh\n.nr HY 0\n.ad l\n"
    }

    // MARK: Blocks

    mutating func add(_ block: Markdown.Block) {
        switch block {
        case .heading(let level, let title): heading(title, level: level)
        case .paragraph(let text): paragraph(text)
        case .items(let items): for item in items { self.item(item) }
        case .itemParagraph(let text):
            self.text += ".IP \"\" 2\n"
            fill(text)
        case .code(let lines): code(lines)
        case .table(let head, let rows): for row in rows { self.row(row, head) }
        }
    }

    mutating func heading(_ title: String, level: Int) {
        text += (level < 3 ? ".SH " : ".SS ") + Self.line(title) + "\n"
        isAfterHeading = true
    }

    mutating func paragraph(_ markdown: String) {
        if !isAfterHeading { text += ".PP\n" }
        isAfterHeading = false
        fill(markdown)
    }

    private mutating func item(_ markdown: String) {
        text += ".IP \\(bu 2\n"
        isAfterHeading = false
        fill(markdown)
    }

    /// A word and what is to be told of it.
    ///
    /// - Parameter tag: In Markdown.
    mutating func entry(_ tag: String, _ markdown: String) {
        text += ".TP\n" + Self.guarded(Self.line(tag)) + "\n"
        isAfterHeading = false
        fill(markdown)
    }

    mutating func code(_ lines: [String]) {
        text += isAfterHeading ? "" : ".PP\n"
        isAfterHeading = false
        text += ".RS 4\n.EX\n"
        for line in lines { text += Self.guarded(Self.escaped(line, isCode: true)) + "\n" }
        text += ".EE\n.RE\n"
    }

    /// A row of a table: tagged by its first cell, the others in sentences.
    private mutating func row(_ row: [String], _ head: [String]) {
        let cells = Dictionary(zip(head.map { $0.filter { $0 != "`" } }, row)) { first, _ in first }
        let tag = row.first ?? ""
        if let type = cells["type and range"], let meaning = cells["meaning"] {
            let value = cells["default"].map { $0 == "none" ? "no default" : "default \($0)" } ?? ""
            let example = cells["example"].map { " Example: \($0)" } ?? ""
            entry("\(tag) (\(type); \(value))", meaning + example)
        } else if let type = cells["type"], let meaning = cells["meaning"] {
            entry("\(tag) (\(type))", meaning)
        } else if head.first != "code", let code = cells["code"], let meaning = cells["meaning"] {
            entry("\(tag): \(code)", meaning)
        } else if let keys = cells["keys"] ?? cells["further keys"], let meaning = cells["meaning"]
        {
            entry(tag, meaning + (keys.isEmpty ? "" : ". Keys: \(keys)"))
        } else {
            // What it means stands last.
            let middle = zip(head, row).dropFirst().dropLast().map { "\($0): \($1)" }
            let rest = middle.isEmpty ? "" : " (\(middle.joined(separator: ", ")))"
            entry(tag, (row.dropFirst().last ?? "") + rest)
        }
    }

    // MARK: Lines

    /// Running text, wrapped.
    private mutating func fill(_ markdown: String) {
        var line = ""
        for word in Self.line(markdown).split(separator: " ") {
            if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > Self.width {
                // Within a line one blank is behind a sentence, so let there be one at its end, too.
                let isSentence = line.last.map { ".?!:)".contains($0) } ?? false
                text += Self.guarded(line) + (isSentence ? "\\&" : "") + "\n"
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { text += Self.guarded(line) + "\n" }
    }

    /// A dot or an apostrophe at a line's beginning would make it a request.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    /// Text in Markdown as one line of man(7).
    static func line(_ markdown: String) -> String {
        var line = ""
        var rest = Substring(markdown)
        while !rest.isEmpty {
            if let code = span("`", &rest) {
                line += page(of: code) ?? "\\fB" + escaped(code, isCode: true) + "\\fR"
            } else if let strong = span("**", &rest) {
                line += "\\fB" + escaped(strong) + "\\fR"
            } else if let word = span("*", &rest) {
                line += "\\fI" + escaped(word) + "\\fR"
            } else if let link = link(&rest) {
                line += link
            } else {
                let end = rest.dropFirst().firstIndex { "`*[".contains($0) } ?? rest.endIndex
                let before = markdown[..<rest.startIndex].last
                line += escaped(String(rest[..<end]), after: before)
                rest = rest[end...]
            }
        }
        return line
    }

    /// Takes what stands between two marks, if the text begins with one.
    private static func span(_ mark: String, _ rest: inout Substring) -> String? {
        guard rest.hasPrefix(mark) else { return nil }
        let inside = rest.dropFirst(mark.count)
        guard let end = inside.firstRange(of: mark), inside.first != " ",
            end.lowerBound > inside.startIndex
        else { return nil }
        rest = inside[end.upperBound...]
        return String(inside[..<end.lowerBound])
    }

    /// Takes a link: of a document the name, of other links the words.
    private static func link(_ rest: inout Substring) -> String? {
        guard rest.first == "[", let middle = rest.firstRange(of: "]("),
            let end = rest[middle.upperBound...].firstIndex(of: ")")
        else { return nil }
        let words = String(rest[rest.index(after: rest.startIndex)..<middle.lowerBound])
        rest = rest[rest.index(after: end)...]
        guard words.hasSuffix(".md") else { return Self.line(words) }
        let document = "docs/" + words
        return page(of: document) ?? escaped(document, isCode: true)
    }

    /// The page of the manual that a document has become.
    private static func page(of document: String) -> String? {
        switch document {
        case "docs/CONFIGURATION.md": "\\fBpagewatch.yaml\\fR(5)"
        case "docs/EVENTS.md": "\\fBpagewatch\\-events\\fR(7)"
        case "docs/SERVICE.md": "\\fBpagewatch.service\\fR(8)"
        default: nil
        }
    }

    /// Text in which nothing is markup.
    ///
    /// - Parameters:
    ///   - isCode: Whether it is to be copied: every sign is then the ASCII one.
    ///   - before: What stands before it in the line.
    static func escaped(_ text: String, isCode: Bool = false, after before: Character? = nil)
        -> String
    {
        var escaped = ""
        var last = before ?? " "
        for character in text {
            switch character {
            case "\\": escaped += "\\(rs"
            case "-": escaped += isCode || " (-\"[".contains(last) ? "\\-" : "-"
            case "'": escaped += isCode ? "\\(aq" : "'"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            default: escaped.append(character)
            }
            last = character
        }
        return escaped
    }
}
