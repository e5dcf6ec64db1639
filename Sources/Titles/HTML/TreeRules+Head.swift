/// What comes before the body: the modes up to "after head".
extension TreeRules {
    mutating func startHeadPart(_ tag: borrowing Tag) -> Content {
        // Each turn reads the tag by the rules of one mode; leaving a mode reads it anew.
        while true {
            switch mode {
            case .beforeHTML:
                insert(implied: .html)
                mode = .beforeHead
                if tag.tag == .html { return .markup }
            case .beforeHead:
                if tag.tag == .html { return .markup }
                insert(implied: .head)
                mode = .inHead
                if tag.tag == .head { return .markup }
            case .inHead:
                if let content = startMetadata(tag) { return content }
                switch tag.tag {
                case .html, .head: return .markup
                case .noscript:
                    insert(tag)
                    enterNoscript()
                    mode = .inHeadNoscript
                    return .markup
                default: leaveHeadPart()
                }
            case .inHeadNoscript:
                switch tag.tag {
                case .basefont, .bgsound, .link, .meta, .noframes, .style:
                    return startMetadata(tag) ?? .markup
                case .html, .head, .noscript: return .markup
                default: leaveHeadPart()
                }
            case .afterHead:
                switch tag.tag {
                case .html, .head: return .markup
                case .body:
                    beginBody()
                    mayBecomeFrameset = false
                    return .markup
                case .frameset:
                    becomeFrameset()
                    return .markup
                default:
                    // The head is opened again for these; as it is closed at once, that it is on
                    // the stack of open elements for a moment changes nothing.
                    if let content = startMetadata(tag) { return content }
                    leaveHeadPart()
                }
            default: return startHTML(tag)
            }
        }
    }

    mutating func endHeadPart(_ tag: borrowing Tag) {
        while true {
            switch mode {
            case .beforeHTML, .beforeHead:
                switch tag.tag {
                case .head, .body, .html, .br: leaveHeadPart()
                case .template where mode == .beforeHead: return
                default: return
                }
            case .inHead:
                switch tag.tag {
                case .head:
                    open.pop()
                    mode = .afterHead
                    return
                case .body, .html, .br: leaveHeadPart()
                case .template: return endTemplate()
                default: return
                }
            case .inHeadNoscript:
                switch tag.tag {
                case .noscript:
                    open.pop()
                    mode = .inHead
                    return
                case .br: leaveHeadPart()
                default: return
                }
            case .afterHead:
                switch tag.tag {
                case .body, .html, .br: leaveHeadPart()
                case .template: return endTemplate()
                default: return
                }
            default: return endHTML(tag)
            }
        }
    }

    /// The "anything else" of the modes before the body: goes one mode on.
    mutating func leaveHeadPart() {
        switch mode {
        case .beforeHTML:
            insert(implied: .html)
            mode = .beforeHead
        case .beforeHead:
            insert(implied: .head)
            mode = .inHead
        case .inHead:
            open.pop()
            mode = .afterHead
        case .inHeadNoscript:
            open.pop()
            mode = .inHead
        default:
            beginBody()
            // The standard says this only of the page's beginning; browsers forget here what a
            // template in the head has said.
            mayBecomeFrameset = true
        }
    }

    private mutating func beginBody() {
        insert(implied: .body)
        hasBody = true
        mode = .inBody
    }

    mutating func startInTemplate(_ tag: borrowing Tag) -> Content {
        let next: Mode
        switch tag.tag {
        // Only these leave open what kind of content it is: browsers know no others, though the
        // standard has the title, too.
        case .link, .meta, .script, .style, .template: return startMetadata(tag) ?? .markup
        case .caption, .colgroup, .tbody, .tfoot, .thead: next = .inTable
        case .col: next = .inColumnGroup
        case .tr: next = .inTableBody
        case .td, .th: next = .inRow
        default: next = .inBody
        }
        _ = templateModes.popLast()
        templateModes.append(next)
        mode = next
        return startHTML(tag)
    }

    mutating func startAfterBody(_ tag: borrowing Tag) -> Content {
        if tag.tag == .html { return .markup }
        mode = .inBody
        return startInBody(tag)
    }

    mutating func endAfterBody(_ tag: borrowing Tag) {
        if tag.tag == .html { return }
        mode = .inBody
        endInBody(tag)
    }
}
