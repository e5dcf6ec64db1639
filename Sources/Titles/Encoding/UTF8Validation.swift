extension UnsafeRawBufferPointer {
    /// The end of the longest run of whole, valid UTF-8 characters that starts at `start`.
    func endOfValidUTF8(from start: Int) -> Int {
        var position = start
        while position < count {
            let byte = self[position]
            if byte < 0x80 {
                position = endOfASCII(from: position)
                continue
            }
            let length = UTF8Lead(byte).map { completeLength(of: $0, at: position) } ?? 0
            guard length > 0 else { break }
            position += length
        }
        return position
    }

    /// The length of the character that `lead` begins at `position`, 0 if it is cut or malformed.
    private func completeLength(of lead: UTF8Lead, at position: Int) -> Int {
        guard position + lead.length <= count, lead.second.contains(self[position + 1]) else {
            return 0
        }
        // The bytes after the second are plain continuations.
        for offset in 2..<lead.length where self[position + offset] & 0xC0 != 0x80 { return 0 }
        return lead.length
    }
}

/// What the first byte of a UTF-8 character beyond ASCII says about the rest.
struct UTF8Lead {
    /// How many bytes the character has: 2 to 4.
    let length: Int
    /// The values its second byte may take: no overlong forms, surrogates or too large numbers.
    let second: ClosedRange<UInt8>

    /// `nil` for a byte that begins no character.
    init?(_ byte: UInt8) {
        switch byte {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
    }
}
