import Testing

@testable import Events

/// What the writer makes of one value.
private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    body(&json)
    return String(decoding: json.bytes, as: UTF8.self)
}

@Suite struct `JSON writer` {
    @Test func `sets commas between members and elements, and nowhere else`() {
        let text = written { json in
            json.object { json in
                json.key("a")
                json.array { json in
                    json.value(1)
                    json.array { _ in }
                    json.object { _ in }
                    json.value(true)
                }
                json.key("b")
                json.null()
                json.key("c")
                json.value("[")
                json.key("d")
                json.value(":")
            }
            json.newline()
            json.object { _ in }
        }
        #expect(text == #"{"a":[1,[],{},true],"b":null,"c":"[","d":":"}"# + "\n{}")
    }

    @Test(arguments: [
        (0.1, "0.1"), (0.0, "0.0"), (1.0, "1.0"), (0.22444444444444445, "0.224444"),
        (0.30000000000000004, "0.3"), (2.7e-5, "0.000027"), (1e-7, "0.0"), (-1e-7, "0.0"),
        (12.000001, "12.000001"), (0.9999999, "1.0"), (86400, "86400.0"), (-2.5, "-2.5"),
        (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
    ])
    func `writes a number in plain decimals, at most six, and null when there is none`(
        number: Double, text: String
    ) {
        #expect(written { $0.value(number) } == text)
    }

    @Test(arguments: [0, 7, -1, 10, 1_000_000, Int64.max, Int64.min])
    func `writes whole numbers to the very ends`(number: Int64) {
        #expect(written { $0.value(number) } == "\(number)")
    }

    @Test func `tells null for what is unknown`() {
        #expect(written { $0.value(nil as String?) } == "null")
        #expect(written { $0.value(nil as Int?) } == "null")
    }

    @Test func `escapes quote and backslash, and leaves the slash`() {
        #expect(written { $0.value(#"a"b\c/d"#) } == #""a\"b\\c/d""#)
    }

    @Test func `escapes exactly the controls, line separators and bidi marks`() {
        var unsafe = Set<UInt32>()
        unsafe.formUnion(0x00...0x1F)
        unsafe.formUnion(0x7F...0x9F)
        unsafe.formUnion([0x2028, 0x2029, 0x061C, 0x200E, 0x200F])
        unsafe.formUnion(0x202A...0x202E)
        unsafe.formUnion(0x2066...0x2069)
        for value in (0 as UInt32)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else {
                continue
            }
            let text = String(scalar)
            let expected =
                unsafe.contains(value)
                ? "\\u"
                    + String(repeating: "0", count: 4 - String(value, radix: 16).count)
                    + String(value, radix: 16).uppercased()
                : text
            let outcome = written { $0.value("x" + text + "y") }
            guard outcome.utf8.elementsEqual("\"x\(expected)y\"".utf8) else {
                Issue.record("U+\(String(value, radix: 16)) became \(outcome)")
                return
            }
        }
    }

    @Test func `finds a character to escape at any place of a long run`() {
        for byte in (0 as UInt8)...0x7F {
            for place in 0...24 {
                let before = String(repeating: "~", count: place)
                let after = String(repeating: " ", count: 24 - place)
                let scalar = String(Unicode.Scalar(byte))
                let alone = written { $0.value(scalar) }.dropFirst().dropLast()
                guard
                    written({ $0.value(before + scalar + after) })
                        == "\"\(before)\(alone)\(after)\""
                else {
                    Issue.record("byte \(byte) at \(place)")
                    return
                }
            }
        }
    }

    @Test func `copies long runs whole around what it escapes`() {
        let run = String(repeating: "é中😀a", count: 1000)
        let text = run + "\n" + run + "\u{202E}" + run
        #expect(written { $0.value(text) } == "\"\(run)\\u000A\(run)\\u202E\(run)\"")
    }

    @Test func `forgets what it wrote when told to`() {
        var json = JSONWriter()
        json.value("old")
        json.removeAll()
        json.value("new")
        #expect(json.bytes == Array(#""new""#.utf8))
    }
}
