/// Appends numbers and strings to bytes that ``ByteReader`` reads: the inside of the store's blobs.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// A number of any size: seven bits a byte, the lowest first, small magnitudes of either sign
    /// short.
    mutating func append(_ number: Int64) {
        append(unsigned: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    mutating func append(_ number: Int) { append(Int64(number)) }

    mutating func append(_ number: Int64?) {
        append(number != nil)
        if let number { append(number) }
    }

    mutating func append(_ truth: Bool) { bytes.append(truth ? 1 : 0) }

    mutating func append(_ text: String) {
        append(unsigned: UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Nil is not the same as "".
    mutating func append(_ text: String?) {
        append(text != nil)
        if let text { append(text) }
    }

    mutating func append(_ texts: [String?]) {
        append(unsigned: UInt64(texts.count))
        for text in texts { append(text) }
    }

    private mutating func append(unsigned number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Reads what ``ByteWriter`` wrote. Bytes may come from a damaged file: every read may fail, and
/// none traps or allocates more than there are bytes.
struct ByteReader {
    /// The bytes end too soon, or are none that the writer makes.
    struct Malformed: Error {}

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func number() throws(Malformed) -> Int64 {
        let number = try unsigned()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    mutating func optionalNumber() throws(Malformed) -> Int64? {
        try truth() ? try number() : nil
    }

    mutating func truth() throws(Malformed) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw Malformed()
        }
    }

    mutating func text() throws(Malformed) -> String {
        let count = try count()
        // Repairing what is no UTF-8 would tell a title that nobody showed.
        guard let text = String(validating: bytes[index..<index + count], as: UTF8.self) else {
            throw Malformed()
        }
        index += count
        return text
    }

    mutating func optionalText() throws(Malformed) -> String? {
        try truth() ? try text() : nil
    }

    mutating func optionalTexts() throws(Malformed) -> [String?] {
        var texts: [String?] = []
        for _ in 0..<(try count()) { texts.append(try optionalText()) }
        return texts
    }

    mutating func byte() throws(Malformed) -> UInt8 {
        guard index < bytes.count else { throw Malformed() }
        defer { index += 1 }
        return bytes[index]
    }

    /// A count of things of at least a byte each.
    mutating func count() throws(Malformed) -> Int {
        let number = try unsigned()
        guard number <= UInt64(bytes.count - index) else { throw Malformed() }
        return Int(number)
    }

    private mutating func unsigned() throws(Malformed) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw Malformed() }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }
}
