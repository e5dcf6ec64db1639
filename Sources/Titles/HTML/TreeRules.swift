/// The rules by which HTML's tags become a tree, as far as they decide which element is the title.
///
/// Input: tags and text from ``HTMLTokenizer``. No tree is built: what counts is where in tree order
/// a title would stand. The names of modes and the order of rules are those of the HTML standard's
/// "tree construction", with scripting off. Left out because no title depends on them: quirks mode and
/// most attributes.
struct TreeRules {
    /// The standard's insertion modes; those after a frameset began are one, as nothing there counts.
    enum Mode: UInt8 {
        case beforeHTML, beforeHead, inHead, inHeadNoscript, afterHead
        case inBody, inTable, inCaption, inColumnGroup, inTableBody, inRow, inCell, inTemplate
        case afterBody, inFrameset
    }

    /// How the tokenizer must read what follows a start tag.
    enum Content { case markup, title, rawText, script, plaintext }

    var mode = Mode.beforeHTML
    var open = OpenElements()
    var templateModes: [Mode] = []
    /// A `frameset` may still replace the body.
    var mayBecomeFrameset = true
    var hasBody = false
    var hasOpenForm = false
    /// In a table, what does not belong there is put before it.
    var fosters = false

    private(set) var titles = TitleSearch()
    private(set) var refresh: Refresh?
    private var baseHref: String?
    /// Between `<noscript>` and `</noscript>`, whatever the tree says: with scripting on, as in a web
    /// view, nothing in there would take effect, so a refresh and a base in there are left alone.
    private var isInNoscript = false
    private var hasReadPlaintext = false

    /// Nothing that comes can change the title, the refresh or the start of the body.
    ///
    /// A refresh in the body counts only as long as the title is sought: to read whole pages for a
    /// tag that hardly ever stands there would cost more than all the rest.
    private(set) var isSettled = false

    /// Whether a browser would show something of the page by now.
    var hasBodyBegun: Bool {
        mode.rawValue >= Mode.inBody.rawValue && (hasBody || mode == .inFrameset)
    }

    /// Whether text is of any interest: else the tokenizer may skip to the next tag.
    var caresForText: Bool {
        mode.rawValue < Mode.inBody.rawValue || mayBecomeFrameset || mode == .inColumnGroup
            || open.formatting.isLastClosed
    }

    /// Whether a tag would be read by the rules for SVG and MathML.
    var isInForeignContent: Bool {
        guard let current = open.last else { return false }
        return current.namespace != .html
    }

    // MARK: What the tokenizer tells

    mutating func start(_ tag: borrowing Tag) -> Content {
        let content = isForeign(tag) ? startForeign(tag) : startHTML(tag)
        if content == .plaintext { hasReadPlaintext = true }
        if titles.isKnown || content == .plaintext || mode == .inFrameset { settle() }
        return content
    }

    mutating func end(_ tag: borrowing Tag) {
        if tag.tag == .noscript { isInNoscript = false }
        if isInForeignContent { endForeign(tag) } else { endHTML(tag) }
        if titles.isKnown || mode == .inFrameset { settle() }
    }

    /// Takes text that is not white space.
    ///
    /// - Parameter isReplacement: It is a U+FFFD, which browsers let a frameset still replace, as it
    ///   may have been a NUL.
    mutating func text(isReplacement: Bool = false) {
        while mode.rawValue < Mode.inBody.rawValue { leaveHeadPart() }
        if mode == .inColumnGroup, !isInForeignContent { leaveColumnGroup() }
        if !isReplacement { mayBecomeFrameset = false }
        if open.formatting.isLastClosed { reopenFormattingForText() }
        if titles.isKnown { settle() }
    }

    /// Takes a piece of the text of a title.
    mutating func titleText(_ piece: UnsafeRawBufferPointer) { titles.text.append(piece) }

    /// Takes one scalar of the text of a title.
    mutating func titleText(_ scalar: Unicode.Scalar) { titles.text.append(scalar) }

    /// Takes the end of an element whose content is text.
    mutating func endOfText() {
        titles.end()
        if titles.isKnown { settle() }
    }

    mutating func finish() {
        titles.end()
        while mode.rawValue < Mode.inBody.rawValue { leaveHeadPart() }
        titles.finish()
        isSettled = true
    }

    private mutating func settle() {
        guard hasBodyBegun || hasReadPlaintext else { return }
        if mode == .inFrameset || hasReadPlaintext && !titles.isReading {
            titles.finish()
            isSettled = true
        } else if titles.isKnown, !titles.isInBody || !mayBecomeFrameset,
            !titles.canBePreceded(outermostTable: open.outermostTable)
        {
            isSettled = true
        }
    }

    // MARK: Steps that many rules share

    mutating func insert(_ tag: borrowing Tag, formattingNumber: UInt32 = 0) {
        var element = OpenElement(name: tag.name, tag: tag.tag, namespace: .html)
        element.isFostered = isFosterPlace
        element.formattingNumber = formattingNumber
        if tag.tag == .table { element.tableNumber = titles.beginTable() }
        open.push(element)
    }

