/// Scripts: an end tag inside of `<!-- <script>` does not end them.
extension HTMLTokenizer {
    private static let script: StaticString = "script"

    mutating func readScript(_ input: inout Input) {
        while input.at < input.end {
            switch state {
            case .script:
                guard input.skip(past: UInt8(ascii: "<")) else { return }
                state = .scriptLessThan
            case .scriptLessThan:
                switch input.peek {
                case UInt8(ascii: "/"):
                    rawReturn = .script
                    state = .rawLessThan
                    return
                case UInt8(ascii: "!"):
                    input.at += 1
                    state = .scriptEscapeStart
                default: state = .script
                }
            case .scriptEscapeStart: readDash(&input, then: .scriptEscapeStartDash, else: .script)
            case .scriptEscapeStartDash:
                readDash(&input, then: .scriptEscapedDashDash, else: .script)
            case .scriptEscapedLessThan:
                if input.peek == UInt8(ascii: "/") {
                    rawReturn = .scriptEscaped
                    state = .rawLessThan
                    return
                }
                matched = 0
                state = input.peek.isASCIIAlpha ? .scriptDoubleEscapeStart : .scriptEscaped
            case .scriptDoubleEscapeStart:
                readDoubleEscape(&input, ifScript: .scriptDoubleEscaped, else: .scriptEscaped)
            case .scriptDoubleEscapedLessThan:
                matched = 0
                if input.peek == UInt8(ascii: "/") {
                    input.at += 1
                    state = .scriptDoubleEscapeEnd
                } else {
                    state = .scriptDoubleEscaped
                }
            case .scriptDoubleEscapeEnd:
                readDoubleEscape(&input, ifScript: .scriptEscaped, else: .scriptDoubleEscaped)
            case .scriptEscaped, .scriptEscapedDash, .scriptEscapedDashDash: readEscaped(&input)
            case .scriptDoubleEscaped, .scriptDoubleEscapedDash, .scriptDoubleEscapedDashDash:
                readDoubleEscaped(&input)
            default: return
            }
        }
    }

    private mutating func readDash(
        _ input: inout Input, then next: State, else other: State
    ) {
        guard input.peek == UInt8(ascii: "-") else {
            state = other
            return
        }
        input.at += 1
        state = next
    }

    private mutating func readEscaped(_ input: inout Input) {
        switch input.next() {
        case UInt8(ascii: "<"): state = .scriptEscapedLessThan
        case UInt8(ascii: "-"):
            state = state == .scriptEscaped ? .scriptEscapedDash : .scriptEscapedDashDash
        case UInt8(ascii: ">") where state == .scriptEscapedDashDash: state = .script
        default: state = .scriptEscaped
        }
    }

    private mutating func readDoubleEscaped(_ input: inout Input) {
        switch input.next() {
        case UInt8(ascii: "<"): state = .scriptDoubleEscapedLessThan
        case UInt8(ascii: "-"):
            state =
                state == .scriptDoubleEscaped
                ? .scriptDoubleEscapedDash : .scriptDoubleEscapedDashDash
        case UInt8(ascii: ">") where state == .scriptDoubleEscapedDashDash: state = .script
        default: state = .scriptDoubleEscaped
        }
    }

    /// Reads a tag's name inside of an escaped script, of which only "script" means something.
    private mutating func readDoubleEscape(
        _ input: inout Input, ifScript: State, else other: State
    ) {
        let byte = input.peek
        if byte.isASCIIWhitespace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
            input.at += 1
            state = matched == Self.script.utf8CodeUnitCount ? ifScript : other
        } else if byte.isASCIIAlpha {
            input.at += 1
            let fits =
                matched >= 0 && matched < Self.script.utf8CodeUnitCount
                && byte.lowercasedASCII == Self.script.utf8Start[matched]
            // Another name stays another name, however it goes on.
            matched = fits ? matched + 1 : -1
        } else {
            state = other
        }
    }
}
