import CZlib
import CZstd
import Testing

@testable import Fetching

private let plain = Array(String(repeating: "<title>Brotli</title>", count: 40).utf8)
/// `plain` as libbrotlienc wrote it (quality 5, window 22).
private let brotli: [UInt8] = [
    27, 71, 3, 0, 4, 28, 135, 247, 191, 239, 27, 17, 41, 11, 129, 167, 176, 156, 170, 148, 131, 245,
    241, 9, 118, 187, 0,
]

private func deflated(_ bytes: [UInt8], windowBits: CInt) -> [UInt8] {
    var stream = z_stream()
    guard
        deflateInit2_(
            &stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)) == Z_OK
    else { return [] }
    defer { deflateEnd(&stream) }
    var (input, output) = (bytes, [UInt8](repeating: 0, count: bytes.count + 1000))
    let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = uInt(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = uInt(output.count)
            deflate(&stream, Z_FINISH)
            return output.count - Int(stream.avail_out)
        }
    }
    return Array(output[..<count])
}

private func zstd(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let count = ZSTD_compress(&output, output.count, bytes, bytes.count, 3)
    return Array(output[..<count])
}

/// Decodes a body fed in pieces of that size.
private func decode(
    _ body: [UInt8], _ codings: [String], piece: Int = .max
) throws -> (bytes: [UInt8], isComplete: Bool) {
    let decoding = try #require(try ContentDecoding(codings: codings))
    var result: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
        let next = Array(rest.prefix(piece))
        rest = rest.dropFirst(next.count)
        try next.withUnsafeBytes { bytes in
            var bytes = bytes
            while let plain = try decoding.next(&bytes) { result += plain }
        }
    }
    return (result, decoding.isComplete)
}

@Suite struct `A coded body` {
    static let bodies: [(String, [UInt8])] = [
        ("gzip", deflated(plain, windowBits: 31)), ("x-gzip", deflated(plain, windowBits: 31)),
        ("deflate", deflated(plain, windowBits: 15)), ("deflate", deflated(plain, windowBits: -15)),
        ("br", brotli), ("zstd", zstd(plain)),
    ]

    @Test(arguments: bodies, [1, 2, 7, Int.max])
    func `decodes the same however it is cut`(body: (String, [UInt8]), piece: Int) throws {
        let decoded = try decode(body.1, [body.0], piece: piece)
        #expect(decoded.bytes == plain)
        #expect(decoded.isComplete)
    }

    @Test(arguments: bodies)
    func `that ends early is not complete`(body: (String, [UInt8])) throws {
        let decoded = try decode(Array(body.1.dropLast(2)), [body.0])
        #expect(!decoded.isComplete)
    }

    @Test(arguments: bodies)
    func `may have junk behind it`(body: (String, [UInt8])) throws {
        let decoded = try decode(body.1 + Array("junk".utf8), [body.0])
        #expect(decoded.bytes == plain)
        #expect(decoded.isComplete)
    }

    @Test(arguments: ["gzip", "br", "zstd"])
    func `that is no such thing is corrupt`(coding: String) throws {
        #expect(throws: DecodingFailure.corrupt(coding: coding)) {
            try decode(Array("<title>plain text, not compressed</title>".utf8), [coding])
        }
    }

    @Test func `is decoded once for each coding, the last applied first`() throws {
        let twice = deflated(deflated(plain, windowBits: 31), windowBits: 31)
        #expect(try decode(twice, ["gzip", "gzip"]).bytes == plain)
        #expect(try decode(twice, ["gzip"]).bytes == deflated(plain, windowBits: 31))
        #expect(try decode(zstd(deflated(plain, windowBits: 31)), ["gzip", "zstd"]).bytes == plain)
    }

    @Test func `of an unknown coding is taken as it is`() throws {
        #expect(try ContentDecoding(codings: ["sdch"]) == nil)
        #expect(try ContentDecoding(codings: []) == nil)
    }

    @Test func `of more than four codings is refused`() {
        #expect(throws: DecodingFailure.self) {
            try ContentDecoding(codings: Array(repeating: "gzip", count: 5))
        }
    }

    @Test func `that needs a window over 8 MiB is refused, as the standard for zstd in HTTP says`()
        throws
    {
        // A frame header: magic, no flags, a window descriptor of 16 MiB.
        #expect(throws: DecodingFailure.corrupt(coding: "zstd")) {
            try decode([0x28, 0xB5, 0x2F, 0xFD, 0x00, 14 << 3, 0, 0, 0], ["zstd"])
        }
    }

    @Test(arguments: ["gzip", "zstd"])
    func `comes out a piece at a time, however small it was`(coding: String) throws {
        let zeros = [UInt8](repeating: 0, count: 4 << 20)
        let body = coding == "zstd" ? zstd(zeros) : deflated(zeros, windowBits: 31)
        let decoding = try #require(try ContentDecoding(codings: [coding]))
        var count = 0
        try body.withUnsafeBytes { bytes in
            var bytes = bytes
            while let plain = try decoding.next(&bytes) {
                #expect(plain.count <= DecoderBuffer.size)
                count += plain.count
            }
        }
        #expect(count == zeros.count)
        #expect(decoding.isComplete)
    }

    @Test func `is too large when more comes out of any of its codings, the inner ones too`()
        throws
    {
        // Empty stored blocks: the last coding takes them all in and gives nothing.
        let empty = (0..<400_000).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] }
        let body = deflated(empty, windowBits: 31)
        let decoding = try #require(
            try ContentDecoding(codings: ["deflate", "gzip"], mostOutput: 1 << 20))
        #expect(throws: DecodingFailure.tooLarge) {
            try body.withUnsafeBytes { bytes in
                var bytes = bytes
                while let plain = try decoding.next(&bytes) { #expect(plain.isEmpty) }
            }
        }
    }
}
