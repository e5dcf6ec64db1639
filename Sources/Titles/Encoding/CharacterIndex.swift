/// One index of the Encoding standard: from a pointer, which a decoder computes, to a character.
///
/// Characters are kept as their UTF-8 bytes, ready to be stored: see ``PackedCharacter``.
struct CharacterIndex: Sendable {
    private let firstPointer: Int
    private let characters: [PackedCharacter]

    /// Expands the text of a table.
    ///
    /// - Parameters:
    ///   - count: One more than the last pointer.
    ///   - firstPointer: The pointer of the first character of the text.
    ///   - characters: One character a pointer, `.` for a pointer without one.
    init(count: Int, firstPointer: Int, characters: StaticString) {
        self.firstPointer = firstPointer
        self.characters = PackedCharacter.all(of: characters, reserving: count - firstPointer)
    }

    /// The character of a pointer; not ``PackedCharacter/exists`` where the index has none.
    subscript(pointer: Int) -> PackedCharacter {
        let position = pointer - firstPointer
        return characters.indices.contains(position) ? characters[position] : .none
    }
}

/// The one to four UTF-8 bytes of a character beyond ASCII, the first byte in the lowest eight bits.
struct PackedCharacter: Sendable {
    let bytes: UInt32

    /// What a pointer without a character gives.
    static let none = PackedCharacter(bytes: 0)

    var exists: Bool { bytes != 0 }

    /// How many bytes there are: none of them is zero, so the highest one set tells.
    var count: Int { 4 - bytes.leadingZeroBitCount / 8 }

    /// Packs every character of a table's text; an ASCII character there is a gap.
    static func all(of text: StaticString, reserving count: Int) -> [PackedCharacter] {
        var characters: [PackedCharacter] = []
        characters.reserveCapacity(count)
        text.withUTF8Buffer { utf8 in
            var packed: UInt32 = 0
            var shift: UInt32 = 0
            for byte in utf8 {
                // Every byte but a continuation begins the next character.
                if byte & 0xC0 != 0x80 {
                    if shift > 0 { characters.append(PackedCharacter(bytes: packed)) }
                    packed = byte < 0x80 ? 0 : UInt32(byte)
                    shift = 8
                } else {
                    packed |= UInt32(byte) << shift
                    shift += 8
                }
            }
            if shift > 0 { characters.append(PackedCharacter(bytes: packed)) }
        }
        return characters
    }
}
