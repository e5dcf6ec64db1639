/// Finds the `meta` tag that declares a page's encoding.
///
/// Browsers look at the first 1,024 bytes whatever they hold, and go on for as long as all tags
/// belong into a head. A real tokenizer does the looking: what is written in a script, a style, a
/// title or a comment is no tag.
struct MetaScanner {
    /// What is known after some bytes.
    enum Verdict: Equatable {
        case found(Encoding)
        /// No later tag counts.
        case over
        case undecided
    }

    /// Tags that begin in this many bytes count wherever they stand.
    private static let unconditionalLength = 1024

    private static let headElements = Set(
        ["script", "noscript", "style", "link", "meta", "object", "title", "base"]
            .map { Array($0.utf8) })
    /// Of these only the start tags belong into a head.
    private static let outerElements = Set(["html", "head"].map { Array($0.utf8) })

    private var tags = TagScanner()
    private var position = 0
    private var isInHead = true

    /// Reads the next bytes of the page.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        var offset = 0
        while offset < bytes.count {
            guard isGoingOn else { return .over }
            if isInHead {
                let run = tags.skippableRun(of: bytes, from: offset)
                offset += run
                position += run
                guard offset < bytes.count else { break }
            }
            let isTagComplete = tags.read(bytes[offset])
            offset += 1
            position += 1
            guard isTagComplete else { continue }
            if !tags.isEndTag, let encoding = tags.meta.encoding { return .found(encoding) }
            if !belongsIntoHead { isInHead = false }
        }
        return isGoingOn ? .undecided : .over
    }

    /// Whether a tag that is not yet complete can still count.
    private var isGoingOn: Bool {
        isInHead || position < Self.unconditionalLength || tags.isInsideTag
    }

    /// Whether the tag just read can stand in a head.
    private var belongsIntoHead: Bool {
        Self.headElements.contains(tags.name)
            || !tags.isEndTag && Self.outerElements.contains(tags.name)
    }
}

/// What the attributes of one `meta` tag say about the encoding.
struct MetaAttributes {
    private var isContentType = false
    private var needsContentType = false
    private var hasCharset = false
    private var label: [UInt8] = []

    /// Takes one attribute; `charset` counts more than `content`, even if its label is not known.
    ///
    /// - Parameters:
    ///   - name: In lower case.
    ///   - value: As written.
    mutating func add(name: [UInt8], value: [UInt8]) {
        if name.elementsEqual("http-equiv".utf8) {
            if value.lazy.map(\.lowercasedASCII).elementsEqual("content-type".utf8) {
                isContentType = true
            }
        } else if name.elementsEqual("charset".utf8) {
            label = value
            hasCharset = true
            needsContentType = false
        } else if !hasCharset, name.elementsEqual("content".utf8) {
            label = MetaScanner.charset(fromContent: value) ?? []
            needsContentType = true
        }
    }

    /// The encoding to read the page as; `nil` if the tag declares none that we know.
    var encoding: Encoding? {
        guard isContentType || !needsContentType else { return nil }
        let encoding = label.withUnsafeBytes { Encoding(label: $0) }
        return switch encoding {
        // The tag was read as ASCII, so UTF-16 it is not.
        case .utf16LE, .utf16BE: .utf8
        case .userDefined: .windows1252
        default: encoding
        }
    }
}
