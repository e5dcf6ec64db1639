import Testing

@testable import Titles

/// Bytes, and what they say in an encoding.
struct DecoderCase: Sendable, CustomTestStringConvertible {
    let encoding: Encoding
    let bytes: [UInt8]
    let text: String

    init(_ encoding: Encoding, _ bytes: [UInt8], _ text: String) {
        self.encoding = encoding
        self.bytes = bytes
        self.text = text
    }

    var testDescription: String { "\(encoding.name) \(bytes) is \(text)" }
}

@Suite struct `A decoder` {
    static let wellFormed = [
        DecoderCase(.utf8, Array("aé€😀\u{FEFF}".utf8), "aé€😀\u{FEFF}"),
        DecoderCase(.utf16LE, [0x41, 0, 0xAC, 0x20, 0x3D, 0xD8, 0, 0xDE], "A€😀"),
        DecoderCase(.utf16BE, [0, 0x41, 0x20, 0xAC, 0xD8, 0x3D, 0xDE, 0], "A€😀"),
        DecoderCase(.windows1252, [0x80, 0x81, 0xE9, 0x41], "€\u{81}éA"),
        DecoderCase(.iso8859_15, [0xA4, 0xA6], "€Š"),
        DecoderCase(.koi8r, [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "Привет"),
        DecoderCase(.iso8859_8i, [0xF9, 0xEC, 0xE5, 0xED], "שלום"),
        DecoderCase(.macintosh, [0x8E, 0xDB], "é€"),
        DecoderCase(.userDefined, [0x41, 0x80, 0xFF], "A\u{F780}\u{F7FF}"),
        // 0x5C as a second byte: a backslash to programs that look at bytes.
        DecoderCase(.shiftJIS, [0x95, 0x5C, 0x8E, 0xA6, 0xB1, 0x80], "表示ｱ\u{80}"),
        DecoderCase(.shiftJIS, [0xF0, 0x40, 0xFB, 0xFC, 0x87, 0x40], "\u{E000}髙①"),
        DecoderCase(.eucJP, [0xC6, 0xFC, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1], "日ｱ丂"),
        DecoderCase(
            .iso2022JP,
            [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x4A, 0x5C, 0x7E, 0x1B, 0x28, 0x49, 0x31]
                + [0x1B, 0x28, 0x42, 0x5C], "日¥‾ｱ\\"),
        DecoderCase(.eucKR, [0xB0, 0xA1, 0x8C, 0x63, 0x41], "가똠A"),
        DecoderCase(.big5, [0xA4, 0xA4, 0xB3, 0x5C, 0x87, 0x45], "中許\u{27267}"),
        DecoderCase(.big5, [0x88, 0x62, 0x88, 0xA5], "\u{CA}\u{304}\u{EA}\u{30C}"),
        DecoderCase(.gbk, [0xD6, 0xD0, 0x80, 0x41], "中€A"),
        DecoderCase(
            .gb18030, [0x81, 0x30, 0x81, 0x30, 0x94, 0x39, 0xDA, 0x33, 0x81, 0x35, 0xF4, 0x37],
            "\u{80}💩\u{E7C7}"),
    ]

    static let malformed = [
        DecoderCase(.utf8, [0x80, 0x41, 0xFF], "\u{FFFD}A\u{FFFD}"),
        // Overlong, surrogate and too large: each byte goes wrong at once.
        DecoderCase(.utf8, [0xC0, 0xAF, 0xE0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        DecoderCase(.utf8, [0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
        DecoderCase(.utf8, [0xF4, 0x90, 0x41], "\u{FFFD}\u{FFFD}A"),
        // A beginning that could have gone on is one error.
        DecoderCase(.utf8, [0xF0, 0x9F, 0x98, 0x3C], "\u{FFFD}<"),
        DecoderCase(.utf8, [0xE2, 0x82, 0xE2, 0x82, 0xAC, 0xE2], "\u{FFFD}€\u{FFFD}"),
        DecoderCase(.utf16LE, [0x3D, 0xD8, 0x41, 0, 0, 0xDE], "\u{FFFD}A\u{FFFD}"),
        DecoderCase(.utf16LE, [0x3D, 0xD8, 0x3D, 0xD8, 0, 0xDE], "\u{FFFD}😀"),
        DecoderCase(.utf16BE, [0, 0x41, 0xD8, 0x3D, 0], "A\u{FFFD}"),
        DecoderCase(.windows1253, [0xAA, 0xD2, 0xFF, 0x3C], "\u{FFFD}\u{FFFD}\u{FFFD}<"),
        DecoderCase(
            .shiftJIS, [0x82, 0x3C, 0xA0, 0xFD, 0x82], "\u{FFFD}<\u{FFFD}\u{FFFD}\u{FFFD}"),
        DecoderCase(.shiftJIS, [0x85, 0xA0, 0x42], "\u{FFFD}B"),
        DecoderCase(.eucJP, [0xA4, 0x3C, 0x8F, 0xA2, 0x3C, 0xFF], "\u{FFFD}<\u{FFFD}<\u{FFFD}"),
        DecoderCase(.eucJP, [0x8F, 0xA1], "\u{FFFD}"),
        DecoderCase(.eucKR, [0xC9, 0x3C, 0xC9, 0xA1, 0x80], "\u{FFFD}<\u{FFFD}\u{FFFD}"),
        DecoderCase(.big5, [0xA4, 0x3C, 0x81, 0x40, 0xFF], "\u{FFFD}<\u{FFFD}@\u{FFFD}"),
        DecoderCase(.gbk, [0xD6, 0x3C, 0xFF, 0xD6], "\u{FFFD}<\u{FFFD}\u{FFFD}"),
        // Only the first byte of four is given up.
        DecoderCase(.gb18030, [0x81, 0x30, 0x81, 0x3C], "\u{FFFD}0\u{FFFD}<"),
        DecoderCase(.gb18030, [0x81, 0x30, 0xD6, 0xD0], "\u{FFFD}0中"),
        DecoderCase(.gb18030, [0x81, 0x30, 0x3C, 0x81, 0x30, 0x81], "\u{FFFD}0<\u{FFFD}"),
        DecoderCase(
            .gb18030, [0xE3, 0x32, 0x9A, 0x36, 0x84, 0x31, 0xA1, 0xA1], "\u{FFFD}\u{FFFD}1\u{3000}"),
        DecoderCase(.iso2022JP, [0x1B, 0x28, 0x58, 0x80, 0x0E], "\u{FFFD}(X\u{FFFD}\u{FFFD}"),
        // Two escape sequences with nothing between them.
        DecoderCase(.iso2022JP, [0x1B, 0x28, 0x4A, 0x1B, 0x28, 0x42, 0x41], "\u{FFFD}A"),
        DecoderCase(.iso2022JP, [0x1B, 0x24, 0x42, 0x46, 0x1B, 0x28, 0x42, 0x41], "\u{FFFD}A"),
        DecoderCase(.iso2022JP, [0x1B, 0x24, 0x42, 0x1B, 0x24], "\u{FFFD}\u{FFFD}"),
        DecoderCase(.iso2022JP, [0x1B], "\u{FFFD}"),
        DecoderCase(.replacement, Array("<title>a</title>".utf8), "\u{FFFD}"),
    ]

    @Test(arguments: wellFormed + malformed)
    func `reads what the standard says`(_ example: DecoderCase) {
        let text = decoded(example.bytes, as: example.encoding)
        #expect(areSame(text, example.text), "got \(text.unicodeScalars.map { $0.value })")
    }

    @Test(arguments: wellFormed + malformed)
    func `loses nothing wherever the bytes are cut`(_ example: DecoderCase) {
        let bytes = example.bytes
        for cut in 0...bytes.count {
            let text = decoded(bytes, as: example.encoding, cutAt: [cut])
            #expect(areSame(text, example.text), "cut at \(cut)")
        }
        let singly = decoded(bytes, as: example.encoding, cutAt: Array(bytes.indices))
        #expect(areSame(singly, example.text))
    }

    @Test(arguments: Encoding.allCases.filter { $0 != .replacement })
    func `of any encoding turns nothing into nothing`(encoding: Encoding) {
        #expect(decoded([], as: encoding).isEmpty)
    }

    @Test(arguments: Encoding.allCases)
    func `gives the same for long input, cut or whole, and always UTF-8`(encoding: Encoding) {
        // A fixed sequence of bytes with long ASCII runs: longer than the decoder's blocks.
        var seed: UInt64 = 42
        var bytes: [UInt8] = []
        while bytes.count < 20_000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let count = Int(seed >> 60)
            if seed >> 40 & 7 == 0 { bytes += [UInt8](repeating: 0x61, count: count * 20) }
            for shift in 0..<min(count, 6) {
                bytes.append(UInt8(truncatingIfNeeded: seed >> (8 * shift)))
            }
        }
        var output: [UInt8] = []
        var decoder = Decoder(encoding)
        bytes.withUnsafeBytes { decoder.decode($0, into: &output) }
        decoder.finish(into: &output)
        let text = String(validating: output, as: UTF8.self)
        #expect(text != nil)
        for step in [1, 7, 1000] {
            let pieces = decoded(
                bytes, as: encoding, cutAt: Array(stride(from: step, to: bytes.count, by: step)))
            #expect(areSame(pieces, text ?? ""), "in pieces of \(step) bytes")
        }
    }

    @Test(arguments: [Encoding.utf8, .windows1252, .shiftJIS, .gb18030])
    func `hands out what is UTF-8 already where it lies`(encoding: Encoding) {
        let bytes = [UInt8](repeating: 0x61, count: 100_000)
        bytes.withUnsafeBytes { page in
            var decoder = Decoder(encoding)
            var pieces: [UnsafeRawBufferPointer] = []
            decoder.decode(page) { pieces.append($0) }
            #expect(pieces.count == 1)
            #expect(pieces.first?.baseAddress == page.baseAddress)
            #expect(pieces.first?.count == page.count)
        }
    }

    @Test func `never splits a character between two pieces`() {
        let text = String(repeating: "日本語のタイトル€é😀 ", count: 500)
        var pieces: [[UInt8]] = []
        var decoder = Decoder(.utf8)
        Array(text.utf8).withUnsafeBytes { page in
            for start in stride(from: 0, to: page.count, by: 1001) {
                let end = min(start + 1001, page.count)
                decoder.decode(UnsafeRawBufferPointer(rebasing: page[start..<end])) {
                    pieces.append(Array($0))
                }
            }
        }
        #expect(pieces.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
        #expect(areSame(String(decoding: pieces.joined(), as: UTF8.self), text))
    }
}
