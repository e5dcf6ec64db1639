/// The XML declaration at a page's very beginning, which browsers heed in HTML too.
struct XMLDeclaration {
    /// A declaration longer than this is none.
    private static let longest = 1024

    private static let start = Array("<?xml".utf8)
    /// `<?x` in UTF-16 without a byte order mark.
    private static let utf16Starts: [(bytes: [UInt8], encoding: Encoding)] = [
        ([0x3C, 0, 0x3F, 0, 0x78, 0], .utf16LE), ([0, 0x3C, 0, 0x3F, 0, 0x78], .utf16BE),
    ]

    /// The encoding it names; `nil` while it is open, and if there is none that we know.
    private(set) var encoding: Encoding?
    /// Whether more bytes can still tell something.
    private(set) var isOpen = true
    /// Whether the page's first bytes can only be UTF-16.
    private(set) var showsUTF16 = false

    private var bytes: [UInt8] = []

    /// Reads the next bytes of the page, as far as the declaration goes.
    mutating func read(_ more: UnsafeRawBufferPointer) {
        for byte in more {
            guard isOpen else { return }
            bytes.append(byte)
            if let utf16 = Self.utf16Starts.first(where: { $0.bytes == bytes }) {
                (encoding, isOpen, showsUTF16) = (utf16.encoding, false, true)
            } else if bytes.count > Self.start.count, byte == UInt8(ascii: ">") {
                (encoding, isOpen) = (Self.encoding(named: bytes), false)
            } else if !mayGoOn {
                isOpen = false
            }
        }
    }

    /// Whether what was read so far begins like a declaration.
    private var mayGoOn: Bool {
        guard bytes.count <= Self.longest else { return false }
        if bytes.count > Self.start.count { return bytes.starts(with: Self.start) }
        return Self.start.starts(with: bytes)
            || Self.utf16Starts.contains { $0.bytes.starts(with: bytes) }
    }

    /// The encoding that a whole declaration names.
    private static func encoding(named declaration: [UInt8]) -> Encoding? {
        let word = Array("encoding".utf8)
        guard declaration.starts(with: start),
            let found = declaration.indices.first(where: {
                declaration[$0...].starts(with: word)
            })
        else { return nil }
        var rest = declaration[(found + word.count)...].drop { $0 <= 0x20 }
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop { $0 <= 0x20 }
        guard let quote = rest.popFirst(),
            quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = rest.firstIndex(of: quote), rest[..<end].allSatisfy({ $0 > 0x20 })
        else { return nil }
        let encoding = rest[..<end].withUnsafeBytes { Encoding(label: $0) }
        // It could be read as ASCII, so UTF-16 it is not.
        return encoding == .utf16LE || encoding == .utf16BE ? .utf8 : encoding
    }
}
