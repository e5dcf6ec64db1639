/// The Markdown that the project's documents are written in, as blocks.
struct Markdown {
    enum Block: Equatable {
        case heading(level: Int, String)
        case paragraph(String)
        case items([String])
        /// A paragraph that belongs to the item before it.
        case itemParagraph(String)
        /// Lines that are shown as they are.
        case code([String])
        case table(head: [String], rows: [[String]])
    }

    private(set) var blocks: [Block] = []
    private var lines: ArraySlice<Substring>

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.first { takeBlock(beginning: line) }
    }

    /// The blocks under a heading, those of its subheadings too, without the heading.
    func section(_ title: String) -> [Block]? {
        for (index, block) in blocks.enumerated() {
            guard case .heading(let level, title) = block else { continue }
            return Array(
                blocks[(index + 1)...].prefix { block in
                    if case .heading(let other, _) = block { other > level } else { true }
                })
        }
        return nil
    }

    /// What stands between the document's title and its first section.
    var opening: [Block] {
        Array(
            blocks.drop { if case .heading = $0 { true } else { false } }
                .prefix { if case .heading = $0 { false } else { true } })
    }

    private mutating func takeBlock(beginning line: Substring) {
        if line.allSatisfy({ $0 == " " }) {
            lines.removeFirst()
        } else if line.hasPrefix("```") {
            lines.removeFirst()
            blocks.append(.code(take { !$0.hasPrefix("```") }))
            lines = lines.dropFirst()
        } else if line.hasPrefix("    ") {
            blocks.append(.code(take { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }))
        } else if line.hasPrefix("#") {
            lines.removeFirst()
            let level = line.prefix { $0 == "#" }.count
            blocks.append(.heading(level: level, String(line.dropFirst(level + 1))))
        } else if line.hasPrefix("| ") {
            let rows = take { $0.hasPrefix("| ") }.map(cells)
            blocks.append(.table(head: rows.first ?? [], rows: Array(rows.dropFirst(2))))
        } else if line.hasPrefix("- ") {
            takeItems()
        } else if line.hasPrefix("  "), isInItems {
            blocks.append(.itemParagraph(takeText()))
        } else {
            blocks.append(.paragraph(takeText()))
        }
    }

    private var isInItems: Bool {
        switch blocks.last {
        case .items, .itemParagraph: true
        default: false
        }
    }

    private mutating func take(_ belongs: (Substring) -> Bool) -> [String] {
        let taken = lines.prefix(while: belongs)
        lines = lines.dropFirst(taken.count)
        return taken.map(String.init)
    }

    /// Lines of running text.
    private mutating func takeText() -> String {
        var text = ""
        while let line = lines.first, !line.isEmpty,
            text.isEmpty || !(line.hasPrefix("- ") || line.hasPrefix("```") || line.hasPrefix("| "))
        {
            lines.removeFirst()
            text += (text.isEmpty ? "" : " ") + line.drop { $0 == " " }
        }
        return text
    }

    private mutating func takeItems() {
        var items: [String] = []
        while let line = lines.first, line.hasPrefix("- ") {
            lines.removeFirst()
            var item = String(line.dropFirst(2))
            for line in take({ $0.hasPrefix("  ") }) { item += " " + line.drop { $0 == " " } }
            items.append(item)
        }
        blocks.append(.items(items))
    }

    private func cells(_ line: String) -> [String] {
        var cells = line.split(separator: "|", omittingEmptySubsequences: false)
            .dropFirst().dropLast().map(String.init)
        for index in cells.indices { cells[index] = trimmed(cells[index]) }
        return cells
    }
}

/// Without blanks around it.
func trimmed(_ text: some StringProtocol) -> String {
    var rest = Substring(text).drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
}
