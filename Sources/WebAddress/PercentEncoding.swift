/// Percent-encoding as the URL standard's parser does it, for what stands behind the authority.
enum PercentEncoding {
    /// Encodes what may not stand raw in a path, query or fragment: controls, space, quotes, angle
    /// brackets, the accent grave and braces of a path, and every byte that is not ASCII. What is
    /// encoded already stays as it is.
    static func encoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var isPath = true
        for byte in text {
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { isPath = false }
            if mustEncode(byte, inPath: isPath) {
                result += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func mustEncode(_ byte: UInt8, inPath: Bool) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...0xFF, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"):
            true
        case UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            inPath
        default:
            false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
