/// The text of a YAML file, for what libyaml says too little about.
enum YAMLText {
    /// Where the mistake is that ended the parser, what it is and what would be right.
    static func explain(
        _ failure: YAMLParser.Failure, in bytes: UnsafeBufferPointer<UInt8>
    ) -> (Mistake.Position, ValueError) {
        if let offset = failure.byteOffset {
            return explain(problem: failure.problem, at: offset, in: bytes)
        }
        let position = Mistake.Position(line: failure.line + 1, column: failure.column + 1)
        let line = text(ofLine: failure.line, in: bytes)
        let character = line.dropFirst(failure.column).first
        return (position, words(for: failure, before: character, line: line))
    }

    /// A byte that can't stand in YAML.
    private static func explain(
        problem: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> (Mistake.Position, ValueError) {
        var start = min(offset, bytes.count - 1)
        if problem.contains("control") {
            return (
                position(of: start, in: bytes),
                ValueError(
                    "a control character (\(hexadecimal(bytes[start]))) can't stand in YAML",
                    remedy: "take it out")
            )
        }
        // libyaml may tell of the byte that does not continue a character; the mistake is the
        // character's first byte, at most three before.
        if problem.contains("trailing") {
            let first = bytes[max(0, start - 3)..<start].lastIndex { $0 >= 0xC0 }
            start = first ?? start
        }
        let byte = hexadecimal(bytes[start])
        return (
            position(of: start, in: bytes),
            ValueError("\(byte) is no UTF-8", remedy: "save the file as UTF-8")
        )
    }

    private static func words(
        for failure: YAMLParser.Failure, before character: Unicode.Scalar?,
        line: [Unicode.Scalar]
    ) -> ValueError {
        let indentation = line.prefix { $0 == " " || $0 == "\t" }
        if indentation.contains("\t") || character == "\t" {
            return ValueError(
                "a tab stands where YAML wants spaces", remedy: "write spaces for it")
        }
        switch failure.problem {
        case "found character that cannot start any token":
            let shown = character.map { String($0) } ?? ""
            return ValueError(
                "no value begins with \(Quoted.shown(shown))",
                remedy: "put quotes around the whole value")
        case "mapping values are not allowed in this context":
            return ValueError(
                "a \":\" stands where no key can be",
                remedy: "put quotes around a value with \": \" in it, or mend the line above")
        case "found unexpected end of stream", "found unexpected document indicator":
            return ValueError(
                "the quote \(place(failure.contextPosition)) is not closed",
                remedy: "write the closing one")
        case "could not find expected ':'":
            return ValueError(
                "a key has no \":\" behind it", remedy: "write \"key: value\"")
        case "did not find expected key":
            return ValueError(
                "no key of the mapping around begins here",
                remedy: "give all keys of a mapping the same indentation")
        case "did not find expected ',' or ']'":
            return ValueError(
                "the list in brackets \(place(failure.contextPosition)) does not go on here",
                remedy: "write \",\" or \"]\"")
        case "did not find expected ',' or '}'":
            return ValueError(
                "the mapping in braces \(place(failure.contextPosition)) does not go on here",
                remedy: "write \",\" or \"}\"")
        case "did not find expected '-' indicator":
            return ValueError(
                "no item of the list around begins here",
                remedy: "begin each item with \"- \" in the same column")
        case "block sequence entries are not allowed in this context":
            return ValueError(
                "a list can't begin here", remedy: "begin it in a line of its own")
        case "found unknown escape character":
            return ValueError(
                "there is no such escape in double quotes",
                remedy: "write \"\\\\\" for a backslash, or use single quotes")
        default:
            let context = failure.context.map { $0 + ", " } ?? ""
            return ValueError(
                "this is no YAML: " + context + failure.problem,
                remedy: "put quotes around texts with special characters in them")
        }
    }

    private static func place(_ position: Mistake.Position) -> String {
        "of line \(position.line), column \(position.column)"
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "byte 0x" + (digits.utf8.count < 2 ? "0" : "") + digits
    }

    private static func position(
        of offset: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Mistake.Position {
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: bytes[lineStart..<before.endIndex], as: UTF8.self)
        return .init(
            line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: column.unicodeScalars.count + 1)
    }

    /// The scalars of a line, from 0; at most so many as may stand before a mistake worth showing.
    private static func text(
        ofLine number: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> [Unicode.Scalar] {
        var rest = bytes[...]
        for _ in 0..<number {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
            rest = rest[(end + 1)...]
        }
        let line = rest.prefix(64 << 10).prefix { $0 != UInt8(ascii: "\n") }
        return Array(String(decoding: line, as: UTF8.self).unicodeScalars)
    }

    /// The line, from 1, of the directive of that number; nil if there are not so many.
    static func lineOfDirective(
        number: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        var line = 1
        var found = 0
        var isAtStart = true
        for (index, byte) in bytes.enumerated() {
            if isAtStart, byte == UInt8(ascii: "%"), bytes[index...].starts(with: "%TAG".utf8) {
                found += 1
                if found == number { return line }
            }
            // Either ends a line to libyaml.
            isAtStart = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
        return nil
    }
}
