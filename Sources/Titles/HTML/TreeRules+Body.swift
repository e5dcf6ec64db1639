/// The mode "in body".
extension TreeRules {
    mutating func startInBody(_ tag: borrowing Tag) -> Content {
        if let content = startMetadata(tag) { return content }
        if tag.tag.isBlock {
            endParagraph()
            insert(tag)
            if tag.tag == .pre || tag.tag == .listing { mayBecomeFrameset = false }
            return .markup
        }
        switch tag.tag {
        case .html, .caption, .col, .colgroup, .frame, .head, .tbody, .td, .tfoot, .th, .thead, .tr:
            return .markup
        case .body:
            if open.count > 1, open[1].isHTML(.body), open.templates == 0 {
                mayBecomeFrameset = false
            }
            return .markup
        case .frameset:
            if open.count > 1, open[1].isHTML(.body), mayBecomeFrameset { becomeFrameset() }
            return .markup
        case .p:
            endParagraph()
            insert(tag)
        case .h1, .h2, .h3, .h4, .h5, .h6:
            endParagraph()
            if let top = open.last, top.namespace == .html, top.tag.isHeading { open.pop() }
            insert(tag)
        case .form:
            guard !hasOpenForm || open.templates > 0 else { return .markup }
            endParagraph()
            insert(tag)
            if open.templates == 0 { hasOpenForm = true }
        case .li, .dd, .dt: startListItem(tag)
        case .plaintext:
            endParagraph()
            insert(tag)
            return .plaintext
        case .button:
            if open.inScope(.button) {
                open.endImplied()
                open.pop(through: .button)
            }
            insert(tag)
            mayBecomeFrameset = false
        case .a:
            // An open link that no cell, caption or object hides is ended by the next one.
            if open.innermost(where: { $0.isHTML(.a) }, unless: \.boundsScope) != nil {
                endFormatting(tag.name, .a)
            }
            insert(tag)
        case .nobr:
            if open.inScope(.nobr) { endFormatting(tag.name, .nobr) }
            insert(tag)
        case .applet, .marquee, .object:
            insert(tag)
            mayBecomeFrameset = false
        case .table:
            endParagraph()
            insert(tag)
            mayBecomeFrameset = false
            mode = .inTable
        case .area, .br, .embed, .img, .image, .keygen, .wbr:
            mayBecomeFrameset = false
        case .hr:
            endParagraph()
            if open.inScope(.select) { open.endImplied() }
            mayBecomeFrameset = false
        case .input:
            if open.inScope(.select) { open.pop(through: .select) }
            if !tag.attributes.value(is: "hidden") { mayBecomeFrameset = false }
        case .param, .source, .track: break
        case .textarea:
            mayBecomeFrameset = false
            return .rawText
        case .xmp:
            endParagraph()
            mayBecomeFrameset = false
            return .rawText
        case .iframe:
            mayBecomeFrameset = false
            return .rawText
        case .noembed: return .rawText
        case .noscript:
            enterNoscript()
            insert(tag)
        case .select, .option, .optgroup: startSelectPart(tag)
        case .rb, .rtc:
            if open.inScope(.ruby) { open.endImplied() }
            insert(tag)
        case .rp, .rt:
            if open.inScope(.ruby) { open.endImplied(except: .rtc) }
            insert(tag)
        case .math, .svg:
            insertForeign(tag, tag.tag == .math ? .mathML : .svg)
        default: insert(tag)
        }
        return .markup
    }

    mutating func endInBody(_ tag: borrowing Tag) {
        if tag.tag.isFormatting { return endFormatting(tag.name, tag.tag) }
        if tag.tag.isBlock { return endBlock(tag.tag) }
        switch tag.tag {
        case .template: endTemplate()
        case .body, .html:
            if open.inScope(.body) { mode = .afterBody }
        case .button, .select, .applet, .marquee, .object: endBlock(tag.tag)
        case .form: endForm()
        case .p:
            guard open.hasParagraph, open.inButtonScope(.p) else { return }
            open.endImplied(except: .p)
            open.pop(through: .p)
        case .li:
            guard open.inListItemScope(.li) else { return }
            open.endImplied(except: .li)
            open.pop(through: .li)
        case .dd, .dt:
            guard open.inScope(tag.tag) else { return }
            open.endImplied(except: tag.tag)
            open.pop(through: tag.tag)
        case .h1, .h2, .h3, .h4, .h5, .h6:
            let heading = open.innermost(
                where: { $0.namespace == .html && $0.tag.isHeading }, unless: \.boundsScope)
            if let heading { open.pop(downTo: heading) }
        case .br: mayBecomeFrameset = false
        default: endOther(tag.name)
        }
    }

    /// The standard's "any other end tag".
    private mutating func endOther(_ name: ElementName) {
        let index = open.innermost(
            where: { $0.namespace == .html && $0.name == name }, unless: \.isSpecial)
        if let index { open.pop(downTo: index) }
    }

    private mutating func endBlock(_ tag: TagName) {
        guard open.inScope(tag) else { return }
        open.pop(through: tag)
    }

    private mutating func endForm() {
        if open.templates > 0 { return endBlock(.form) }
        hasOpenForm = false
        let index = open.innermost(where: { $0.isHTML(.form) }, unless: \.boundsScope)
        guard let index else { return }
        open.endImplied()
        // The form alone is closed; what is open inside of it stays open.
        open.remove(at: index)
    }

    /// The standard's "adoption agency", without the formatting elements that it makes anew.
    private mutating func endFormatting(_ name: ElementName, _ tag: TagName) {
        let index = open.innermost(where: { $0.isHTML(tag) }, unless: \.boundsScope)
        guard let index else { return }
        var above = index + 1
        while above < open.count {
            // Below a block, only the formatting element is taken out of the stack.
            if open[above].isSpecial { return open.remove(at: index) }
            above += 1
        }
        open.pop(downTo: index)
    }

    private mutating func endParagraph() {
        guard open.hasParagraph, open.inButtonScope(.p) else { return }
        open.pop(through: .p)
    }

    private mutating func startListItem(_ tag: borrowing Tag) {
        mayBecomeFrameset = false
        var index = open.count - 1
        while index >= 0 {
            let element = open[index]
            let ends =
                tag.tag == .li
                ? element.isHTML(.li) : element.isHTML(.dd) || element.isHTML(.dt)
            if ends {
                open.pop(downTo: index)
                break
            }
            let isTransparent =
                element.isHTML(.address) || element.isHTML(.div) || element.isHTML(.p)
            if element.isSpecial, !isTransparent { break }
            index -= 1
        }
        endParagraph()
        insert(tag)
    }

    private mutating func startSelectPart(_ tag: borrowing Tag) {
        switch tag.tag {
        case .select:
            if open.inScope(.select) { return open.pop(through: .select) }
            mayBecomeFrameset = false
        case .option:
            if open.inScope(.select) {
                open.endImplied(except: .optgroup)
            } else if let top = open.last, top.isHTML(.option) {
                open.pop()
            }
        default:
            if open.inScope(.select) {
                open.endImplied()
            } else if let top = open.last, top.isHTML(.option) {
                open.pop()
            }
        }
        insert(tag)
    }
}
