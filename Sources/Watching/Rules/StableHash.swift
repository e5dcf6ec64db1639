/// FNV-1a with 64 bits: the same number for the same bytes in every run and version.
///
/// The standard library's hash differs from run to run, so it can neither be stored nor spread
/// targets the same way twice. This one keeps no secret and resists no forger.
struct StableHash {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }

    /// Adds a text and its end, so that "a", "b" and "ab", "" differ; nil is not "".
    mutating func add(_ text: String?) {
        guard let text else { return add(CollectionOfOne(0xFE)) }
        add(text.utf8)
        // No byte of UTF-8.
        add(CollectionOfOne(0xFF))
    }

    mutating func add(_ number: some FixedWidthInteger) {
        var rest = UInt64(truncatingIfNeeded: number)
        for _ in 0..<8 {
            add(CollectionOfOne(UInt8(truncatingIfNeeded: rest)))
            rest >>= 8
        }
    }

    /// The value with its bits mixed: FNV's upper bits hardly differ for short, alike texts.
    var mixed: UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 33)) &* 0xff51_afd7_ed55_8ccd
        mixed = (mixed ^ (mixed >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        return mixed ^ (mixed >> 33)
    }

    static func of(_ text: String?) -> UInt64 {
        var hash = StableHash()
        hash.add(text)
        return hash.value
    }
}
