/// Character references in titles, in attribute values that are kept, and in text.
extension HTMLTokenizer {
    /// Takes note that an ampersand was read.
    mutating func beginReference(then next: State) {
        referenceReturn = next
        referenceNumber = 0
        held.removeAll(keepingCapacity: true)
        state = .reference
    }

    mutating func readReference(_ input: inout Input) {
        while input.at < input.end {
            let byte = input.peek
            switch state {
            case .reference:
                if byte == UInt8(ascii: "#") {
                    hold(&input)
                    state = .numericReference
                } else if byte.isASCIIAlpha || byte.isASCIIDigit {
                    state = .namedReference
                } else {
                    return releaseReference()
                }
            case .namedReference:
                guard byte.isASCIIAlpha || byte.isASCIIDigit,
                    held.count < CharacterReferences.longestName
                else {
                    if endNamedReference(before: byte) { input.at += 1 }
                    return
                }
                hold(&input)
            case .numericReference:
                if byte | 0x20 == UInt8(ascii: "x") {
                    hold(&input)
                    state = .hexadecimalStart
                } else if byte.isASCIIDigit {
                    state = .decimalReference
                } else {
                    return releaseReference()
                }
            case .hexadecimalStart:
                guard byte.hexadecimalDigit != nil else { return releaseReference() }
                state = .hexadecimalReference
            case .decimalReference:
                guard byte.isASCIIDigit else { return endNumericReference(&input) }
                addDigit(byte - UInt8(ascii: "0"), base: 10)
                input.at += 1
            case .hexadecimalReference:
                guard let digit = byte.hexadecimalDigit else { return endNumericReference(&input) }
                addDigit(digit, base: 16)
                input.at += 1
            default: return
            }
        }
    }

    /// Takes the end of the page inside of a reference.
    mutating func finishReference() {
        switch state {
        case .namedReference: _ = endNamedReference(before: nil)
        case .decimalReference, .hexadecimalReference:
            emit(CharacterReferences.scalar(ofNumber: referenceNumber))
        default: releaseReference()
        }
    }

    private mutating func hold(_ input: inout Input) {
        held.append(input.next())
    }

    private mutating func addDigit(_ digit: UInt8, base: UInt32) {
        // Once too large it stays so, and can't overflow.
        if referenceNumber <= 0x10FFFF {
            referenceNumber = referenceNumber * base + UInt32(digit)
        }
    }

    private mutating func endNumericReference(_ input: inout Input) {
        if input.peek == UInt8(ascii: ";") { input.at += 1 }
        state = referenceReturn
        emit(CharacterReferences.scalar(ofNumber: referenceNumber))
    }

    /// Ends a name.
    ///
    /// - Parameter next: What follows it; nil at the end of the page.
    /// - Returns: Whether that is the reference's semicolon.
    private mutating func endNamedReference(before next: UInt8?) -> Bool {
        let match = held.withUnsafeBytes {
            CharacterReferences.match($0, isClosed: next == UInt8(ascii: ";"))
        }
        guard let match, !isLiteral(match, before: next) else {
            releaseReference()
            return false
        }
        state = referenceReturn
        emit(match.first)
        if let second = match.second { emit(second) }
        emitHeld(from: match.nameLength)
        return match.hasSemicolon
    }

    /// In an attribute `&copy=1` and `&copyx` stay as they are: old pages have such addresses.
    private func isLiteral(_ match: CharacterReferences.Match, before next: UInt8?) -> Bool {
        guard !match.hasSemicolon, referenceReturn != .data, referenceReturn != .title else {
            return false
        }
        if match.nameLength < held.count { return true }
        guard let next else { return false }
        return next == UInt8(ascii: "=") || next.isASCIIAlpha || next.isASCIIDigit
    }

    /// What seemed to be a reference is text.
    private mutating func releaseReference() {
        state = referenceReturn
        emit("&")
        emitHeld(from: 0)
    }

    private mutating func emitHeld(from start: Int) {
        var index = start
        while index < held.count {
            emit(Unicode.Scalar(held[index]))
            index += 1
        }
    }

    private mutating func emit(_ scalar: Unicode.Scalar) {
        switch referenceReturn {
        case .title: rules.titleText(scalar)
        case .data:
            let isSpace = scalar.isASCII && UInt8(scalar.value).isASCIIWhitespace
            if !isSpace { rules.text() }
        default: tag.attributes.append(scalar)
        }
    }
}
