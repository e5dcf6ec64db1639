/// ISO-2022-JP: seven-bit bytes whose meaning escape sequences change.
struct ISO2022JPDecoder: ByteDecoder {
    static var keepsASCII: Bool { false }

    private static let escapeByte: UInt8 = 0x1B

    /// What the bytes mean, as the last escape sequence chose.
    private enum CharacterSet: Sendable {
        case ascii, roman, katakana, jis0208
    }

    /// How far a character or an escape sequence has come.
    private enum State: Sendable {
        case character
        /// The first of two bytes of JIS X 0208 is read.
        case trail(lead: UInt8)
        /// The escape byte is read.
        case escapeStart
        /// The escape byte and `$` or `(` are read.
        case escape(lead: UInt8)
    }

    private let index = CharacterIndex.jis0208
    private var characters = CharacterSet.ascii
    private var state = State.character
    /// Whether nothing stands between the last escape sequence and here. Two in a row are an
    /// error: they could hide text from a filter.
    private var isJustAfterEscape = false

    var isBetweenCharacters: Bool {
        if case .character = state { true } else { false }
    }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        switch state {
        case .character:
            if byte == Self.escapeByte {
                state = .escapeStart
            } else {
                isJustAfterEscape = false
                decodeCharacter(byte, into: &output)
            }
        case .trail(let lead):
            state = .character
            if byte == Self.escapeByte {
                state = .escapeStart
                output.appendReplacement()
            } else if (0x21...0x7E).contains(byte) {
                let character = index[(Int(lead) - 0x21) * 94 + Int(byte) - 0x21]
                output.append(character.exists ? character : .replacement)
            } else {
                output.appendReplacement()
            }
        case .escapeStart:
            if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "(") {
                state = .escape(lead: byte)
            } else {
                failEscape(into: &output)
                decode(byte: byte, into: &output)
            }
        case .escape(let lead):
            if let chosen = Self.characterSet(lead, byte) {
                characters = chosen
                state = .character
                if isJustAfterEscape { output.appendReplacement() }
                isJustAfterEscape = true
            } else {
                failEscape(into: &output)
                decode(byte: lead, into: &output)
                decode(byte: byte, into: &output)
            }
        }
    }

    mutating func finish(into output: inout UTF8Output) {
        switch state {
        case .character: break
        case .trail:
            state = .character
            output.appendReplacement()
        case .escapeStart:
            failEscape(into: &output)
        case .escape(let lead):
            failEscape(into: &output)
            // Read again as a character, `$` or `(` can be the first half of one.
            decode(byte: lead, into: &output)
            finish(into: &output)
        }
    }

    private mutating func decodeCharacter(_ byte: UInt8, into output: inout UTF8Output) {
        switch (characters, byte) {
        case (.ascii, 0x0E), (.ascii, 0x0F), (.roman, 0x0E), (.roman, 0x0F):
            // The shift bytes of other members of the family.
            output.appendReplacement()
        case (.roman, 0x5C): output.append(codePoint: 0xA5)
        case (.roman, 0x7E): output.append(codePoint: 0x203E)
        case (.ascii, 0..<0x80), (.roman, 0..<0x80): output.append(ascii: byte)
        case (.katakana, 0x21...0x5F): output.append(codePoint: halfWidthKatakana(byte + 0x80))
        case (.jis0208, 0x21...0x7E): state = .trail(lead: byte)
        default: output.appendReplacement()
        }
    }

    private mutating func failEscape(into output: inout UTF8Output) {
        isJustAfterEscape = false
        state = .character
        output.appendReplacement()
    }

    private static func characterSet(_ lead: UInt8, _ byte: UInt8) -> CharacterSet? {
        switch (lead, byte) {
        case (UInt8(ascii: "("), UInt8(ascii: "B")): .ascii
        case (UInt8(ascii: "("), UInt8(ascii: "J")): .roman
        case (UInt8(ascii: "("), UInt8(ascii: "I")): .katakana
        case (UInt8(ascii: "$"), UInt8(ascii: "@")), (UInt8(ascii: "$"), UInt8(ascii: "B")):
            .jis0208
        default: nil
        }
    }
}
