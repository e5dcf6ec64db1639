/// The inside of a tag.
extension HTMLTokenizer {
    mutating func readTagName(_ input: inout Input) {
        if tag.name.count == 0 { tag.name = input.takeShortName() }
        while input.at < input.end {
            let byte = input.next()
            switch byte {
            case UInt8(ascii: ">"):
                tag.endName()
                return endTag()
            case UInt8(ascii: "/"):
                tag.endName()
                state = .selfClosingStartTag
                return
            case 0x20, 0x0A, 0x09, 0x0D, 0x0C:
                tag.endName()
                state = .beforeAttributeName
                if input.at < input.end { readBeforeAttributeName(&input) }
                return
            case 0: for byte in UTF8.encodedReplacementCharacter { tag.name.append(byte) }
            default: tag.name.append(byte.lowercasedASCII)
            }
        }
    }

    mutating func readBeforeAttributeName(_ input: inout Input) {
        if !tag.attributes.wantsMore { skipAttributes(&input) }
        while state == .beforeAttributeName, input.at < input.end {
            let byte = input.peek
            if byte.isASCIIWhitespace {
                input.at += 1
            } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
                state = .afterAttributeName
                return
            } else {
                tag.hasAttributes = true
                attributeName = ElementName()
                if byte == UInt8(ascii: "=") {
                    attributeName.append(byte)
                    input.at += 1
                }
                state = .attributeName
                return
            }
        }
    }

    /// Goes past attributes that no rule asks for, as long as each is complete and has a value in
    /// quotes, as most are: going from state to state for them would take a third of all time. What
    /// is written otherwise is left to the states.
    private mutating func skipAttributes(_ input: inout Input) {
        while true {
            while input.at < input.end, input.peek.isASCIIWhitespace { input.at += 1 }
            guard input.at < input.end else { return }
            if input.peek == UInt8(ascii: ">") {
                input.at += 1
                return endTag()
            }
            guard let end = input.endOfQuotedAttribute() else { return }
            tag.hasAttributes = true
            input.at = end
        }
    }

    mutating func readAttributeName(_ input: inout Input) {
        let isOfInterest = tag.attributes.wantsMore
        while input.at < input.end {
            let byte = input.peek
            switch byte {
            case UInt8(ascii: "="):
                input.at += 1
                endAttributeName()
                state = .beforeAttributeValue
                return
            case 0x20, 0x0A, 0x09, 0x0D, 0x0C, UInt8(ascii: "/"), UInt8(ascii: ">"):
                endAttributeName()
                state = .afterAttributeName
                return
            case 0 where isOfInterest:
                for byte in UTF8.encodedReplacementCharacter { attributeName.append(byte) }
            default: if isOfInterest { attributeName.append(byte.lowercasedASCII) }
            }
            input.at += 1
        }
    }

    private mutating func endAttributeName() {
        tag.attributes.beginValue(of: attributeName)
    }

    mutating func readAfterAttributeName(_ input: inout Input) {
        while input.at < input.end {
            let byte = input.peek
            if byte.isASCIIWhitespace {
                input.at += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "/"):
                input.at += 1
                state = .selfClosingStartTag
            case UInt8(ascii: "="):
                input.at += 1
                state = .beforeAttributeValue
            case UInt8(ascii: ">"):
                input.at += 1
                endTag()
            default:
                tag.hasAttributes = true
                attributeName = ElementName()
                state = .attributeName
            }
            return
        }
    }

    mutating func readBeforeAttributeValue(_ input: inout Input) {
        while input.at < input.end {
            let byte = input.peek
            if byte.isASCIIWhitespace {
                input.at += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                input.at += 1
                state = .doubleQuotedValue
            case UInt8(ascii: "'"):
                input.at += 1
                state = .singleQuotedValue
            case UInt8(ascii: ">"):
                input.at += 1
                endTag()
            default: state = .unquotedValue
            }
            return
        }
    }

    mutating func readQuotedValue(_ quote: UInt8, _ input: inout Input) {
        guard tag.attributes.keepsValue else {
            if input.skip(past: quote) { state = .afterQuotedValue }
            return
        }
        while input.at < input.end {
            let start = input.at
            // What needs no look is taken whole.
            while input.at < input.end, input.peek != quote, !input.peek.needsLook { input.at += 1 }
            tag.attributes.append(input.bytes(from: start))
            guard input.at < input.end else { return }
            let byte = input.next()
            switch byte {
            case quote:
                tag.attributes.endValue()
                state = .afterQuotedValue
                return
            case UInt8(ascii: "&"): return beginReference(then: state)
            case 0: tag.attributes.append("\u{FFFD}")
            default: tag.attributes.append(byte)
            }
        }
    }

    mutating func readUnquotedValue(_ input: inout Input) {
        let keeps = tag.attributes.keepsValue
        while input.at < input.end {
            let byte = input.next()
            switch byte {
            case 0x20, 0x0A, 0x09, 0x0D, 0x0C:
                tag.attributes.endValue()
                state = .beforeAttributeName
                return
            case UInt8(ascii: ">"):
                tag.attributes.endValue()
                return endTag()
            case UInt8(ascii: "&") where keeps: return beginReference(then: state)
            case 0 where keeps: tag.attributes.append("\u{FFFD}")
            default: if keeps { tag.attributes.append(byte) }
            }
        }
    }

    mutating func readAfterQuotedValue(_ input: inout Input) {
        let byte = input.peek
        if byte.isASCIIWhitespace {
            input.at += 1
            state = .beforeAttributeName
        } else if byte == UInt8(ascii: "/") {
            input.at += 1
            state = .selfClosingStartTag
        } else if byte == UInt8(ascii: ">") {
            input.at += 1
            endTag()
        } else {
            state = .beforeAttributeName
        }
    }

    mutating func readSelfClosingStartTag(_ input: inout Input) {
        if input.peek == UInt8(ascii: ">") {
            input.at += 1
            tag.isSelfClosing = true
            endTag()
        } else {
            state = .beforeAttributeName
        }
    }
}

extension Input {
    /// Takes the start of a tag's name, up to eight bytes.
    fileprivate mutating func takeShortName() -> ElementName {
        var name = ElementName()
        while name.count < 8, at < end {
            let byte = peek
            // White space, NUL and `/` are below, `>` is the one above.
            guard byte > UInt8(ascii: "/"), byte != UInt8(ascii: ">") else { break }
            name.append(byte.lowercasedASCII)
            at += 1
        }
        return name
    }

    /// Where an attribute with a value in quotes that starts here ends; nil if there is none, or not
    /// all of it.
    fileprivate func endOfQuotedAttribute() -> Int? {
        var position = at
        while position < end {
            let byte = self[position]
            if byte == UInt8(ascii: "=") { break }
            guard byte > UInt8(ascii: "/") || byte == UInt8(ascii: "-"), byte != UInt8(ascii: ">")
            else { return nil }
            position += 1
        }
        guard position > at, position + 1 < end else { return nil }
        let quote = self[position + 1]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        return find(quote, from: position + 2).map { $0 + 1 }
    }
}

extension UInt8 {
    /// Whether this byte of an attribute's value means more than itself: a NUL, the start of a
    /// reference, or a part of a line's end.
    fileprivate var needsLook: Bool {
        self == UInt8(ascii: "&") || self == 0 || self == 0x0D || self == 0x0A
    }
}
