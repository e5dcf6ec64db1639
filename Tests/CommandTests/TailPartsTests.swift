import Glibc
import Testing
import TestSupport

@testable import pagewatch

@Suite struct `The reader of an event's JSON` {
    private func fields(_ text: String) -> JSONFields? { JSONFields(Array(text.utf8)[...]) }

    @Test func `finds values by their keys`() throws {
        let event = try #require(
            fields(
                #"{"seq":7,"target":null,"isLoading":true,"estimatedProgress":0.25,"title":"A","#
                    + #""error":{"phase":"body","more":[1,{"x":"}"}]},"list":[],"to":""}"#))
        #expect(event.number("seq") == 7)
        #expect(event.string("target") == nil)
        #expect(event.number("target") == nil)
        #expect(event.flag("isLoading") == true)
        #expect(event.flag("seq") == nil)
        #expect(event.fraction("estimatedProgress") == 0.25)
        #expect(event.string("title") == "A")
        #expect(event.string("to") == "")
        #expect(event.fields("error")?.string("phase") == "body")
        #expect(event.string("missing") == nil)
    }

    @Test(arguments: [
        (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u0000\u202e\u00e9"#, "\0\u{202E}é"),
        (#"\ud83d\ude00"#, "😀"), (#"\ud83d"#, "\u{FFFD}"), (#"\ud83dA"#, "\u{FFFD}A"),
        (#"\ude00\u0041"#, "\u{FFFD}A"), ("日本語", "日本語"),
    ])
    func `takes escapes out of strings`(written: String, meant: String) {
        let title = fields("{\"title\": \"\(written)\"}")?.string("title")
        #expect(title.map { Array($0.utf8) } == Array(meant.utf8))
    }

    @Test func `refuses all beginnings of an object`() {
        let whole = #"{"a":"\u0041\"","b":{"c":[1,"]"]},"d":-1.5e3}"#
        #expect(fields(whole) != nil)
        for end in whole.indices { #expect(fields(String(whole[..<end])) == nil) }
    }

    @Test(arguments: [
        "[]", "{}x", "{\"a\"}", "{a:1}", "{\"a\":}", "{\"a\":1,}", "{\"a\":\"\\u12g4\"}",
    ])
    func `refuses what is no object`(text: String) {
        #expect(fields(text) == nil)
    }
}

@Suite struct `A line of the service` {
    private func parts(_ form: EventForm, _ line: String) -> String? {
        form.parts(of: Array(line.utf8)[...]).map {
            "\($0.seq)|\(String(decoding: $0.line, as: UTF8.self))"
        }
    }

    @Test func `begins with its number`() {
        #expect(parts(.text(isUTC: true), "12 2026 p: x") == "12|2026 p: x")
        #expect(parts(.json, #"{"seq":12,"time":1}"#) == #"12|{"seq":12,"time":1}"#)
        for line in ["", "12", "x 1", " 12 x", "99999999999999999999 x", "{\"seq\":1,"] {
            #expect(parts(.text(isUTC: true), line) == nil)
        }
        for line in ["", "{\"seq\":", "{\"seq\":12", "{\"seq\":-1,", "12 x"] {
            #expect(parts(.json, line) == nil)
        }
    }
}

@Suite struct `A cursor file` {
    let folder: TemporaryFolder
    var path: String { folder.file("cursor") }

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["", "0\n", "12", "9223372036854775806\n"])
    func `has a number or nothing`(text: String) throws {
        try folder.write(text, to: "cursor")
        let number = Int64(text.filter { $0 != "\n" })
        #expect(try CursorFile(path: path).read() == number)
    }

    @Test(arguments: ["x", "-1\n", "1 2\n", "\n", "9223372036854775807", "1\n\n"])
    func `is damaged with anything else`(text: String) throws {
        try folder.write(text, to: "cursor")
        #expect(throws: UsageError.self) { try CursorFile(path: path).read() }
    }

    @Test func `is made, replaced, and found behind a link`() throws {
        let file = try CursorFile(path: path)
        #expect(try file.read() == nil)
        try file.write(1)
        try file.write(23)
        #expect(try file.read() == 23)
        #expect(symlink(path, folder.file("link")) == 0)
        try CursorFile(path: folder.file("link")).write(24)
        #expect(try file.read() == 24)
        #expect(try TextFile.read(path) == "24\n")
    }
}

@Suite struct `A reader of a service that has to be mended` {
    @Test func `asks again soon at first, and then every few minutes`() {
        #expect((0...4).map(Tail.mendingDelay) == [10, 60, 300, 300, 300].map { .seconds($0) })
    }
}
