/// A small HTML tokenizer over undecoded bytes: finds tags, and the attributes of `meta`.
///
/// It works because every encoding that a `meta` tag can declare writes tags as ASCII does. It
/// follows the standard's tokenizer with scripting off, without what only errors would tell.
struct TagScanner {
    /// Longer names are none that matter; longer values are cut.
    private static let longestName = 16
    private static let longestValue = 1024

    /// Elements whose content is text, apart from `script`.
    private static let textElements = Set(
        ["title", "textarea", "style", "xmp", "iframe", "noembed", "noframes"]
            .map { Array($0.utf8) })

    /// The states of the standard's tokenizer, as far as they differ for our purpose.
    private enum State {
        case text
        case tagOpen, endTagOpen, tagName
        case beforeAttribute, attributeName, afterAttributeName
        case beforeValue, doubleQuoted, singleQuoted, unquoted, afterQuoted
        case declaration, declarationDash, bogusComment
        case commentStart, commentStartDash, comment, commentDash, commentEnd, commentBang
        case elementText, plainText
    }

    /// The last tag's name in lower case; complete once ``read(_:)`` has said so.
    private(set) var name: [UInt8] = []
    /// Whether the last tag is an end tag.
    private(set) var isEndTag = false
    /// The attributes of the last tag if it is a `meta` start tag.
    private(set) var meta = MetaAttributes()

    private var state = State.text
    private var attributeName: [UInt8] = []
    private var attributeValue: [UInt8] = []
    private var elementText = ElementTextScanner(element: [], isScript: false)

    /// Whether a tag has begun and is not complete.
    var isInsideTag: Bool {
        switch state {
        case .tagOpen, .endTagOpen, .tagName, .beforeAttribute, .attributeName,
            .afterAttributeName, .beforeValue, .doubleQuoted, .singleQuoted, .unquoted,
            .afterQuoted:
            true
        default: false
        }
    }

    /// How many of the bytes from `start` on change nothing here.
    func skippableRun(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let stop: UInt8
        switch state {
        case .text: stop = UInt8(ascii: "<")
        case .comment: stop = UInt8(ascii: "-")
        case .bogusComment: stop = UInt8(ascii: ">")
        case .elementText where elementText.isPlain: stop = UInt8(ascii: "<")
        case .plainText: return bytes.count - start
        default: return 0
        }
        var position = start
        while position < bytes.count, bytes[position] != stop { position += 1 }
        return position - start
    }

    /// Reads one byte.
    ///
    /// - Returns: Whether it completes a tag.
    mutating func read(_ byte: UInt8) -> Bool {
        switch state {
        case .text:
            if byte == UInt8(ascii: "<") { state = .tagOpen }
        case .tagOpen, .endTagOpen: readOpening(byte)
        case .tagName, .beforeAttribute, .attributeName, .afterAttributeName:
            return readName(byte)
        case .beforeValue, .doubleQuoted, .singleQuoted, .unquoted, .afterQuoted:
            return readValue(byte)
        case .elementText: return readElementText(byte)
        case .plainText: break
        default: readComment(byte)
        }
        return false
    }

