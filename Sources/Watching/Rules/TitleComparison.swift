import Patterns

/// Compares titles as the rules of a target say: without what is ignored, and by NFC.
struct TitleComparison {
    /// Places removed for one pattern; bounds the work that a page can cause with a long title.
    private static let mostPlaces = 100

    private let ignore: [Pattern]
    /// What was compared of titles so far: each is asked for several times in one decision.
    private var known: [(title: String, compared: String)] = []
    /// The patterns that gave up on a title of this comparison's.
    private(set) var exceeded: [String] = []

    init(_ rules: Rules) { ignore = rules.ignore }

    /// Whether the rules hold the titles for the same.
    mutating func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        // Swift's == holds canonically equivalent strings for equal, which is comparing by NFC,
        // and is wanted here: a server that writes é in another way has not changed its title.
        return one == other || (!ignore.isEmpty && compared(one) == compared(other))
    }

    /// What of a title is compared: white space collapsed where something was removed, and all of
    /// it if nothing else were left.
    mutating func compared(_ title: String) -> String {
        guard !ignore.isEmpty else { return title }
        // Looked for among at most a dozen, by bytes: a pattern may tell normal forms apart.
        if let known = known.first(where: { Watching.isSame($0.title, title) }) {
            return known.compared
        }
        var rest = title
        for pattern in ignore { rest = removing(pattern, from: rest) }
        let collapsed = Self.collapsed(rest)
        let compared = collapsed.isEmpty ? title : collapsed
        known.append((title, compared))
        return compared
    }

    private mutating func removing(_ pattern: Pattern, from text: String) -> String {
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var at = 0
        var places = 0
        // A cut lies on scalars' first bytes, so what is kept is valid UTF-8.
        search: while at <= bytes.count, places < Self.mostPlaces {
            switch pattern.firstMatch(in: text, from: at) {
            case .match(let found):
                // \K in a look-behind can put the start before where the search began.
                let start = max(found.lowerBound, at)
                kept += bytes[at..<start]
                places += 1
                at = max(found.upperBound, start)
                if found.isEmpty, !Self.copyScalar(from: bytes, &at, to: &kept) { break search }
            case .noMatch: break search
            case .limitExceeded:
                if !exceeded.contains(pattern.source) { exceeded.append(pattern.source) }
                break search
            }
        }
        guard places > 0 else { return text }
        if at < bytes.count { kept += bytes[at...] }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Copies the scalar that begins at `at`.
    ///
    /// - Returns: false if there is none.
    private static func copyScalar(
        from bytes: [UInt8], _ at: inout Int, to kept: inout [UInt8]
    ) -> Bool {
        guard at < bytes.count else { return false }
        repeat {
            kept.append(bytes[at])
            at += 1
        } while at < bytes.count && bytes[at] & 0xC0 == 0x80
        return true
    }

    private static func collapsed(_ text: String) -> String {
        var collapsed = String.UnicodeScalarView()
        var isGap = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isGap = !collapsed.isEmpty
            } else {
                if isGap { collapsed.append(" ") }
                isGap = false
                collapsed.append(scalar)
            }
        }
        return String(collapsed)
    }
}
