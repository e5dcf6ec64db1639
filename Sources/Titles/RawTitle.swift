/// The bytes that a title was read from, before decoding.
///
/// They tell whether a title that reads otherwise than before is another one, or the same one in
/// another encoding. Kept are the slices of the page in which the title stands; in them it is looked
/// for by its tags, which every encoding but UTF-16 writes as ASCII.
struct RawTitle {
    /// Longer titles have no bytes.
    private static let most = 1 << 16

    private var slices: [UInt8] = []
    private var version = 0

    /// Takes in a slice of the page that was just read.
    ///
    /// - Parameters:
    ///   - wasReading: Whether a title was being read when the slice began.
    ///   - version: The number of the title that is first by now.
    mutating func took(_ slice: UnsafeRawBufferPointer, wasReading: Bool, version: Int) {
        if version != self.version {
            self.version = version
            slices = Array(slice)
        } else if wasReading, slices.count <= Self.most {
            slices.append(contentsOf: slice)
        }
    }

    /// The bytes between the tags of the title; nil if they cannot be found.
    func bytes(of title: String?, in encoding: Encoding?) -> [UInt8]? {
        guard let title, let encoding, slices.count <= Self.most else { return nil }
        let candidates = self.candidates()
        // A script before the title may hold what looks like one.
        let match = candidates.first { Self.text($0, in: encoding).utf8.elementsEqual(title.utf8) }
        return match ?? candidates.last
    }

    private func candidates() -> [[UInt8]] {
        var found: [[UInt8]] = []
        var at = slices.startIndex
        while let tag = find("<title", from: at) {
            guard let start = slices[tag...].firstIndex(of: UInt8(ascii: ">")) else { break }
            guard let end = find("</title", from: start) else { break }
            found.append(Array(slices[(start + 1)..<end]))
            at = end
        }
        return found
    }

    private func find(_ word: StaticString, from start: Int) -> Int? {
        let length = word.utf8CodeUnitCount
        guard slices.count - start >= length else { return nil }
        return (start...(slices.count - length)).first { at in
            (0..<length).allSatisfy { slices[at + $0].lowercasedASCII == word.utf8Start[$0] }
        }
    }

    /// What the bytes say, without character references undone.
    private static func text(_ bytes: [UInt8], in encoding: Encoding) -> String {
        var decoder = Decoder(encoding)
        var text = TitleText()
        bytes.withUnsafeBytes { bytes in decoder.decode(bytes) { text.append($0) } }
        decoder.finish { text.append($0) }
        return text.value
    }
}
