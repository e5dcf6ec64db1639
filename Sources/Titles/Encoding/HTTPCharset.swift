extension EncodingSniffer {
    /// The charset that a Content-Type header names, as browsers find it.
    ///
    /// Browsers search for the word rather than parse the header, so that quotes, blanks and
    /// case do not matter, and text behind the label does no harm.
    ///
    /// - Returns: The label as written, known or not; `nil` if there is none.
    static func httpCharset(fromContentType header: String) -> String? {
        let bytes = Array(header.utf8)
        let word = Array("charset".utf8)
        var position = 0
        while let start = bytes.indexOfWord(word, from: position) {
            position = start + word.count
            // `xcharset=` is another parameter.
            if start > 0, bytes[start - 1] > 0x20, bytes[start - 1] != UInt8(ascii: ";") {
                continue
            }
            bytes.skip(from: &position) { $0 <= 0x20 }
            guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else { continue }
            position += 1
            bytes.skip(from: &position) { $0 <= 0x20 || $0.isQuote }
            let label = bytes[position...].prefix {
                $0 > 0x20 && !$0.isQuote && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",")
            }
            return label.isEmpty ? nil : String(decoding: label, as: UTF8.self)
        }
        return nil
    }
}

extension MetaScanner {
    /// The charset that the `content` of a `meta http-equiv=content-type` names.
    ///
    /// - Returns: `nil` if there is none, or if its quote is never closed.
    static func charset(fromContent bytes: [UInt8]) -> [UInt8]? {
        let word = Array("charset".utf8)
        var position = 0
        while let start = bytes.indexOfWord(word, from: position) {
            position = start + word.count
            bytes.skip(from: &position) { $0 <= 0x20 }
            guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else { continue }
            position += 1
            bytes.skip(from: &position) { $0 <= 0x20 }
            guard position < bytes.count else { return nil }
            let quote = bytes[position]
            if quote.isQuote {
                let rest = bytes[(position + 1)...]
                return rest.firstIndex(of: quote).map { Array(rest[..<$0]) }
            }
            return Array(
                bytes[position...].prefix {
                    $0 > 0x20 && !$0.isQuote && $0 != UInt8(ascii: ";")
                })
        }
        return nil
    }
}

extension [UInt8] {
    /// Where `word`, in lower case, next occurs in any case.
    fileprivate func indexOfWord(_ word: [UInt8], from start: Int) -> Int? {
        guard count - start >= word.count else { return nil }
        return (start...(count - word.count)).first { position in
            word.indices.allSatisfy { self[position + $0].lowercasedASCII == word[$0] }
        }
    }

    /// Moves `position` past every byte of a kind.
    fileprivate func skip(from position: inout Int, while isSkipped: (UInt8) -> Bool) {
        while position < count, isSkipped(self[position]) { position += 1 }
    }
}

extension UInt8 {
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
}
