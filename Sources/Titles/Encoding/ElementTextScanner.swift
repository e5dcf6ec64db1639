/// Finds the end of an element whose content is text: `script`, `style`, `title` and the like.
///
/// In a script, `<!--` hides the words `<script>` and `</script>` in pairs, as in the standard.
struct ElementTextScanner {
    /// How deep a script is in `<!--` and in a `<script>` written there.
    private enum Escape {
        case none, escaped, doublyEscaped
    }

    /// What of a tag or of `<!--` stands directly before the next byte.
    private enum State {
        case text, less, lessBang, lessBangDash
        /// A name after `</`.
        case endName
        /// A name after `<`, where that matters.
        case startName
    }

    /// The element's name, in lower case.
    let element: [UInt8]

    private let isScript: Bool
    private var state = State.text
    private var escape = Escape.none
    /// Dashes directly before the next byte, counted up to two: `-->` ends an escape.
    private var dashes = 0
    private var name: [UInt8] = []

    init(element: [UInt8], isScript: Bool) {
        self.element = element
        self.isScript = isScript
    }

    /// Whether every byte but `<` changes nothing.
    var isPlain: Bool {
        if case .text = state, escape == .none { true } else { false }
    }

    /// Reads one byte.
    ///
    /// - Returns: Whether it is the first one behind the name of the element's end tag.
    mutating func readEndsElement(_ byte: UInt8) -> Bool {
        switch state {
        case .text: readText(byte)
        case .less: readAfterLess(byte)
        case .lessBang: byte == UInt8(ascii: "-") ? state = .lessBangDash : backToText(byte)
        case .lessBangDash:
            guard byte == UInt8(ascii: "-") else {
                backToText(byte)
                break
            }
            (state, escape, dashes) = (.text, .escaped, 2)
        case .endName, .startName: return readName(byte)
        }
        return false
    }

    private mutating func readText(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "<"): (state, dashes) = (.less, 0)
        case UInt8(ascii: "-"): dashes = min(dashes + 1, 2)
        case UInt8(ascii: ">") where dashes == 2: (escape, dashes) = (.none, 0)
        default: dashes = 0
        }
    }

    private mutating func readAfterLess(_ byte: UInt8) {
        name.removeAll(keepingCapacity: true)
        switch byte {
        case UInt8(ascii: "/"): state = .endName
        case UInt8(ascii: "!") where isScript && escape == .none: state = .lessBang
        case _ where byte.isASCIILetter && escape == .escaped:
            state = .startName
            name.append(byte.lowercasedASCII)
        default: backToText(byte)
        }
    }

    private mutating func readName(_ byte: UInt8) -> Bool {
        if byte.isASCIILetter {
            // One more than the name's length is enough to tell that it differs.
            if name.count <= element.count { name.append(byte.lowercasedASCII) }
            return false
        }
        let isComplete =
            byte.isASCIIWhitespace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
        guard isComplete, name == element else {
            // Behind a name that was complete, `>` belongs to it and ends no escape: `dashes` is 0.
            backToText(byte)
            return false
        }
        switch (state, escape) {
        case (.startName, _): escape = .doublyEscaped
        case (_, .doublyEscaped): escape = .escaped
        default: return true
        }
        state = .text
        return false
    }

    /// Reads a byte as text after all.
    private mutating func backToText(_ byte: UInt8) {
        state = .text
        readText(byte)
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercasedASCII)
    }
}
