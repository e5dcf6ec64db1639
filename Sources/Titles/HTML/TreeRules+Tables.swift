/// The modes of tables.
extension TreeRules {
    mutating func startInTable(_ tag: borrowing Tag) -> Content {
        switch tag.tag {
        case .caption:
            clearToTable()
            open.formatting.addMarker()
            insert(tag)
            mode = .inCaption
            return .markup
        case .colgroup:
            clearToTable()
            insert(tag)
            mode = .inColumnGroup
            return .markup
        case .col:
            clearToTable()
            insert(implied: .colgroup)
            mode = .inColumnGroup
            return .markup
        case .tbody, .tfoot, .thead:
            clearToTable()
            insert(tag)
            mode = .inTableBody
            return .markup
        case .td, .th, .tr:
            clearToTable()
            insert(implied: .tbody)
            mode = .inTableBody
            return startInTableBody(tag)
        case .table:
            guard open.inTableScope(.table) else { return .markup }
            open.pop(through: .table)
            resetMode()
            return startHTML(tag)
        case .style, .script, .template: return startMetadata(tag) ?? .markup
        case .input where tag.attributes.value(is: "hidden"): return .markup
        case .form:
            if open.templates == 0 { hasOpenForm = true }
            return .markup
        default:
            fosters = true
            defer { fosters = false }
            return startInBody(tag)
        }
    }

    mutating func endInTable(_ tag: borrowing Tag) {
        switch tag.tag {
        case .table:
            guard open.inTableScope(.table) else { return }
            open.pop(through: .table)
            resetMode()
        case .body, .caption, .col, .colgroup, .html, .tbody, .td, .tfoot, .th, .thead, .tr: break
        default: endInBody(tag)
        }
    }

    mutating func startInCaption(_ tag: borrowing Tag) -> Content {
        switch tag.tag {
        case .caption, .col, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr:
            guard endCaption() else { return .markup }
            return startInTable(tag)
        default: return startInBody(tag)
        }
    }

    mutating func endInCaption(_ tag: borrowing Tag) {
        switch tag.tag {
        case .caption: _ = endCaption()
        case .table: if endCaption() { endInTable(tag) }
        case .body, .col, .colgroup, .html, .tbody, .td, .tfoot, .th, .thead, .tr: break
        default: endInBody(tag)
        }
    }

    private mutating func endCaption() -> Bool {
        guard open.inTableScope(.caption) else { return false }
        open.pop(through: .caption)
        open.formatting.clearToMarker()
        mode = .inTable
        return true
    }

    mutating func startInColumnGroup(_ tag: borrowing Tag) -> Content {
        switch tag.tag {
        case .html, .col: return .markup
        case .template: return startMetadata(tag) ?? .markup
        default:
            guard leaveColumnGroup() else { return .markup }
            return startInTable(tag)
        }
    }

    mutating func endInColumnGroup(_ tag: borrowing Tag) {
        switch tag.tag {
        case .colgroup: leaveColumnGroup()
        case .col: break
        case .template: endTemplate()
        default: if leaveColumnGroup() { endInTable(tag) }
        }
    }

    @discardableResult
    mutating func leaveColumnGroup() -> Bool {
        guard let top = open.last, top.isHTML(.colgroup) else { return false }
        open.pop()
        mode = .inTable
        return true
    }

    mutating func startInTableBody(_ tag: borrowing Tag) -> Content {
        switch tag.tag {
        case .tr:
            clearToTableBody()
            insert(tag)
            mode = .inRow
            return .markup
        case .td, .th:
            clearToTableBody()
            insert(implied: .tr)
            mode = .inRow
            return startInRow(tag)
        case .caption, .col, .colgroup, .tbody, .tfoot, .thead:
            guard leaveTableBody() else { return .markup }
            return startInTable(tag)
        default: return startInTable(tag)
        }
    }

    mutating func endInTableBody(_ tag: borrowing Tag) {
        switch tag.tag {
        case .tbody, .tfoot, .thead:
            guard open.inTableScope(tag.tag) else { return }
            clearToTableBody()
            open.pop()
            mode = .inTable
        case .table: if leaveTableBody() { endInTable(tag) }
        case .body, .caption, .col, .colgroup, .html, .td, .th, .tr: break
        default: endInTable(tag)
        }
    }

    private mutating func leaveTableBody() -> Bool {
        guard open.inTableScope(.tbody) || open.inTableScope(.thead) || open.inTableScope(.tfoot)
        else { return false }
        clearToTableBody()
        open.pop()
        mode = .inTable
        return true
    }

    mutating func startInRow(_ tag: borrowing Tag) -> Content {
        switch tag.tag {
        case .td, .th:
            open.clear { $0 == .tr }
            insert(tag)
            open.formatting.addMarker()
            mode = .inCell
            return .markup
        case .caption, .col, .colgroup, .tbody, .tfoot, .thead, .tr:
            guard leaveRow() else { return .markup }
            return startInTableBody(tag)
        default: return startInTable(tag)
        }
    }

    mutating func endInRow(_ tag: borrowing Tag) {
        switch tag.tag {
        case .tr: _ = leaveRow()
        case .table: if leaveRow() { endInTableBody(tag) }
        case .tbody, .tfoot, .thead:
            if open.inTableScope(tag.tag), leaveRow() { endInTableBody(tag) }
        case .body, .caption, .col, .colgroup, .html, .td, .th: break
        default: endInTable(tag)
        }
    }

    private mutating func leaveRow() -> Bool {
        guard open.inTableScope(.tr) else { return false }
        open.clear { $0 == .tr }
        open.pop()
        mode = .inTableBody
        return true
    }

    mutating func startInCell(_ tag: borrowing Tag) -> Content {
        switch tag.tag {
        case .caption, .col, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr:
            guard endCell() else { return .markup }
            return startInRow(tag)
        default: return startInBody(tag)
        }
    }

    mutating func endInCell(_ tag: borrowing Tag) {
        switch tag.tag {
        case .td, .th:
            guard open.inTableScope(tag.tag) else { return }
            open.pop(through: tag.tag)
            open.formatting.clearToMarker()
            mode = .inRow
        case .table, .tbody, .tfoot, .thead, .tr:
            if open.inTableScope(tag.tag), endCell() { endInRow(tag) }
        case .body, .caption, .col, .colgroup, .html: break
        default: endInBody(tag)
        }
    }

    private mutating func endCell() -> Bool {
        if open.inTableScope(.td) {
            open.pop(through: .td)
        } else if open.inTableScope(.th) {
            open.pop(through: .th)
        } else {
            return false
        }
        open.formatting.clearToMarker()
        mode = .inRow
        return true
    }

    private mutating func clearToTable() {
        open.clear { $0 == .table }
    }

    private mutating func clearToTableBody() {
        open.clear { $0 == .tbody || $0 == .tfoot || $0 == .thead }
    }
}
