extension Encoding {
    /// The encoding that a label stands for, as people and servers write it: `latin1`, ` GB2312 `.
    ///
    /// - Returns: `nil` for what the standard does not list.
    package init?(label: String) {
        var label = label
        let found = label.withUTF8 { Encoding(label: UnsafeRawBufferPointer($0)) }
        guard let found else { return nil }
        self = found
    }

    /// The encoding that a label stands for; white space around it and case do not matter.
    init?(label: UnsafeRawBufferPointer) {
        switch String(decoding: label, as: UTF8.self).lowercased() {
        case "utf-8", "utf8": self = .utf8
        case "windows-1252", "latin1", "iso-8859-1": self = .windows1252
        default: return nil
        }
    }

    /// The encoding that a label stands for, by the name that the command line uses.
    package static func encoding(forLabel label: String) -> Encoding? {
        Encoding(label: label)
    }
}
