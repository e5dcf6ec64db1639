/// A start or end tag as the tokenizer read it.
struct Tag {
    var name = ElementName()
    var tag = TagName.other
    var isEnd = false
    var isSelfClosing = false
    var hasAttributes = false
    var attributes = KeptAttributes()

    /// Begins a tag; nothing of the one before is left.
    mutating func begin(isEnd: Bool) {
        name = ElementName()
        self.isEnd = isEnd
        isSelfClosing = false
        hasAttributes = false
        attributes.begin([])
    }

    /// Takes note that the name is complete.
    mutating func endName() {
        tag = TagName(name)
        guard !isEnd else { return }
        switch tag {
        case .meta: attributes.begin([.httpEquiv, .content])
        case .base: attributes.begin([.href])
        case .font: attributes.begin([.color, .face, .size])
        case .annotationXML: attributes.begin([.encoding])
        case .input: attributes.begin([.type])
        default: break
        }
    }
}

/// The few attributes that matter, with bounded memory.
struct KeptAttributes {
    /// The attributes that any rule asks for.
    struct Names: OptionSet {
        let rawValue: UInt8
        static let httpEquiv = Names(rawValue: 1)
        static let content = Names(rawValue: 2)
        static let href = Names(rawValue: 4)
        static let color = Names(rawValue: 8)
        static let face = Names(rawValue: 16)
        static let size = Names(rawValue: 32)
        static let encoding = Names(rawValue: 64)
        static let type = Names(rawValue: 128)
    }

    /// A longer value counts as empty: no address that works is as long.
    private static let longestValue = 1 << 16
    private static let httpEquiv = ElementName("http-equiv")
    private static let content = ElementName("content")
    private static let href = ElementName("href")
    private static let color = ElementName("color")
    private static let face = ElementName("face")
    private static let size = ElementName("size")
    private static let encoding = ElementName("encoding")
    private static let type = ElementName("type")

    /// Those of the current tag that are kept.
    private(set) var wanted: Names = []
    /// Those that the tag has.
    private(set) var present: Names = []
    /// The value of `content`.
    private(set) var content: [UInt8] = []
    /// The value of the one other attribute that a tag's rules ask for.
    private(set) var value: [UInt8] = []
    private(set) var current: Names = []
    private var lastWasCR = false

    /// Whether the value being read is kept.
    var keepsValue: Bool { !current.isEmpty }

    /// Whether an attribute that has not come yet is asked for.
    var wantsMore: Bool { wanted.rawValue & ~present.rawValue != 0 }

    mutating func begin(_ names: Names) {
        wanted = names
        present = []
        current = []
        if !content.isEmpty { content.removeAll(keepingCapacity: true) }
        if !value.isEmpty { value.removeAll(keepingCapacity: true) }
    }

    /// Takes note of a complete name; the first attribute of a name counts.
    mutating func beginValue(of name: ElementName) {
        current = []
        guard wantsMore else { return }
        lastWasCR = false
        let known = Self.known(name)
        guard wanted.contains(known), !present.contains(known) else { return }
        present.insert(known)
        current = known
    }

    /// The attribute of that name; empty for one that no rule asks for. The length alone tells
    /// most names apart.
    private static func known(_ name: ElementName) -> Names {
        switch name.count {
        case 4 where name == href: .href
        case 4 where name == face: .face
        case 4 where name == size: .size
        case 4 where name == type: .type
        case 5 where name == color: .color
        case 7 where name == content: .content
        case 8 where name == encoding: .encoding
        case 10 where name == httpEquiv: .httpEquiv
        default: []
        }
    }

    mutating func endValue() { current = [] }

    /// Appends one byte of the page; line ends become LF.
    mutating func append(_ byte: UInt8) {
        let followsCR = lastWasCR
        lastWasCR = byte == 0x0D
        if followsCR, byte == 0x0A { return }
        appendVerbatim(lastWasCR ? 0x0A : byte)
    }

    /// Appends bytes of the page among which there is no line end.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        lastWasCR = false
        // One byte beyond the limit says that the value was too long.
        if current == .content {
            content.append(contentsOf: bytes.prefix(Self.longestValue + 1 - content.count))
        } else {
            value.append(contentsOf: bytes.prefix(Self.longestValue + 1 - value.count))
        }
    }

    /// Appends what a reference stands for.
    mutating func append(_ scalar: Unicode.Scalar) {
        lastWasCR = false
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { appendVerbatim(byte) }
    }

    private mutating func appendVerbatim(_ byte: UInt8) {
        // One byte beyond the limit says that the value was too long.
        if current == .content {
            if content.count <= Self.longestValue { content.append(byte) }
        } else if value.count <= Self.longestValue {
            value.append(byte)
        }
    }

    /// The value of `content` as a string; empty when it is missing or too long.
    var contentString: String {
        content.count <= Self.longestValue ? String(decoding: content, as: UTF8.self) : ""
    }

    /// The other value as a string; nil when the attribute is missing.
    func string(of name: Names) -> String? {
        guard present.contains(name) else { return nil }
        return value.count <= Self.longestValue ? String(decoding: value, as: UTF8.self) : ""
    }

    /// Whether the other value is `text`, which is in lower case, in any case of ASCII.
    func value(is text: StaticString) -> Bool {
        guard value.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { expected in
            zip(value, expected).allSatisfy { $0.lowercasedASCII == $1 }
        }
    }
}
