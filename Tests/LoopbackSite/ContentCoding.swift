import CZlib

/// How a body is encoded for the way.
enum ContentCoding: String, CaseIterable {
    case gzip
    /// As the standard says: zlib's format.
    case deflate
    /// As some servers say it: without zlib's head and check.
    case rawdeflate = "raw-deflate"
    case br
    case zstd

    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The encoded bytes. Brotli and Zstandard are written with stored blocks only: valid, and
    /// not smaller.
    func encode(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .gzip:
            let check = UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
            return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Self.deflated(bytes)
                + Self.littleEndian(check) + Self.littleEndian(UInt32(bytes.count))
        case .deflate: return Self.zlib(bytes)
        case .rawdeflate: return Self.deflated(bytes)
        case .br: return Self.brotli(bytes)
        case .zstd: return Self.zstandard(bytes)
        }
    }

    private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var size = compressBound(UInt(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(size))
        // Fails only without memory or room, and the bound is room enough.
        _ = compress2(&result, &size, bytes, UInt(bytes.count), Z_DEFAULT_COMPRESSION)
        return Array(result.prefix(Int(size)))
    }

    /// zlib's stream without the two bytes of head and the four of check.
    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        Array(zlib(bytes).dropFirst(2).dropLast(4))
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// RFC 7932: a window of 16 bits, uncompressed meta-blocks, an empty last one.
    private static func brotli(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 65_536) {
            let piece = bytes[start...].prefix(65_536)
            // ISLAST 0, MNIBBLES 0 (four), MLEN - 1 in 16 bits, ISUNCOMPRESSED 1.
            var bits = UInt32(piece.count - 1) << 3 | 1 << 19
            // The window's one bit (0) comes first of all.
            if start == 0 { bits <<= 1 }
            result += littleEndian(bits).prefix(3) + piece
        }
        return result + [bytes.isEmpty ? 0b110 : 0b11]
    }

    /// RFC 8878: a window of 2 MiB, raw blocks, no check.
    private static func zstandard(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58]
        for start in stride(from: 0, to: bytes.count, by: 131_072) {
            let piece = bytes[start...].prefix(131_072)
            let isLast: UInt32 = start + piece.count == bytes.count ? 1 : 0
            result += littleEndian(UInt32(piece.count) << 3 | isLast).prefix(3) + piece
        }
        return bytes.isEmpty ? result + [1, 0, 0] : result
    }
}
