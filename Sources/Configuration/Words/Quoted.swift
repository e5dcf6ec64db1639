/// Text of others between double quotes, as YAML and JSON read it: part of one line, always.
enum Quoted {
    /// Scalars of a text that an error shows; who wrote it finds the rest. Not characters: one of
    /// these may have thousands of marks.
    private static let mostShown = 200

    /// For people: a long text is cut.
    static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard text.utf8.count > mostShown, scalars.count > mostShown else { return whole(text) }
        return "\"" + escaped(String(scalars.prefix(mostShown)), quotes: true) + "…\""
    }

    /// For reading back: nothing is cut.
    static func whole(_ text: String) -> String { "\"" + escaped(text, quotes: true) + "\"" }

    /// Without quotes around it, so that it fits in the middle of a line.
    static func escaped(_ text: String, quotes: Bool = false) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"" where quotes, "\\" where quotes:
                shown += "\\"
                shown.unicodeScalars.append(scalar)
            case _ where isUnsafe(scalar):
                let digits = String(scalar.value, radix: 16, uppercase: true)
                shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// Whether a byte stands for itself, whatever is around it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Whether a scalar could forge a line or turn text around, or may not stand in YAML.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xFEFF, 0xFFFE, 0xFFFF:
            true
        default: false
        }
    }
}
