/// Formatting elements, which blocks may cut in two.
extension TreeRules {
    /// How often the standard has the steps below taken for one end tag.
    private static let mostRounds = 8
    /// How many formatting elements above a block stay open.
    private static let mostBetween = 3

    /// Inserts a formatting element.
    mutating func insertFormatting(_ tag: borrowing Tag) {
        insert(tag, formattingNumber: open.formatting.add(tag))
    }

    /// Opens formatting elements again that the end of a block has closed.
    mutating func reopenFormatting() {
        guard open.formatting.isLastClosed else { return }
        var index = open.formatting.firstClosed()
        while index < open.formatting.entries.count {
            let entry = open.formatting.entries[index]
            let name = ElementName(entry.tag.rawValue)
            var element = OpenElement(name: name, tag: entry.tag, namespace: .html)
            element.isFostered = isFosterPlace
            element.formattingNumber = entry.number
            open.push(element)
            open.formatting.setOpen(true, number: entry.number)
            index += 1
        }
    }

    /// Opens them again for text, which in a table is put before it.
    mutating func reopenFormattingForText() {
        guard mode != .inFrameset, !isTextForeign else { return }
        fosters = mode == .inTable || mode == .inTableBody || mode == .inRow
        reopenFormatting()
        fosters = false
    }

    /// Whether text belongs to SVG or MathML.
    private var isTextForeign: Bool {
        guard let current = open.last, current.namespace != .html else { return false }
        return !current.isHTMLPoint && !current.isMathMLTextPoint
    }

    /// Ends an open link that no cell, caption or object hides.
    mutating func endLink(_ name: ElementName) {
        guard let listed = open.formatting.last(.a) else { return }
        let number = open.formatting.entries[listed].number
        endFormatting(name, .a)
        if let index = open.formatting.index(of: number) { open.formatting.remove(at: index) }
        if let index = open.index(ofFormatting: number) { open.remove(at: index) }
    }

    /// The standard's "adoption agency algorithm".
    mutating func endFormatting(_ name: ElementName, _ tag: TagName) {
        if let top = open.last, top.isHTML(tag), open.popAndForget(top.formattingNumber) { return }
        for _ in 0..<Self.mostRounds {
            guard let listed = open.formatting.last(tag) else { return endOther(name) }
            let number = open.formatting.entries[listed].number
            guard let index = open.index(ofFormatting: number) else {
                return open.formatting.remove(at: listed)
            }
            guard !(index..<open.count).contains(where: { open[$0].boundsScope }) else { return }
            guard let block = (index..<open.count).first(where: { open[$0].isSpecial }) else {
                open.pop(downTo: index)
                return open.formatting.remove(at: listed)
            }
            split(at: index, around: block, listed: listed)
        }
    }

    /// Ends the formatting element at `index` before the block in it, and opens it again inside.
    private mutating func split(at index: Int, around block: Int, listed: Int) {
        let element = open[index]
        var block = block
        var above = block - 1
        var between = 0
        var bookmark: UInt32?
        while above > index {
            between += 1
            let number = open[above].formattingNumber
            if let kept = open.formatting.index(of: number) {
                if between > Self.mostBetween {
                    open.formatting.remove(at: kept)
                } else if bookmark == nil {
                    bookmark = number
                }
            }
            if open.formatting.index(of: number) == nil {
                open.remove(at: above)
                block -= 1
            }
            above -= 1
        }
        // The block goes where the element stands: before a table, if that is in one.
        open.setFostered(element.isFostered, at: block)
        open.remove(at: index)
        open.insert(element, at: block)
        guard let from = open.formatting.index(of: element.formattingNumber) else { return }
        let mark = bookmark.flatMap(open.formatting.index(of:))
        open.formatting.move(from: from, to: mark ?? from)
    }
}
