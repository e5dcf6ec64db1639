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
            reopenFormatting()
            insert(tag)
            mayBecomeFrameset = false
        case .a:
            endLink(tag.name)
            reopenFormatting()
            insertFormatting(tag)
        case .b, .big, .code, .em, .font, .i, .s, .small, .strike, .strong, .tt, .u:
            reopenFormatting()
            insertFormatting(tag)
        case .nobr:
            reopenFormatting()
            if open.inScope(.nobr) {
                endFormatting(tag.name, .nobr)
                reopenFormatting()
            }
            insertFormatting(tag)
        case .applet, .marquee, .object:
            reopenFormatting()
            insert(tag)
            open.formatting.addMarker()
            mayBecomeFrameset = false
        case .table:
            endParagraph()
            insert(tag)
            mayBecomeFrameset = false
            mode = .inTable
        case .area, .br, .embed, .img, .image, .keygen, .wbr:
            reopenFormatting()
            mayBecomeFrameset = false
        case .hr:
            endParagraph()
            if open.inScope(.select) { open.endImplied() }
            mayBecomeFrameset = false
        case .input:
            if open.inScope(.select) { open.pop(through: .select) }
            reopenFormatting()
            if !tag.attributes.value(is: "hidden") { mayBecomeFrameset = false }
        case .param, .source, .track: break
        case .textarea:
            mayBecomeFrameset = false
            return .rawText
        case .xmp:
            endParagraph()
            reopenFormatting()
            mayBecomeFrameset = false
            return .rawText
        case .iframe:
            mayBecomeFrameset = false
            return .rawText
        case .noembed: return .rawText
        case .noscript:
            enterNoscript()
            reopenFormatting()
            insert(tag)
        case .select, .option, .optgroup: startSelectPart(tag)
        case .rb, .rtc:
            if open.inScope(.ruby) { open.endImplied() }
            insert(tag)
        case .rp, .rt:
            if open.inScope(.ruby) { open.endImplied(except: .rtc) }
            insert(tag)
        case .math, .svg:
            reopenFormatting()
            insertForeign(tag, tag.tag == .math ? .mathML : .svg)
        default:
            reopenFormatting()
            insert(tag)
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
        case .button, .select: endBlock(tag.tag)
        case .applet, .marquee, .object:
            guard open.inScope(tag.tag) else { return }
            open.pop(through: tag.tag)
            open.formatting.clearToMarker()
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
        case .br:
            reopenFormatting()
            mayBecomeFrameset = false
        default: endOther(tag.name)
        }
    }

    /// The standard's "any other end tag".
    mutating func endOther(_ name: ElementName) {
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
        reopenFormatting()
        insert(tag)
    }
}
