extension Encoding {
    /// The encoding that a label stands for, as people and servers write it: `latin1`, ` GB2312 `.
    ///
    /// - Returns: `nil` for what the standard does not list.
    package init?(label: String) {
        var label = label
        guard let found = label.withUTF8({ Encoding(label: UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self = found
    }

    /// The encoding that a label stands for; ASCII white space around it and case do not matter.
    init?(label: UnsafeRawBufferPointer) {
        let label = label.trimmingASCIIWhitespace()
        // By far the most pages say this, and the list is long.
        if label.elementsEqual("utf-8".utf8) || label.elementsEqual("UTF-8".utf8) {
            self = .utf8
            return
        }
        guard !label.isEmpty, let name = Encoding.name(ofLabel: label),
            let encoding = Encoding(rawValue: name)
        else { return nil }
        self = encoding
    }

    /// The encoding that a label stands for, under the name that the command line uses.
    package static func encoding(forLabel label: String) -> Encoding? {
        Encoding(label: label)
    }

    /// Looks the label up in the list: a page or two of text, read once a page at most.
    private static func name(ofLabel label: Slice<UnsafeRawBufferPointer>) -> String? {
        labelList.withUTF8Buffer { list in
            for line in list.split(separator: UInt8(ascii: "\n")) {
                let words = line.split(separator: UInt8(ascii: " "))
                guard let name = words.first else { continue }
                let isListed = words.dropFirst().contains { word in
                    word.elementsEqual(label.lazy.map { $0.lowercasedASCII })
                }
                if isListed { return String(decoding: name, as: UTF8.self) }
            }
            return nil
        }
    }
}

extension UInt8 {
    /// Whether this is TAB, LF, FF, CR or SPACE: the standards' ASCII white space.
    var isASCIIWhitespace: Bool {
        self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C
    }

    /// This byte, `A` to `Z` turned into `a` to `z`.
    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes without the ASCII white space at both ends.
    fileprivate func trimmingASCIIWhitespace() -> Slice<UnsafeRawBufferPointer> {
        var rest = self[...]
        while let first = rest.first, first.isASCIIWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.isASCIIWhitespace { rest = rest.dropLast() }
        return rest
    }
}
