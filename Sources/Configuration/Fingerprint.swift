/// FNV-1a with 64 bits: the same in every run, unlike the standard library's hashes.
struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Takes a text in, and that it ends here.
    mutating func add(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        // No UTF-8 has this byte.
        mix(0xFF)
    }

    private mutating func mix(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    /// Takes a number in.
    mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            mix(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// 16 bits of a secret. An edit goes unnoticed once in 65,536 times, and then only over a
    /// restart; the secret can't be found from them.
    static func trace(of secret: String) -> UInt16 {
        var fingerprint = Fingerprint()
        fingerprint.add(secret)
        let value = fingerprint.value
        return UInt16(truncatingIfNeeded: value ^ value >> 16 ^ value >> 32 ^ value >> 48)
    }
}
