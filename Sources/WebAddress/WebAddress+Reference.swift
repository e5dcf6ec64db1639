/// How a text becomes what libcurl's parser takes: by the URL standard's rules, where that parser
/// has its own.
extension WebAddress {
    /// A text as libcurl's parser is to see it, and where the ":" of its scheme stands.
    struct Reference {
        var bytes: [UInt8]
        var schemeEnd: Int?
    }

    /// Brings the slashes behind the scheme, and dot segments, into their plain form.
    ///
    /// A backslash is a slash, and so many slashes as there are behind a scheme begin a host;
    /// only a scheme that is the base's own, with one slash or none behind it, says nothing: what
    /// follows is relative.
    static func plain(_ text: [UInt8], schemeEnd: Int?, base: Scheme?) -> Reference {
        var bytes = text
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "?") || bytes[index] == UInt8(ascii: "#") { break }
            if bytes[index] == UInt8(ascii: "\\") { bytes[index] = slash }
        }
        var schemeEnd = schemeEnd
        var start = schemeEnd.map { $0 + 1 } ?? 0
        let slashes = bytes[start...].prefix { $0 == slash }.count
        if let end = schemeEnd, slashes < 2,
            base?.rawValue == String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        {
            bytes.removeFirst(start)
            // Else "a:b" would be of the scheme "a".
            if slashes == 0, bytes.contains(UInt8(ascii: ":")) { bytes = [dot, slash] + bytes }
            schemeEnd = nil
            start = 0
        } else if schemeEnd != nil || slashes > 2 {
            if slashes != 2 {
                bytes.replaceSubrange(start..<(start + slashes), with: [slash, slash])
            }
        }
        writeDotsPlainly(&bytes, from: start)
        return Reference(bytes: bytes, schemeEnd: schemeEnd)
    }

    /// "%2e" is a dot where a segment has nothing but one or two.
    private static func writeDotsPlainly(_ bytes: inout [UInt8], from start: Int) {
        guard bytes.contains(UInt8(ascii: "%")) else { return }
        let end =
            bytes[start...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            ?? bytes.count
        let segments = bytes[start..<end].split(separator: slash, omittingEmptySubsequences: false)
            .map { segment in dots(segment) ?? Array(segment) }
        bytes.replaceSubrange(start..<end, with: Array(segments.joined(separator: [slash])))
    }

    /// One dot or two, if that is what the segment means.
    private static func dots(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = segment
        var result: [UInt8] = []
        while let first = rest.first {
            let isEncoded =
                rest.count >= 3
                && String(decoding: rest.prefix(3), as: UTF8.self).lowercased() == "%2e"
            guard first == dot || isEncoded, result.count < 2 else { return nil }
            rest = rest.dropFirst(isEncoded ? 3 : 1)
            result.append(dot)
        }
        return result.isEmpty ? nil : result
    }

    /// The scheme that was meant by one that is almost it; nil if it is none that one would
    /// mistype so.
    static func suggestedScheme(for name: String) -> Scheme? {
        let near = [Scheme.http, .https].map { scheme in
            (scheme: scheme, distance: distance(Array(name.utf8), Array(scheme.rawValue.utf8)))
        }
        guard let best = near.min(by: { $0.distance < $1.distance }) else { return nil }
        // "ftp" and "smtp" are two letters away.
        return best.distance == 1 || best.distance == 2 && name.hasPrefix("h") ? best.scheme : nil
    }

    /// How many letters are to be put in, taken out or changed to make one of the other.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, letter) in a.prefix(20).enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }

    private static var slash: UInt8 { UInt8(ascii: "/") }
    private static var dot: UInt8 { UInt8(ascii: ".") }
}
