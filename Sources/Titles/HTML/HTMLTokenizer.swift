import Glibc

/// Cuts HTML into tags and text, as the HTML standard's tokenizer does, and hands them to
/// ``TreeRules``.
///
/// Input: a page as UTF-8 from ``Decoder``, in pieces of any size. Each state reads as much as it
/// can; what must be remembered between two pieces is in the properties, and bounded. Text that
/// nobody asks for is skipped with memchr. The states have the standard's names.
struct HTMLTokenizer {
    /// Where it is, by the standard's names.
    enum State {
        case data, tagOpen, endTagOpen, tagName
        case beforeAttributeName, attributeName, afterAttributeName
        case beforeAttributeValue, doubleQuotedValue, singleQuotedValue, unquotedValue
        case afterQuotedValue, selfClosingStartTag
        case bogusComment, markupDeclaration, commentStart, commentStartDash, comment
        case commentEndDash, commentEnd, commentEndBang, doctype
        case cdata, cdataBracket, cdataEnd
        case title, rawText, plaintext
        case rawLessThan, rawEndTagOpen, rawEndTagName
        case script, scriptLessThan, scriptEscapeStart, scriptEscapeStartDash
        case scriptEscaped, scriptEscapedDash, scriptEscapedDashDash, scriptEscapedLessThan
        case scriptDoubleEscapeStart, scriptDoubleEscaped, scriptDoubleEscapedDash
        case scriptDoubleEscapedDashDash, scriptDoubleEscapedLessThan, scriptDoubleEscapeEnd
        case reference, namedReference, numericReference, hexadecimalStart
        case decimalReference, hexadecimalReference
    }

    var state = State.data
    var rules = TreeRules()
    var tag = Tag()
    var attributeName = ElementName()
    /// The tag that ends the text being read.
    var rawName = ElementName()
    /// Where to go on when a `<` in raw text turns out to be text.
    var rawReturn = State.rawText
    /// The end tag being read ends an element whose content is text.
    var endsRawText = false
    /// Where to go on after a character reference.
    var referenceReturn = State.data
    /// The value of a numeric reference, saturated above U+10FFFF.
    var referenceNumber: UInt32 = 0
    /// How much of an expected word was seen.
    var matched = 0
    /// The word that a markup declaration seems to begin with.
    var declaration: StaticString = ""
    /// Text that is held back because it may turn out to be markup: at most 32 bytes.
    var held: [UInt8] = []
    /// How much was read in the pieces before.
    private(set) var bytesRead = 0
    /// The start tag of the title that is first by now was the last thing read.
    private var isBehindTitleTag = false
    /// Where the text of the title that is first by now begins in all that was read.
    private(set) var titleStart = 0
    /// Where its end tag begins; nil before that was read.
    private(set) var titleEnd: Int?

    var isSettled: Bool { rules.isSettled }

