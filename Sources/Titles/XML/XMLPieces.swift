/// Cuts XML into runs of text and whole tags, comments, document types and the like.
///
/// Input: a document as UTF-8, cut anywhere; taken by ``XMLReader``. libxml2's push parser looks no
/// further than what it was given: half of `]]>`, or a `>` in a quoted value, it may take for
/// something else. Where a piece ends depends on the document alone, and so then does what libxml2
/// says of it.
struct XMLPieces {
    /// Longer runs of text, CDATA sections too, are handed out in pieces of about this length.
    private static let textLength = 1024
    /// No piece is longer: a document with such a thing ends there.
    private static let longest = 1 << 20
    /// Nor has a tag more values: libxml2 compares each attribute with all before it.
    private static let mostValues = 4096

    private enum State {
        case text, opening, declaration
        case tag, comment, cdata, instruction
        case documentType, subset, subsetComment, subsetInstruction
    }

    /// A piece would be larger than any may be, or is a comment with `--` in it, which libxml2 would
    /// copy at each of these errors; nothing more is handed out.
    private(set) var isBeyondLimits = false

    private var state = State.text
    /// In text, a reference was begun and not ended.
    private var isInReference = false
    /// What ends the quoted value that was begun in markup.
    private var quote: UInt8?
    /// How many quoted values the markup has by now.
    private var values = 0
    /// Where the content of a comment or instruction begins in the piece.
    private var contentStart = 0
    private var piece: [UInt8] = []

    /// Reads on, and hands out each piece as it is complete; valid only during the call.
    ///
    /// - Parameter take: Returns whether more is wanted.
    mutating func read(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) {
        for byte in bytes where !isBeyondLimits {
            if endsBefore(byte), !handOut(take) { return }
            piece.append(byte)
            isBeyondLimits =
                piece.count > Self.longest || state == .tag && values > Self.mostValues
            if endsWith(byte) {
                state = .text
                quote = nil
                values = 0
                if !handOut(take) { return }
            }
        }
    }

    /// Hands out what is not complete, at the document's end.
    mutating func finish(_ take: (UnsafeRawBufferPointer) -> Bool) {
        if !piece.isEmpty, !isBeyondLimits { _ = handOut(take) }
    }

    private mutating func handOut(_ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        let wantsMore = piece.withUnsafeBytes(take)
        piece.removeAll(keepingCapacity: true)
        return wantsMore
    }

    /// Whether the piece ends before that byte: only text and CDATA sections do.
    private func endsBefore(_ byte: UInt8) -> Bool {
        let isLong = piece.count >= Self.textLength && !byte.isUTF8Continuation
        return switch state {
        case .text:
            byte == UInt8(ascii: "<") && !piece.isEmpty
                || isLong && !isInReference && piece.last != UInt8(ascii: "]")
        case .cdata: isLong && piece.last != UInt8(ascii: "]")
        default: false
        }
    }

    /// Whether the piece ends with that byte, which is its last by now.
    private mutating func endsWith(_ byte: UInt8) -> Bool {
        switch state {
        case .text: readText(byte)
        case .opening:
            switch byte {
            case UInt8(ascii: "!"): state = .declaration
            case UInt8(ascii: "?"): begin(.instruction)
            default:
                state = .tag
                return endsQuoting(byte)
            }
        case .declaration:
            switch byte {
            case UInt8(ascii: "-"): begin(.comment)
            case UInt8(ascii: "["): state = .cdata
            default:
                state = .documentType
                return endsQuoting(byte)
            }
        case .tag: return endsQuoting(byte)
        // It began with two dashes, of which only one was read.
        case .comment: return endsComment(byte, from: contentStart + 1)
        case .instruction: return ends(byte, "?>", from: contentStart)
        case .cdata: return ends(byte, "]]>", from: 0)
        case .documentType:
            if quote == nil, byte == UInt8(ascii: "[") { state = .subset }
            return endsQuoting(byte)
        case .subset: readSubset(byte)
        case .subsetComment: if endsComment(byte, from: contentStart) { state = .subset }
        case .subsetInstruction: if ends(byte, "?>", from: contentStart) { state = .subset }
        }
        return false
    }

    private mutating func readText(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "<"):
            state = .opening
            isInReference = false
        case UInt8(ascii: "&"): isInReference = true
        case UInt8(ascii: ";"): isInReference = false
        default: break
        }
    }

    /// A document type's own declarations, up to its `]`.
    private mutating func readSubset(_ byte: UInt8) {
        if quote == nil, byte == UInt8(ascii: "]") {
            state = .documentType
        } else if quote == nil, byte == UInt8(ascii: "-"), hasEnd("<!--") {
            begin(.subsetComment)
        } else if quote == nil, byte == UInt8(ascii: "?"), hasEnd("<?") {
            begin(.subsetInstruction)
        } else {
            _ = endsQuoting(byte)
        }
    }

    private mutating func begin(_ state: State) {
        self.state = state
        contentStart = piece.count
    }

    /// Notes where quoted values begin and end, and counts them.
    ///
    /// - Returns: Whether that byte is a `>` outside of them.
    private mutating func endsQuoting(_ byte: UInt8) -> Bool {
        if let open = quote {
            if byte == open { quote = nil }
            return false
        }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            quote = byte
            values += 1
        }
        return byte == UInt8(ascii: ">")
    }

    private mutating func endsComment(_ byte: UInt8, from start: Int) -> Bool {
        if byte == UInt8(ascii: ">") { return ends(byte, "-->", from: start) }
        // Nothing but its end may follow two dashes in a comment.
        if piece.count >= start + 3, piece.dropLast().suffix(2).elementsEqual("--".utf8) {
            isBeyondLimits = true
        }
        return false
    }

    /// Whether `end` is complete with that byte, and none of it stands before `start`.
    private func ends(_ byte: UInt8, _ end: StaticString, from start: Int) -> Bool {
        byte == UInt8(ascii: ">") && piece.count >= start + end.utf8CodeUnitCount && hasEnd(end)
    }

    private func hasEnd(_ end: StaticString) -> Bool {
        end.withUTF8Buffer { piece.suffix($0.count).elementsEqual($0) }
    }
}
