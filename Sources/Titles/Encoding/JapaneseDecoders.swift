/// Shift_JIS as Windows has it: half-width katakana in one byte, JIS X 0208 in two.
struct ShiftJISDecoder: ByteDecoder {
    private let index = CharacterIndex.jis0208
    private var lead: UInt8 = 0

    var isBetweenCharacters: Bool { lead == 0 }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        if lead != 0 {
            decodeTrail(byte, into: &output)
            return
        }
        switch byte {
        case 0..<0x80: output.append(ascii: byte)
        case 0x80: output.append(codePoint: 0x80)
        case 0xA1...0xDF: output.append(codePoint: halfWidthKatakana(byte))
        case 0x81...0x9F, 0xE0...0xFC: lead = byte
        default: output.appendReplacement()
        }
    }

    mutating func finish(into output: inout UTF8Output) {
        guard lead != 0 else { return }
        lead = 0
        output.appendReplacement()
    }

    private mutating func decodeTrail(_ byte: UInt8, into output: inout UTF8Output) {
        let row = (Int(lead) - (lead < 0xA0 ? 0x81 : 0xC1)) * 188
        lead = 0
        if (0x40...0x7E).contains(byte) || (0x80...0xFC).contains(byte) {
            let pointer = row + Int(byte) - (byte < 0x7F ? 0x40 : 0x41)
            if (8836...10715).contains(pointer) {
                // The rows that users fill: private use.
                output.append(codePoint: 0xE000 + UInt32(pointer - 8836))
                return
            }
            let character = index[pointer]
            if character.exists {
                output.append(character)
                return
            }
        }
        output.appendReplacement()
        if byte < 0x80 { output.append(ascii: byte) }
    }
}

/// EUC-JP: JIS X 0208 in two bytes, half-width katakana after 0x8E, JIS X 0212 after 0x8F.
struct EUCJPDecoder: ByteDecoder {
    private static let katakanaShift: UInt8 = 0x8E
    private static let supplementShift: UInt8 = 0x8F

    private let index = CharacterIndex.jis0208
    private var lead: UInt8 = 0
    private var isSupplement = false

    var isBetweenCharacters: Bool { lead == 0 }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        if lead != 0 {
            decodeTrail(byte, into: &output)
            return
        }
        switch byte {
        case 0..<0x80: output.append(ascii: byte)
        case Self.katakanaShift, Self.supplementShift, 0xA1...0xFE: lead = byte
        default: output.appendReplacement()
        }
    }

    mutating func finish(into output: inout UTF8Output) {
        guard lead != 0 else { return }
        (lead, isSupplement) = (0, false)
        output.appendReplacement()
    }

    private mutating func decodeTrail(_ byte: UInt8, into output: inout UTF8Output) {
        if lead == Self.katakanaShift, (0xA1...0xDF).contains(byte) {
            lead = 0
            output.append(codePoint: halfWidthKatakana(byte))
            return
        }
        if lead == Self.supplementShift, (0xA1...0xFE).contains(byte) {
            (lead, isSupplement) = (byte, true)
            return
        }
        let row = (Int(lead) - 0xA1) * 94
        let supplement = isSupplement
        let areBothInTable = lead >= 0xA1 && (0xA1...0xFE).contains(byte)
        (lead, isSupplement) = (0, false)
        if areBothInTable {
            let pointer = row + Int(byte) - 0xA1
            let character = supplement ? CharacterIndex.jis0212[pointer] : index[pointer]
            if character.exists {
                output.append(character)
                return
            }
        }
        output.appendReplacement()
        if byte < 0x80 { output.append(ascii: byte) }
    }
}

/// The half-width form of a katakana letter or mark, from its byte in JIS X 0201.
func halfWidthKatakana(_ byte: UInt8) -> UInt32 {
    0xFF61 + UInt32(byte) - 0xA1
}
