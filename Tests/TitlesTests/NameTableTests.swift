import Testing

@testable import Titles

@Suite struct `The table of character references` {
    private static let lines: [(name: [UInt8], text: [UInt8])] =
        CharacterReferenceTable.lines.withUTF8Buffer { table in
            table.split(separator: UInt8(ascii: "\n")).map { line in
                let fields = line.split(separator: UInt8(ascii: " "))
                let scalars = String(decoding: fields[1], as: UTF8.self).split(separator: "+")
                    .compactMap { UInt32($0, radix: 16) }.compactMap(Unicode.Scalar.init)
                return (Array(fields[0]), scalars.flatMap { Array(String($0).utf8) })
            }
        }

    @Test func `has all names of the standard, sorted`() {
        #expect(Self.lines.count == 2231)
        #expect(Self.lines.filter { $0.name.last != UInt8(ascii: ";") }.count == 106)
        for (line, next) in zip(Self.lines, Self.lines.dropFirst()) {
            #expect(line.name.lexicographicallyPrecedes(next.name))
        }
    }

    @Test func `is found by each of its names`() throws {
        for line in Self.lines {
            let isClosed = line.name.last == UInt8(ascii: ";")
            let name = isClosed ? Array(line.name.dropLast()) : line.name
            let match = try #require(
                name.withUnsafeBytes { CharacterReferences.match($0, isClosed: isClosed) })
            let scalars = [match.first, match.second].compactMap { $0 }
            #expect(scalars.flatMap { Array(String($0).utf8) } == line.text)
            #expect(match.nameLength == name.count && match.hasSemicolon == isClosed)
        }
    }

    @Test(arguments: ["a", "am", "zz", "ampamp", "AMPER", "zwnjx", "0", "Z"])
    func `is not found by others with a semicolon`(name: String) {
        let match = Array(name.utf8).withUnsafeBytes {
            CharacterReferences.match($0, isClosed: true)
        }
        #expect(match?.hasSemicolon != true)
    }
}

@Suite struct `The names of elements` {
    @Test func `are known by their bytes`() {
        for tag in TagName.allCases where tag != .other {
            #expect(TagName(ElementName(tag.rawValue)) == tag)
        }
    }

    @Test(arguments: [
        "", "titl", "titles", "x-title", "annotation-xmls", "foreignobjectforeignobject",
    ])
    func `are not taken for others`(name: String) {
        #expect(TagName(ElementName(name)) == .other)
    }

    @Test func `differ however long they are`() {
        let long = String(repeating: "a", count: 40)
        #expect(ElementName(long + "b") != ElementName(long + "c"))
        #expect(ElementName(long) != ElementName(long + "a"))
        #expect(ElementName(long + "b") == ElementName(long + "b"))
    }
}
