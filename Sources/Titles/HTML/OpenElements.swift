/// Where an element's name comes from.
enum Namespace { case html, svg, mathML }

/// What a rule must know of an element whose end was not seen yet.
struct OpenElement {
    let name: ElementName
    let tag: TagName
    let namespace: Namespace
    /// Put before the table it stood in.
    var isFostered = false
    /// `annotation-xml` whose encoding says that it holds HTML.
    var holdsHTML = false
    /// For a table: its number, counted from 1.
    var tableNumber: UInt32 = 0
    /// Links it with its entry among the formatting elements; 0 without one.
    var formattingNumber: UInt32 = 0

    /// HTML's element of that tag.
    @inline(__always)
    func isHTML(_ tag: TagName) -> Bool { self.tag == tag && namespace == .html }

    var isMathMLTextPoint: Bool {
        guard namespace == .mathML else { return false }
        switch tag {
        case .mi, .mo, .mn, .ms, .mtext: return true
        default: return false
        }
    }

    var isHTMLPoint: Bool {
        switch (namespace, tag) {
        case (.svg, .foreignObject), (.svg, .desc), (.svg, .title): true
        case (.mathML, .annotationXML): holdsHTML
        default: false
        }
    }

    var isSpecial: Bool {
        switch namespace {
        case .html: tag.isSpecial
        case .svg: isHTMLPoint
        case .mathML: isMathMLTextPoint || tag == .annotationXML
        }
    }

    var boundsScope: Bool {
        namespace == .html ? tag.boundsScope : isSpecial
    }
}

/// The standard's stack of open elements; its memory is bounded, even for a page that nests for ever.
struct OpenElements {
    /// As deep as browsers nest; deeper elements are not tracked.
    private static let ordinaryDepth = 512
    /// Tables, templates and foreign elements decide where a title is: they are tracked further.
    private static let structuralDepth = 1024

    /// The formatting elements, open and cut short.
    var formatting = FormattingElements()
    private var elements: [OpenElement] = []
    private var paragraphs = 0
    /// HTML templates that are open.
    private(set) var templates = 0
    /// The number of the outermost open table; 0 without one.
    private(set) var outermostTable: UInt32 = 0
    private var openTables = 0

    var count: Int { elements.count }
    var last: OpenElement? { elements.last }
    var hasParagraph: Bool { paragraphs > 0 }

    subscript(index: Int) -> OpenElement { elements[index] }

    mutating func push(_ element: OpenElement) {
        let isStructural =
            element.namespace != .html || element.tag.isTableStructure || element.tag.boundsScope
        guard elements.count < (isStructural ? Self.structuralDepth : Self.ordinaryDepth) else {
            return
        }
        if element.namespace == .html {
            switch element.tag {
            case .p: paragraphs += 1
            case .template: templates += 1
            case .table:
                if openTables == 0 { outermostTable = element.tableNumber }
                openTables += 1
            default: break
            }
        }
        elements.append(element)
    }

    mutating func pop() {
        if let element = elements.popLast() { forget(element) }
    }

    mutating func remove(at index: Int) {
        forget(elements.remove(at: index))
    }

    /// Pops the last if it is no formatting element by now, or the last of these, as it mostly is.
    mutating func popAndForget(_ formattingNumber: UInt32) -> Bool {
        guard
            formatting.removeLast(number: formattingNumber)
                || formatting.index(of: formattingNumber) == nil
        else { return false }
        elements.removeLast()
        return true
    }

    /// Inserts a formatting element that was removed.
    mutating func insert(_ element: OpenElement, at index: Int) {
        var element = element
        element.isFostered = false
        elements.insert(element, at: min(index, elements.count))
        formatting.setOpen(true, number: element.formattingNumber)
    }

    mutating func setFostered(_ isFostered: Bool, at index: Int) {
        elements[index].isFostered = isFostered
    }

    /// Where the formatting element of that number is.
    func index(ofFormatting number: UInt32) -> Int? {
        var index = elements.count - 1
        while index >= 0, elements[index].formattingNumber != number { index -= 1 }
        return index >= 0 ? index : nil
    }

    mutating func pop(downTo count: Int) {
        while elements.count > count { pop() }
    }

    /// Pops until an HTML element of that tag has been popped.
    mutating func pop(through tag: TagName) {
        while let element = elements.popLast() {
            forget(element)
            if element.isHTML(tag) { return }
        }
    }

    private mutating func forget(_ element: OpenElement) {
        guard element.namespace == .html else { return }
        if element.formattingNumber != 0 {
            formatting.setOpen(false, number: element.formattingNumber)
        }
        switch element.tag {
        case .p: paragraphs -= 1
        case .template: templates -= 1
        case .table:
            openTables -= 1
            if openTables == 0 { outermostTable = 0 }
        default: break
        }
    }

    /// The innermost element, from the top, that `matches`, not looking past where `stops`.
    func innermost(
        where matches: (OpenElement) -> Bool, unless stops: (OpenElement) -> Bool
    ) -> Int? {
        var index = elements.count - 1
        while index >= 0 {
            if matches(elements[index]) { return index }
            if stops(elements[index]) { return nil }
            index -= 1
        }
        return nil
    }

    func inScope(_ tag: TagName) -> Bool {
        innermost(where: { $0.isHTML(tag) }, unless: \.boundsScope) != nil
    }

    func inButtonScope(_ tag: TagName) -> Bool {
        innermost(where: { $0.isHTML(tag) }, unless: { $0.boundsScope || $0.isHTML(.button) })
            != nil
    }

    func inListItemScope(_ tag: TagName) -> Bool {
        innermost(
            where: { $0.isHTML(tag) },
            unless: { $0.boundsScope || $0.isHTML(.ol) || $0.isHTML(.ul) }) != nil
    }

    func inTableScope(_ tag: TagName) -> Bool {
        innermost(
            where: { $0.isHTML(tag) },
            unless: { $0.isHTML(.html) || $0.isHTML(.table) || $0.isHTML(.template) }) != nil
    }

    /// Pops elements whose end is implied here, but none of `kept`.
    mutating func endImplied(except kept: TagName? = nil) {
        while let top = last, top.namespace == .html, top.tag.hasImpliedEnd, top.tag != kept {
            pop()
        }
    }

    mutating func endThoroughlyImplied() {
        while let top = last, top.namespace == .html, top.tag.hasThoroughlyImpliedEnd { pop() }
    }

    /// Pops down to one of the tags given, a template or the root.
    mutating func clear(to isContext: (TagName) -> Bool) {
        while let top = last {
            if top.namespace == .html,
                isContext(top.tag) || top.tag == .template || top.tag == .html
            {
                return
            }
            pop()
        }
    }
}
