/// Elements whose content is text: the title, and those whose text nobody asks for.
extension HTMLTokenizer {
    mutating func readTitle(_ input: inout Input) {
        noteTitleStart(input)
        while input.at < input.end {
            let start = input.at
            var byte = input.peek
            while byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&"), byte != 0 {
                input.at += 1
                guard input.at < input.end else { break }
                byte = input.peek
            }
            if input.at > start { rules.titleText(input.bytes(from: start)) }
            guard input.at < input.end else { return }
            input.at += 1
            switch byte {
            case UInt8(ascii: "<"):
                rawReturn = .title
                state = .rawLessThan
                return
            case UInt8(ascii: "&"): return beginReference(then: .title)
            default: rules.titleText("\u{FFFD}")
            }
        }
    }

    mutating func readRawText(_ input: inout Input) {
        guard input.skip(past: UInt8(ascii: "<")) else { return }
        rawReturn = .rawText
        state = .rawLessThan
    }

    mutating func readRawLessThan(_ input: inout Input) {
        if input.peek == UInt8(ascii: "/") {
            input.at += 1
            state = .rawEndTagOpen
        } else {
            releaseRawText()
        }
    }

    mutating func readRawEndTagOpen(_ input: inout Input) {
        guard input.peek.isASCIIAlpha else { return releaseRawText() }
        held.removeAll(keepingCapacity: true)
        state = .rawEndTagName
    }

    /// Compares the name with that of the start tag; only the same name ends the text.
    mutating func readRawEndTagName(_ input: inout Input) {
        while input.at < input.end {
            let byte = input.peek
            if held.count < rawName.count {
                guard byte.lowercasedASCII == rawName[held.count] else { return releaseRawText() }
                held.append(byte)
                input.at += 1
                continue
            }
            guard byte.isASCIIWhitespace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
            else {
                return releaseRawText()
            }
            if rawReturn == .title { noteTitleEnd(input) }
            tag.begin(isEnd: true)
            tag.name = rawName
            tag.endName()
            // The tag's own states decide what follows; only its `>` ends the element.
            state = byte == UInt8(ascii: "/") ? .selfClosingStartTag : .beforeAttributeName
            if byte != UInt8(ascii: ">") { input.at += 1 }
            endsRawText = true
            return
        }
    }

    /// What seemed to be an end tag is text.
    mutating func releaseRawText() {
        if rawReturn == .title {
            rules.titleText("<")
            if state != .rawLessThan { rules.titleText("/") }
            if state == .rawEndTagName {
                held.withUnsafeBytes { rules.titleText($0) }
            }
        }
        state = rawReturn
    }
}
