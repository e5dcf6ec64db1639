/// A message for the journal in its native protocol: fields, each a name and a value.
///
/// Input: fields, whose values may be anything that a server has sent. Output: the bytes of one
/// datagram for ``JournalSocket``.
package struct JournalEntry: Sendable {
    /// Of a field, its name and the sign between included; a longer value is cut. In JSON, journalctl
    /// shows fields of 4096 bytes and more as null, unless it is asked for all. All fields of a
    /// message together stay below what a datagram takes (208 KiB).
    package static let mostBytes = 4095

    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Appends a field.
    ///
    /// - Parameter name: Of ASCII capitals, digits and `_`, a letter first.
    package mutating func append(_ name: String, _ value: String) {
        let value = value.cut(toBytes: Self.mostBytes - name.utf8.count - 1)
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
}
