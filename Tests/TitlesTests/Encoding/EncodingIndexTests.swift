import Glibc
import Testing

@testable import Titles

/// The index files of the Encoding standard, which are no part of the project.
private enum IndexFiles {
    /// `$PAGEWATCH_SHARED`, or `shared` beside the project.
    static let directory: String = {
        if let chosen = getenv("PAGEWATCH_SHARED") {
            return String(cString: chosen) + "/data/encoding"
        }
        let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
        return "/\(root)/shared/data/encoding"
    }()

    static let arePresent = access(directory + "/encodings.json", R_OK) == 0

    static func lines(of name: String) throws -> [Substring] {
        let path = directory + "/" + name
        let file = try #require(fopen(path, "r"), "cannot open \(path)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&block, 1, block.count, file), count > 0 {
            bytes += block[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// Pointer to code point.
    static func index(_ name: String) throws -> [Int: UInt32] {
        var index: [Int: UInt32] = [:]
        for line in try lines(of: "index-\(name).txt") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t")
            guard fields.count > 1, let pointer = Int(fields[0].filter { $0 != " " }) else {
                continue
            }
            index[pointer] = UInt32(fields[1].dropFirst(2), radix: 16)
        }
        return index
    }
}

/// A character, or U+FFFD for a gap in an index.
private func character(_ codePoint: UInt32?) -> Character {
    Character(codePoint.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}")
}

/// Two-byte encodings, described as the standard's algorithms compute pointers from bytes.
struct PairLayout: Sendable, CustomTestStringConvertible {
    let encoding: Encoding
    let index: String
    let leads: [ClosedRange<Int>]
    let trails: [ClosedRange<Int>]
    /// Bytes before each pair.
    var prefix: [UInt8] = []

    var testDescription: String { "\(encoding.name), \(index)" }
}

@Suite(.enabled(if: IndexFiles.arePresent, "no index files: \(IndexFiles.directory)"))
struct `The standard's index files` {
    private static let singleByte: [(String, Encoding)] = Encoding.allCases.compactMap {
        switch $0 {
        case .utf8, .utf16BE, .utf16LE, .gbk, .gb18030, .big5, .eucJP, .iso2022JP, .shiftJIS,
            .eucKR, .replacement, .userDefined:
            nil
        case .iso8859_8i: ("iso-8859-8", $0)
        default: ($0.name.lowercased(), $0)
        }
    }

    @Test func `agree with every byte of every single-byte encoding`() throws {
        #expect(Self.singleByte.count == 28)
        for (name, encoding) in Self.singleByte {
            let index = try IndexFiles.index(name)
            for byte in 0...255 {
                let expected = byte < 0x80 ? UInt32(byte) : index[byte - 0x80]
                let text = decoded([UInt8(byte)], as: encoding)
                #expect(areSame(text, String(character(expected))), "\(name) \(byte)")
            }
        }
    }

    static let layouts = [
        PairLayout(
            encoding: .shiftJIS, index: "jis0208", leads: [0x81...0x9F, 0xE0...0xFC],
            trails: [0x40...0x7E, 0x80...0xFC]),
        PairLayout(
            encoding: .eucJP, index: "jis0208", leads: [0xA1...0xFE], trails: [0xA1...0xFE]),
        PairLayout(
            encoding: .eucJP, index: "jis0212", leads: [0xA1...0xFE], trails: [0xA1...0xFE],
            prefix: [0x8F]),
        PairLayout(
            encoding: .iso2022JP, index: "jis0208", leads: [0x21...0x7E], trails: [0x21...0x7E],
            prefix: [0x1B, 0x24, 0x42]),
        PairLayout(
            encoding: .eucKR, index: "euc-kr", leads: [0x81...0xFE], trails: [0x41...0xFE]),
        PairLayout(
            encoding: .big5, index: "big5", leads: [0x81...0xFE],
            trails: [0x40...0x7E, 0xA1...0xFE]),
        PairLayout(
            encoding: .gbk, index: "gb18030", leads: [0x81...0xFE],
            trails: [0x40...0x7E, 0x80...0xFE]),
        PairLayout(
            encoding: .gb18030, index: "gb18030", leads: [0x81...0xFE],
            trails: [0x40...0x7E, 0x80...0xFE]),
    ]

