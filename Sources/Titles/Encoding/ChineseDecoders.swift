/// GBK and gb18030, which browsers decode alike: one, two or four bytes a character.
struct GB18030Decoder: ByteDecoder {
    private let index = CharacterIndex.gb18030
    private var first: UInt8 = 0
    private var second: UInt8 = 0
    private var third: UInt8 = 0

    var isBetweenCharacters: Bool { first == 0 }

    mutating func decode(byte: UInt8, into output: inout UTF8Output) {
        if third != 0 {
            decodeFourth(byte, into: &output)
        } else if second != 0 {
            if (0x81...0xFE).contains(byte) {
                third = byte
            } else {
                let digit = second
                (first, second) = (0, 0)
                output.appendReplacement()
                output.append(ascii: digit)
                decode(byte: byte, into: &output)
            }
        } else if first != 0 {
            decodeSecond(byte, into: &output)
        } else if byte < 0x80 {
            output.append(ascii: byte)
        } else if byte == 0x80 {
            output.append(codePoint: 0x20AC)
        } else if byte <= 0xFE {
            first = byte
        } else {
            output.appendReplacement()
        }
    }

    mutating func finish(into output: inout UTF8Output) {
        guard first != 0 else { return }
        (first, second, third) = (0, 0, 0)
        output.appendReplacement()
    }

    private mutating func decodeSecond(_ byte: UInt8, into output: inout UTF8Output) {
        if (0x30...0x39).contains(byte) {
            second = byte
            return
        }
        let lead = first
        first = 0
        if (0x40...0x7E).contains(byte) || (0x80...0xFE).contains(byte) {
            let row = (Int(lead) - 0x81) * 190
            let character = index[row + Int(byte) - (byte < 0x7F ? 0x40 : 0x41)]
            if character.exists {
                output.append(character)
                return
            }
        }
        output.appendReplacement()
        if byte < 0x80 { output.append(ascii: byte) }
    }

    private mutating func decodeFourth(_ byte: UInt8, into output: inout UTF8Output) {
        let (lead, digit, third) = (first, second, self.third)
        (first, second, self.third) = (0, 0, 0)
        guard (0x30...0x39).contains(byte) else {
            // Only the first byte is given up: the second is a digit, the third a lead again.
            output.appendReplacement()
            output.append(ascii: digit)
            first = third
            decode(byte: byte, into: &output)
            return
        }
        let row = (UInt32(lead) - 0x81) * 10 + UInt32(digit) - 0x30
        let pointer = (row * 126 + UInt32(third) - 0x81) * 10 + UInt32(byte) - 0x30
        if let codePoint = Self.codePoint(ofRangePointer: pointer) {
            output.append(codePoint: codePoint)
        } else {
            output.appendReplacement()
        }
    }

    /// The character of four bytes, which count through what the two-byte index leaves out.
    private static func codePoint(ofRangePointer pointer: UInt32) -> UInt32? {
        switch pointer {
        // U+E7C7 moved into the two-byte index when gb18030-2005 changed; its old place stays.
        case 7457: return 0xE7C7
        case 0...39419, 189_000...1_237_575: break
        default: return nil
        }
        // The last range that begins at or before the pointer.
        var (low, high) = (0, rangePointers.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if rangePointers[middle] <= pointer { low = middle } else { high = middle }
        }
        return rangeCodePoints[low] + (pointer - rangePointers[low])
    }
}

/// Big5 with the Hong Kong supplement: one or two bytes a character.
struct Big5Decoder: ByteDecoder {
    private let index = CharacterIndex.big5
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
        let row = (Int(lead) - 0x81) * 157
        lead = 0
        if (0x40...0x7E).contains(byte) || (0xA1...0xFE).contains(byte) {
            let pointer = row + Int(byte) - (byte < 0x7F ? 0x40 : 0x62)
            if let (letter, mark) = Self.letterWithMark(pointer) {
                output.append(codePoint: letter)
                output.append(codePoint: mark)
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

    /// The four pointers that stand for two code points: E with circumflex and another accent.
    private static func letterWithMark(_ pointer: Int) -> (UInt32, UInt32)? {
        switch pointer {
        case 1133: (0xCA, 0x304)
        case 1135: (0xCA, 0x30C)
        case 1164: (0xEA, 0x304)
        case 1166: (0xEA, 0x30C)
        default: nil
        }
    }
}