    private mutating func readOpening(_ byte: UInt8) {
        let isEnd = state == .endTagOpen
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            beginTag(isEnd: isEnd)
            name.append(byte.lowercasedASCII)
            state = .tagName
        case UInt8(ascii: "/") where !isEnd: state = .endTagOpen
        case UInt8(ascii: "!") where !isEnd: state = .declaration
        case UInt8(ascii: "?") where !isEnd: state = .bogusComment
        case UInt8(ascii: "<") where !isEnd: break
        case UInt8(ascii: ">"): state = .text
        default: state = isEnd ? .bogusComment : .text
        }
    }

    private mutating func beginTag(isEnd: Bool) {
        isEndTag = isEnd
        name.removeAll(keepingCapacity: true)
        meta = MetaAttributes()
        attributeName.removeAll(keepingCapacity: true)
        attributeValue.removeAll(keepingCapacity: true)
    }

    private mutating func readName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ">"): return completeTag()
        case UInt8(ascii: "/"): state = .beforeAttribute
        case UInt8(ascii: "=") where state == .attributeName || state == .afterAttributeName:
            state = .beforeValue
        case _ where byte.isASCIIWhitespace:
            state =
                switch state {
                case .attributeName, .afterAttributeName: .afterAttributeName
                default: .beforeAttribute
                }
        case _ where state == .tagName:
            if name.count < Self.longestName { name.append(byte.lowercasedASCII) }
        default:
            if state != .attributeName { completeAttribute() }
            state = .attributeName
            if attributeName.count < Self.longestName {
                attributeName.append(byte.lowercasedASCII)
            }
        }
        return false
    }

    private mutating func readValue(_ byte: UInt8) -> Bool {
        switch (state, byte) {
        case (.doubleQuoted, UInt8(ascii: "\"")), (.singleQuoted, UInt8(ascii: "'")):
            state = .afterQuoted
        case (.doubleQuoted, _), (.singleQuoted, _): appendToValue(byte)
        case (_, UInt8(ascii: ">")): return completeTag()
        case (.beforeValue, UInt8(ascii: "\"")): state = .doubleQuoted
        case (.beforeValue, UInt8(ascii: "'")): state = .singleQuoted
        case (.beforeValue, _):
            guard !byte.isASCIIWhitespace else { break }
            state = .unquoted
            appendToValue(byte)
        case (.unquoted, _):
            if byte.isASCIIWhitespace { state = .beforeAttribute } else { appendToValue(byte) }
        default:
            // Behind a quoted value the next attribute may begin at once.
            state = .beforeAttribute
            return readName(byte)
        }
        return false
    }

    private mutating func appendToValue(_ byte: UInt8) {
        if attributeValue.count < Self.longestValue { attributeValue.append(byte) }
    }

    private mutating func completeAttribute() {
        if !isEndTag, !attributeName.isEmpty, name.elementsEqual("meta".utf8) {
            meta.add(name: attributeName, value: attributeValue)
        }
        attributeName.removeAll(keepingCapacity: true)
        attributeValue.removeAll(keepingCapacity: true)
    }

    /// Ends the tag, and chooses how the content behind a start tag is read.
    private mutating func completeTag() -> Bool {
        completeAttribute()
        state = .text
        guard !isEndTag else { return true }
        if name.elementsEqual("script".utf8) {
            elementText = ElementTextScanner(element: name, isScript: true)
            state = .elementText
        } else if Self.textElements.contains(name) {
            elementText = ElementTextScanner(element: name, isScript: false)
            state = .elementText
        } else if name.elementsEqual("plaintext".utf8) {
            state = .plainText
        }
        return true
    }

    private mutating func readElementText(_ byte: UInt8) -> Bool {
        guard elementText.readEndsElement(byte) else { return false }
        beginTag(isEnd: true)
        name = elementText.element
        state = .tagName
        return readName(byte)
    }

    private mutating func readComment(_ byte: UInt8) {
        let isDash = byte == UInt8(ascii: "-")
        let isEnd = byte == UInt8(ascii: ">")
        switch state {
        case .declaration where isDash: state = .declarationDash
        case .declarationDash where isDash: state = .commentStart
        case .declaration, .declarationDash, .bogusComment: state = isEnd ? .text : .bogusComment
        case .commentStart: state = isEnd ? .text : isDash ? .commentStartDash : .comment
        case .commentStartDash: state = isEnd ? .text : isDash ? .commentEnd : .comment
        case .commentDash: state = isDash ? .commentEnd : .comment
        case .commentEnd:
            let isBang = byte == UInt8(ascii: "!")
            state = isEnd ? .text : isDash ? .commentEnd : isBang ? .commentBang : .comment
        case .commentBang: state = isEnd ? .text : isDash ? .commentDash : .comment
        default: if isDash { state = .commentDash }
        }
    }
}
