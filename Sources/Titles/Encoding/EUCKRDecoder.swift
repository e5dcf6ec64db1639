/// EUC-KR as Windows has it, with all 11,172 Hangul syllables: one or two bytes a character.
struct EUCKRDecoder: ByteDecoder {
    private let index = CharacterIndex.eucKR
    private var lead: UInt8 = 0

    var isBetweenCharacters: Bool { lead == 0 }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        if lead != 0 {
            decodeTrail(byte, into: &output)
        } else if byte < 0x80 {
            output.append(ascii: byte)
        } else if (0x81...0xFE).contains(byte) {
            lead = byte
        } else {
            output.appendReplacement()
        }
    }

    mutating func finish(into output: inout UTF8Output) {
        guard lead != 0 else { return }
        lead = 0
        output.appendReplacement()
    }

    private mutating func decodeTrail(_ byte: UInt8, into output: inout UTF8Output) {
        let row = (Int(lead) - 0x81) * 190
        lead = 0
        if (0x41...0xFE).contains(byte) {
            let character = index[row + Int(byte) - 0x41]
            if character.exists {
                output.append(character)
                return
            }
        }
        output.appendReplacement()
        if byte < 0x80 { output.append(ascii: byte) }
    }
}
