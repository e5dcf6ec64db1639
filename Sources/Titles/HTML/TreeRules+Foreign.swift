/// SVG and MathML inside of HTML: their `title` is not the page's.
extension TreeRules {
    /// Whether the rules for foreign content, not those of the mode, read a start tag.
    func isForeign(_ tag: borrowing Tag) -> Bool {
        guard let current = open.last, current.namespace != .html else { return false }
        if current.isHTMLPoint { return false }
        if current.isMathMLTextPoint { return tag.tag == .mglyph || tag.tag == .malignmark }
        if current.namespace == .mathML, current.tag == .annotationXML { return tag.tag != .svg }
        return true
    }

    mutating func startForeign(_ tag: borrowing Tag) -> Content {
        let breaksOut =
            tag.tag == .font
            ? !tag.attributes.present.isEmpty : tag.tag.breaksOutOfForeignContent
        if breaksOut {
            breakOut()
            return startHTML(tag)
        }
        insertForeign(tag, open.last?.namespace ?? .html)
        return .markup
    }

    mutating func endForeign(_ tag: borrowing Tag) {
        if tag.tag == .br || tag.tag == .p {
            breakOut()
            return endHTML(tag)
        }
        var index = open.count - 1
        while index > 0 {
            let element = open[index]
            if element.namespace == .html { return endHTML(tag) }
            if element.name == tag.name { return open.pop(downTo: index) }
            index -= 1
        }
    }

    mutating func insertForeign(_ tag: borrowing Tag, _ namespace: Namespace) {
        guard !tag.isSelfClosing else { return }
        var element = OpenElement(name: tag.name, tag: tag.tag, namespace: namespace)
        element.isFostered = isFosterPlace
        element.holdsHTML =
            tag.tag == .annotationXML
            && (tag.attributes.value(is: "text/html")
                || tag.attributes.value(is: "application/xhtml+xml"))
        open.push(element)
    }

    private mutating func breakOut() {
        while let current = open.last, current.namespace != .html, !current.isHTMLPoint,
            !current.isMathMLTextPoint
        {
            open.pop()
        }
    }
}