    @Test(arguments: layouts)
    func `agree with every pair of bytes`(_ layout: PairLayout) throws {
        let index = try IndexFiles.index(layout.index)
        var pointer = 0
        var characters = 0
        for lead in layout.leads.joined() {
            var bytes: [UInt8] = []
            var expected = ""
            for trail in layout.trails.joined() {
                bytes += layout.prefix + [UInt8(lead), UInt8(trail)]
                if layout.encoding == .iso2022JP { bytes += [0x1B, 0x28, 0x42] }
                bytes.append(0x0A)
                let text = Self.text(of: pointer, in: index, layout.encoding)
                characters += text == nil ? 0 : 1
                expected += text ?? "\u{FFFD}"
                // Behind a pair that is none, an ASCII byte stands for itself.
                if text == nil, trail < 0x80, layout.encoding != .iso2022JP {
                    expected.unicodeScalars.append(Unicode.Scalar(UInt8(trail)))
                }
                expected += "\n"
                pointer += 1
            }
            #expect(areSame(decoded(bytes, as: layout.encoding), expected), "lead \(lead)")
        }
        // Every character of the index that has a pair at all was met.
        #expect(characters >= index.keys.count { $0 < pointer })
    }

    /// The text of a pointer: the standard's special cases, then the index.
    private static func text(
        of pointer: Int, in index: [Int: UInt32], _ encoding: Encoding
    ) -> String? {
        switch (encoding, pointer) {
        case (.shiftJIS, 8836...10715): String(character(0xE000 + UInt32(pointer - 8836)))
        case (.big5, 1133): "\u{CA}\u{304}"
        case (.big5, 1135): "\u{CA}\u{30C}"
        case (.big5, 1164): "\u{EA}\u{304}"
        case (.big5, 1166): "\u{EA}\u{30C}"
        default: index[pointer].map { String(character($0)) }
        }
    }

    @Test func `agree with the four-byte characters of gb18030`() throws {
        let ranges = try IndexFiles.index("gb18030-ranges").sorted { $0.key < $1.key }
        let pointers =
            Array(0...39_500) + Array(stride(from: 39_501, to: 189_000, by: 997))
            + Array(stride(from: 189_000, through: 1_237_575, by: 101)) + [1_237_575, 1_237_576]
        var bytes: [UInt8] = []
        var expected = ""
        for pointer in pointers {
            bytes += [
                UInt8(0x81 + pointer / 12600), UInt8(0x30 + pointer / 1260 % 10),
                UInt8(0x81 + pointer / 10 % 126), UInt8(0x30 + pointer % 10),
            ]
            let range = ranges.last { $0.key <= pointer }
            let codePoint = range.map { $0.value + UInt32(pointer - $0.key) }
            let isCharacter = pointer <= 39_419 || (189_000...1_237_575).contains(pointer)
            let text = character(pointer == 7457 ? 0xE7C7 : isCharacter ? codePoint : nil)
            expected.append(contentsOf: String(text))
        }
        #expect(areSame(decoded(bytes, as: .gb18030), expected))
    }

    @Test func `agree with the list of labels`() throws {
        var labels: [String] = []
        var count = 0
        for line in try IndexFiles.lines(of: "encodings.json") {
            let words = line.split(separator: "\"")
            if words.count == 2 || words.count == 3 {
                labels.append(String(words[1]))
            } else if words.count > 3, words[1] == "name" {
                for label in labels.drop(while: { $0 == "labels" || $0 == "encodings" }) {
                    #expect(Encoding(label: label)?.name == String(words[3]), "\(label)")
                    count += 1
                }
                labels = []
            }
        }
        #expect(count == 228)
    }
}
