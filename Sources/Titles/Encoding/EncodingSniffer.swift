/// Where the encoding of a page was declared.
package enum EncodingSource: String, Sendable {
    case bom, http, meta, xml, `default`, override
}

/// What a page is to be read as, and why.
struct EncodingDecision: Equatable, Sendable {
    var encoding: Encoding
    var source: EncodingSource
    /// How many bytes at the page's start are a byte order mark: not to be decoded.
    var bomLength: Int
}

/// Decides a page's encoding from its first bytes, as browsers do.
///
/// A byte order mark comes before the user's choice, then the HTTP header, a `meta` tag, an XML
/// declaration, and a default. The answer depends on the page's bytes alone, never on how they
/// were cut.
struct EncodingSniffer {
    /// The name under which callers know the answer.
    typealias Decision = EncodingDecision

    /// How many bytes of a page may wait for a decision; then the declarations seen so far count.
    static let longestWait = 1 << 20

    private static let marks: [(bytes: [UInt8], encoding: Encoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16BE), ([0xFF, 0xFE], .utf16LE),
    ]

    /// What holds unless there is a byte order mark; `nil` if the page's text has to tell.
    private let declared: Decision?
    private let isXML: Bool

    /// The page's first bytes, for as long as they may become a byte order mark.
    private var opening: [UInt8] = []
    private var isPastMark = false
    private var scanned = 0
    private var declaration = XMLDeclaration()
    private var metaScanner = MetaScanner()

    /// Starts at the beginning of a page.
    ///
    /// - Parameters:
    ///   - httpCharset: What ``httpCharset(fromContentType:)`` found; ignored if no label.
    ///   - override: Chosen by the user; beats everything but a byte order mark.
    ///   - isXML: Whether the page is XML by its type: then no `meta` counts.
    init(httpCharset: String?, override: Encoding?, isXML: Bool) {
        self.isXML = isXML
        if let override {
            declared = Decision(encoding: override, source: .override, bomLength: 0)
        } else if let encoding = httpCharset.flatMap(Encoding.init(label:)) {
            declared = Decision(encoding: encoding, source: .http, bomLength: 0)
        } else {
            declared = nil
        }
    }

    /// Reads on; each byte of the page is given once, in order, until there is a decision.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes; the caller keeps them, all are to be decoded later.
    ///   - isLast: Whether the page ends with these bytes: then there is a decision.
    /// - Returns: `nil` as long as a later byte could change the answer.
    mutating func consider(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Decision? {
        var rest = bytes[...]
        if !isPastMark {
            while Self.mayBecomeMark(opening), let byte = rest.popFirst() { opening.append(byte) }
            if let mark = Self.marks.first(where: { $0.bytes == opening }) {
                return Decision(
                    encoding: mark.encoding, source: .bom, bomLength: mark.bytes.count)
            }
            if Self.mayBecomeMark(opening), !isLast { return nil }
            isPastMark = true
            if let declared { return declared }
            let start = opening
            if let found = start.withUnsafeBytes({ scan($0) }) { return found }
        }
        return scan(UnsafeRawBufferPointer(rebasing: rest)) ?? (isLast ? fallback : nil)
    }

    /// Whether more bytes could complete a byte order mark.
    private static func mayBecomeMark(_ opening: [UInt8]) -> Bool {
        marks.contains { $0.bytes.count > opening.count && $0.bytes.starts(with: opening) }
    }

    /// Looks for declarations in the next bytes of the page's text.
    private mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Decision? {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.longestWait - scanned))
        scanned += bytes.count
        declaration.read(bytes)
        if isXML || declaration.showsUTF16 {
            if !declaration.isOpen { return fallback }
        } else {
            switch metaScanner.read(bytes) {
            case .found(let encoding):
                return Decision(encoding: encoding, source: .meta, bomLength: 0)
            case .over: return fallback
            case .undecided: break
            }
        }
        return scanned == Self.longestWait ? fallback : nil
    }

    /// The answer when neither mark, header nor `meta` tells.
    private var fallback: Decision {
        if let encoding = declaration.encoding {
            return Decision(encoding: encoding, source: .xml, bomLength: 0)
        }
        return Decision(encoding: isXML ? .utf8 : .windows1252, source: .default, bomLength: 0)
    }
}