    mutating func insert(implied tag: TagName) {
        open.push(OpenElement(name: ElementName(tag.rawValue), tag: tag, namespace: .html))
    }

    /// Whether what is put here lands before the table it stands in.
    var isFosterPlace: Bool {
        guard fosters, let current = open.last, current.namespace == .html else { return false }
        return current.tag.isTableStructure
    }

    mutating func startHTML(_ tag: borrowing Tag) -> Content {
        switch mode {
        case .beforeHTML, .beforeHead, .inHead, .inHeadNoscript, .afterHead: startHeadPart(tag)
        case .inBody: startInBody(tag)
        case .inTable: startInTable(tag)
        case .inCaption: startInCaption(tag)
        case .inColumnGroup: startInColumnGroup(tag)
        case .inTableBody: startInTableBody(tag)
        case .inRow: startInRow(tag)
        case .inCell: startInCell(tag)
        case .inTemplate: startInTemplate(tag)
        case .afterBody: startAfterBody(tag)
        case .inFrameset: .markup
        }
    }

    mutating func endHTML(_ tag: borrowing Tag) {
        switch mode {
        case .beforeHTML, .beforeHead, .inHead, .inHeadNoscript, .afterHead: endHeadPart(tag)
        case .inBody: endInBody(tag)
        case .inTable: endInTable(tag)
        case .inCaption: endInCaption(tag)
        case .inColumnGroup: endInColumnGroup(tag)
        case .inTableBody: endInTableBody(tag)
        case .inRow: endInRow(tag)
        case .inCell: endInCell(tag)
        case .inTemplate: if tag.tag == .template { endTemplate() }
        case .afterBody: endAfterBody(tag)
        case .inFrameset: break
        }
    }

    /// The standard's "in head" rules for the elements that are welcome everywhere.
    ///
    /// - Returns: nil if the tag is none of these.
    mutating func startMetadata(_ tag: borrowing Tag) -> Content? {
        switch tag.tag {
        case .title:
            guard open.templates == 0 else { return .rawText }
            return titles.begin(at: place, isInBody: hasBody) ? .title : .rawText
        case .meta:
            noteRefresh(tag)
            return .markup
        case .base:
            if baseHref == nil, !isInNoscript, open.templates == 0 {
                baseHref = tag.attributes.string(of: .href)
            }
            return .markup
        case .basefont, .bgsound, .link: return .markup
        case .noframes, .style: return .rawText
        case .script: return .script
        case .template:
            insert(tag)
            open.formatting.addMarker()
            mayBecomeFrameset = false
            mode = .inTemplate
            templateModes.append(.inTemplate)
            return .markup
        default: return nil
        }
    }

    mutating func endTemplate() {
        guard open.templates > 0 else { return }
        open.endThoroughlyImplied()
        open.pop(through: .template)
        open.formatting.clearToMarker()
        _ = templateModes.popLast()
        resetMode()
    }

    /// The standard's "reset the insertion mode appropriately".
    mutating func resetMode() {
        var index = open.count - 1
        while index >= 0 {
            let element = open[index]
            index -= 1
            guard element.namespace == .html else { continue }
            switch element.tag {
            case .td, .th: mode = .inCell
            case .tr: mode = .inRow
            case .tbody, .thead, .tfoot: mode = .inTableBody
            case .caption: mode = .inCaption
            case .colgroup: mode = .inColumnGroup
            case .table: mode = .inTable
            case .template: mode = templateModes.last ?? .inTemplate
            case .head: mode = .inHead
            case .body: mode = .inBody
            default: continue
            }
            return
        }
        mode = hasBody ? .inBody : .afterHead
    }

    mutating func enterNoscript() { isInNoscript = true }

    mutating func becomeFrameset() {
        titles.dropBody()
        mode = .inFrameset
    }

    // MARK: Title and refresh

    /// Where a title would stand that is inserted now.
    private var place: TitleSearch.Place {
        guard open.outermostTable != 0 else { return TitleSearch.Place() }
        var isBeforeTable = isFosterPlace
        var index = open.count - 1
        while index >= 0 {
            let element = open[index]
            if element.isHTML(.table) {
                return TitleSearch.Place(table: element.tableNumber, isBeforeTable: isBeforeTable)
            }
            isBeforeTable = isBeforeTable || element.isFostered
            index -= 1
        }
        return TitleSearch.Place()
    }

    private mutating func noteRefresh(_ tag: borrowing Tag) {
        guard refresh == nil, !isInNoscript, open.templates == 0,
            tag.attributes.present.contains(.httpEquiv), tag.attributes.value(is: "refresh"),
            let (delay, url) = PageReader.parseRefresh(tag.attributes.contentString)
        else { return }
        refresh = Refresh(delay: delay, url: url, baseHref: baseHref)
    }
}