    /// Reads on, until nothing that comes can change anything.
    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        var input = Input(base: base, end: bytes.count)
        while input.at < input.end, !rules.isSettled { step(&input) }
        noteTitleStart(input)
        bytesRead += bytes.count
    }

    /// Notes that the next byte is the first of a title, if it is.
    mutating func noteTitleStart(_ input: Input) {
        guard isBehindTitleTag else { return }
        isBehindTitleTag = false
        titleStart = bytesRead + input.at
        titleEnd = nil
    }

    /// Notes that a title's end tag was read up to its name.
    mutating func noteTitleEnd(_ input: Input) {
        guard rules.titles.isReading else { return }
        titleEnd = bytesRead + input.at - "</title".utf8.count
    }

    /// Reads one state's share of the input; at least one byte is there.
    private mutating func step(_ input: inout Input) {
        switch state {
        case .data: readData(&input)
        case .tagOpen: readTagOpen(&input)
        case .endTagOpen: readEndTagOpen(&input)
        case .tagName: readTagName(&input)
        case .beforeAttributeName: readBeforeAttributeName(&input)
        case .attributeName: readAttributeName(&input)
        case .afterAttributeName: readAfterAttributeName(&input)
        case .beforeAttributeValue: readBeforeAttributeValue(&input)
        case .doubleQuotedValue: readQuotedValue(UInt8(ascii: "\""), &input)
        case .singleQuotedValue: readQuotedValue(UInt8(ascii: "'"), &input)
        case .unquotedValue: readUnquotedValue(&input)
        case .afterQuotedValue: readAfterQuotedValue(&input)
        case .selfClosingStartTag: readSelfClosingStartTag(&input)
        case .bogusComment, .doctype: readBogusComment(&input)
        case .markupDeclaration: readMarkupDeclaration(&input)
        case .commentStart, .commentStartDash, .comment, .commentEndDash, .commentEnd,
            .commentEndBang:
            readComment(&input)
        case .cdata, .cdataBracket, .cdataEnd: readCDATA(&input)
        case .title: readTitle(&input)
        case .rawText: readRawText(&input)
        case .plaintext: input.at = input.end
        case .rawLessThan: readRawLessThan(&input)
        case .rawEndTagOpen: readRawEndTagOpen(&input)
        case .rawEndTagName: readRawEndTagName(&input)
        case .reference, .namedReference, .numericReference, .hexadecimalStart,
            .decimalReference, .hexadecimalReference:
            readReference(&input)
        default: readScript(&input)
        }
    }

    /// Takes the end of the page.
    mutating func finish() {
        switch state {
        case .tagOpen, .endTagOpen: rules.text()
        case .rawLessThan, .rawEndTagOpen, .rawEndTagName: releaseRawText()
        case .reference, .namedReference, .numericReference, .hexadecimalStart,
            .decimalReference, .hexadecimalReference:
            finishReference()
        default: break
        }
        rules.finish()
    }

    // MARK: Text and the starts of tags

    private mutating func readData(_ input: inout Input) {
        while input.at < input.end {
            guard rules.caresForText else {
                if input.skip(past: UInt8(ascii: "<")) { state = .tagOpen }
                // Most tags are complete: their name follows at once.
                if input.at < input.end { readTagOpen(&input) }
                return
            }
            let byte = input.next()
            switch byte {
            case UInt8(ascii: "<"):
                state = .tagOpen
                return
            case UInt8(ascii: "&"):
                beginReference(then: .data)
                return
            // Browsers drop it before anything sees it.
            case 0: break
            // A piece begins and ends between characters.
            case 0xEF where input.take(0xBF, 0xBD): rules.text(isReplacement: true)
            default: if !byte.isASCIIWhitespace { rules.text() }
            }
            if rules.isSettled { return }
        }
    }

    private mutating func readTagOpen(_ input: inout Input) {
        switch input.peek {
        case UInt8(ascii: "!"):
            input.at += 1
            matched = 0
            state = .markupDeclaration
        case UInt8(ascii: "/"):
            input.at += 1
            state = .endTagOpen
        case UInt8(ascii: "?"): state = .bogusComment
        case let byte where byte.isASCIIAlpha:
            tag.begin(isEnd: false)
            state = .tagName
            readTagName(&input)
        default:
            state = .data
            rules.text()
        }
    }

    private mutating func readEndTagOpen(_ input: inout Input) {
        if input.peek.isASCIIAlpha {
            tag.begin(isEnd: true)
            state = .tagName
            readTagName(&input)
        } else if input.peek == UInt8(ascii: ">") {
            input.at += 1
            state = .data
        } else {
            state = .bogusComment
        }
    }

    /// Hands the complete tag to the rules, which say how to read on.
    mutating func endTag() {
        state = .data
        if endsRawText {
            endsRawText = false
            return rules.endOfText()
        }
        if tag.isEnd { return rules.end(tag) }
        rawName = tag.name
        let version = rules.titles.version
        switch rules.start(tag) {
        case .markup: break
        case .title:
            state = .title
            isBehindTitleTag = rules.titles.version != version
        case .rawText: state = .rawText
        case .script: state = .script
        case .plaintext: state = .plaintext
        }
    }

    // MARK: Comments and what is read like one

    /// Bogus comments, processing instructions and doctypes: all end at the first `>`, even in
    /// quotes.
    private mutating func readBogusComment(_ input: inout Input) {
        if input.skip(past: UInt8(ascii: ">")) { state = .data }
    }

    private mutating func readMarkupDeclaration(_ input: inout Input) {
        if matched == 0 {
            switch input.peek {
            case UInt8(ascii: "-"): declaration = "--"
            case UInt8(ascii: "d"), UInt8(ascii: "D"): declaration = "doctype"
            case UInt8(ascii: "[") where rules.isInForeignContent: declaration = "[CDATA["
            default:
                state = .bogusComment
                return
            }
        }
        while input.at < input.end {
            // In bounds: the state is left as soon as `matched` is the word's length.
            let byte = declaration.utf8Start[matched]
            // Only "doctype" holds lower-case letters, and only it may be written in any case.
            guard input.peek == byte || input.peek.lowercasedASCII == byte else {
                state = .bogusComment
                return
            }
            input.at += 1
            matched += 1
            if matched == declaration.utf8CodeUnitCount {
                switch declaration.utf8Start[0] {
                case UInt8(ascii: "-"): state = .commentStart
                case UInt8(ascii: "["): state = .cdata
                default: state = .doctype
                }
                return
            }
        }
    }

    /// The comment states; `<!--` inside of a comment needs none, as it changes only error messages.
    private mutating func readComment(_ input: inout Input) {
        while input.at < input.end {
            if state == .comment {
                guard input.skip(past: UInt8(ascii: "-")) else { return }
                state = .commentEndDash
                continue
            }
            let byte = input.peek
            switch (state, byte) {
            case (.commentStart, UInt8(ascii: "-")): state = .commentStartDash
            case (.commentStartDash, UInt8(ascii: "-")), (.commentEndDash, UInt8(ascii: "-")):
                state = .commentEnd
            case (.commentEnd, UInt8(ascii: "-")): break
            case (.commentEnd, UInt8(ascii: "!")): state = .commentEndBang
            case (.commentEndBang, UInt8(ascii: "-")): state = .commentEndDash
            case (.commentEndDash, _):
                state = .comment
                continue
            case (_, UInt8(ascii: ">")):
                input.at += 1
                state = .data
                return
            default:
                state = .comment
                continue
            }
            input.at += 1
        }
    }

    private mutating func readCDATA(_ input: inout Input) {
        while input.at < input.end {
            let byte = input.next()
            switch (state, byte) {
            case (.cdata, UInt8(ascii: "]")): state = .cdataBracket
            case (.cdataBracket, UInt8(ascii: "]")): state = .cdataEnd
            case (.cdataEnd, UInt8(ascii: "]")): break
            case (.cdataEnd, UInt8(ascii: ">")):
                state = .data
                return
            default:
                if state != .cdata || !byte.isASCIIWhitespace && byte != 0 { rules.text() }
                state = .cdata
                if rules.isSettled { return }
                if !rules.caresForText { input.at = input.find(UInt8(ascii: "]")) ?? input.end }
            }
        }
    }
}

