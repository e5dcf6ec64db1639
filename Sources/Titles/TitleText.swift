/// A title being built: white space is stripped and collapsed as the text arrives.
///
/// However much is appended, at most ``limit`` bytes are kept.
struct TitleText {
    /// The longest title kept, in bytes of UTF-8; more is cut on a scalar boundary.
    static let limit = 1 << 20

    private var bytes: [UInt8] = []
    private var owesSpace = false
    private var isFull = false

    /// The title as it is by now.
    var value: String { String(decoding: bytes, as: UTF8.self) }

    /// Where appending stands; for ``cut(to:)``.
    var mark: Int { bytes.count }

    /// Takes back what was appended since a mark was taken.
    mutating func cut(to mark: Int) {
        bytes.removeLast(max(0, bytes.count - mark))
    }

    /// Begins again with nothing.
    mutating func clear() {
        bytes.removeAll()
        owesSpace = false
        isFull = false
    }

    /// Appends text; a piece begins and ends between characters.
    mutating func append(_ piece: UnsafeRawBufferPointer) {
        var at = 0
        while at < piece.count, !isFull {
            if piece[at].isASCIIWhitespace {
                owesSpace = true
                at += 1
                continue
            }
            let start = at
            repeat { at += 1 } while at < piece.count && !piece[at].isASCIIWhitespace
            appendWord(UnsafeRawBufferPointer(rebasing: piece[start..<at]))
        }
    }

    /// Appends one scalar.
    mutating func append(_ scalar: Unicode.Scalar) {
        withUnsafeBytes(of: UTF8Scalar(scalar)) { raw in
            append(UnsafeRawBufferPointer(rebasing: raw[..<UTF8Scalar.width(of: scalar)]))
        }
    }

    /// Appends one ASCII byte.
    mutating func append(ascii byte: UInt8) {
        append(Unicode.Scalar(byte))
    }

    private mutating func appendWord(_ word: UnsafeRawBufferPointer) {
        if owesSpace {
            owesSpace = false
            if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
        }
        let room = Self.limit - bytes.count
        if word.count <= room {
            bytes.append(contentsOf: word)
        } else {
            bytes.append(contentsOf: word[..<max(room, 0)])
            if word[max(room, 0)].isUTF8Continuation { dropUnfinishedScalar() }
            if bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
            isFull = true
        }
    }

    private mutating func dropUnfinishedScalar() {
        while let last = bytes.popLast(), last.isUTF8Continuation {}
    }
}

/// The UTF-8 of one scalar, in place; bytes beyond its width are zero.
struct UTF8Scalar {
    private var bytes: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)

    init(_ scalar: Unicode.Scalar) {
        let encoded = UTF8.encode(scalar)
        withUnsafeMutableBytes(of: &bytes) { raw in
            var at = 0
            for byte in encoded ?? UTF8.encodedReplacementCharacter {
                raw[at] = byte
                at += 1
            }
        }
    }

    /// How many bytes the scalar takes.
    static func width(of scalar: Unicode.Scalar) -> Int {
        UTF8.width(scalar)
    }
}

extension UInt8 {
    var isUTF8Continuation: Bool { self & 0xC0 == 0x80 }

    var isASCIIAlpha: Bool {
        let letter = self | 0x20
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
    }

    var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
