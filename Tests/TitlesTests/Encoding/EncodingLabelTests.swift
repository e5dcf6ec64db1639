import Testing

@testable import Titles

@Suite struct `Encoding labels` {
    @Test(arguments: [
        ("utf8", Encoding.utf8), ("unicode-1-1-utf-8", .utf8), ("ascii", .windows1252),
        ("iso-8859-1", .windows1252), ("latin1", .windows1252), ("latin5", .windows1254),
        ("gb2312", .gbk), ("gb18030", .gb18030), ("ks_c_5601-1987", .eucKR),
        ("x-sjis", .shiftJIS), ("windows-31j", .shiftJIS), ("tis-620", .windows874),
        ("logical", .iso8859_8i), ("visual", .iso8859_8), ("koi8-ru", .koi8u),
        ("utf-16", .utf16LE), ("unicodefffe", .utf16BE), ("hz-gb-2312", .replacement),
        ("x-user-defined", .userDefined), ("macintosh", .macintosh), ("big5-hkscs", .big5),
    ])
    func `stand for the encodings that browsers read them as`(label: String, encoding: Encoding) {
        #expect(Encoding(label: label) == encoding)
    }

    @Test(arguments: ["GB2312", " gb2312", "gb2312\t\r\n", "\u{C} Gb2312 "])
    func `may be written in any case, with white space around them`(label: String) {
        #expect(Encoding.encoding(forLabel: label) == .gbk)
    }

    @Test(arguments: [
        "", " ", "utf", "utf-7", "utf-32", "utf - 8", "\u{A0}utf-8", "utf-8;", "UTF-8 utf8",
        "\u{B}utf-8", "unknown", "UTF\u{2010}8",
    ])
    func `that the standard does not list are none`(label: String) {
        #expect(Encoding(label: label) == nil)
    }

    @Test func `are 228 and name 40 encodings`() {
        let list = Encoding.labelList.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        let lines = list.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.map { $0.count - 1 }.reduce(0, +) == 228)
        #expect(Set(lines.compactMap { $0.first }) == Set(Encoding.allCases.map(\.name)))
        for line in lines {
            for label in line.dropFirst() { #expect(Encoding(label: label)?.name == line.first) }
        }
    }

    @Test func `include every encoding's own name`() {
        for encoding in Encoding.allCases { #expect(Encoding(label: encoding.name) == encoding) }
    }
}