/// A piece of a page and how far it was read.
struct Input {
    private let base: UnsafeRawPointer
    var at = 0
    let end: Int

    /// Begins at the start of `end` bytes at `base`, readable as long as this value lives.
    init(base: UnsafeRawPointer, end: Int) {
        self.base = base
        self.end = end
    }

    /// The next byte, not taken; `at` is below `end`.
    var peek: UInt8 { self[at] }

    /// The byte at a position below `end`.
    subscript(position: Int) -> UInt8 { base.load(fromByteOffset: position, as: UInt8.self) }

    /// Takes the next byte; `at` is below `end`.
    mutating func next() -> UInt8 {
        defer { at += 1 }
        return peek
    }

    /// Takes two bytes if they are the next.
    mutating func take(_ first: UInt8, _ second: UInt8) -> Bool {
        guard at + 1 < end, self[at] == first, self[at + 1] == second else { return false }
        at += 2
        return true
    }

    /// The bytes from `start` to where reading stands.
    func bytes(from start: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + start, count: at - start)
    }

    /// Where the next such byte is.
    func find(_ byte: UInt8) -> Int? { find(byte, from: at) }

    /// Where the next such byte from a position on is; the position is at most `end`.
    func find(_ byte: UInt8, from position: Int) -> Int? {
        memchr(base + position, CInt(byte), end - position).map { UnsafeRawPointer($0) - base }
    }

    /// Goes past the next such byte, or to the end without one.
    mutating func skip(past byte: UInt8) -> Bool {
        guard let found = find(byte) else {
            at = end
            return false
        }
        at = found + 1
        return true
    }
}
