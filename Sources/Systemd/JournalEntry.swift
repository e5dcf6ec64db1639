/// A message for the journal in its native protocol: fields, each a name and a value.
///
/// Input: fields, whose values may be anything that a server has sent. Output: the bytes of one
/// datagram for ``JournalSocket``.
package struct JournalEntry: Sendable {
    /// Of a value; longer ones are cut. All fields of a message together stay below what a
    /// datagram takes (208 KiB), and below what journalctl shows without `--all` in most.
    package static let mostBytes = 8 << 10

    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Appends a field.
    ///
    /// - Parameter name: Of ASCII capitals, digits and `_`, a letter first.
    package mutating func append(_ name: String, _ value: String) {
        let value = Self.cut(value)
        bytes += name.utf8
        if value.utf8.contains(UInt8(ascii: "\n")) {
            // With its length, so that no line of the value can begin another field.
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The value, or as much of its beginning as there is room for, and an ellipsis.
    private static func cut(_ value: String) -> Substring {
        guard value.utf8.count > mostBytes else { return value[...] }
        let mark = "…"
        var end = value.utf8.index(value.startIndex, offsetBy: mostBytes - mark.utf8.count)
        // Down to where a character's bytes begin.
        while value.utf8[end] & 0xC0 == 0x80 { end = value.utf8.index(before: end) }
        return value[..<end] + mark
    }
}
