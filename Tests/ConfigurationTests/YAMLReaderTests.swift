import Testing

@testable import Configuration

/// The tree of a text, and what is wrong with it.
private func read(_ text: String) -> (node: YAMLNode?, mistakes: [String]) {
    read(Array(text.utf8))
}

private func read(_ bytes: [UInt8]) -> (node: YAMLNode?, mistakes: [String]) {
    var list = MistakeList(file: "f")
    let node = YAMLReader.read(bytes, mistakes: &list)
    return (node, list.sorted.map(\.description))
}

/// A node in one line: `{key: [text, text]}`.
private func flat(_ node: YAMLNode?) -> String {
    switch node?.content {
    case nil: "nothing"
    case .scalar(let text, let isPlain): isPlain ? text : "'\(text)'"
    case .sequence(let nodes): "[" + nodes.map { flat($0) }.joined(separator: ", ") + "]"
    case .mapping:
        "{"
            + (node?.entries { _ in } ?? []).map { "\($0.key): \(flat($0.value))" }
            .joined(separator: ", ") + "}"
    }
}

@Suite struct `A YAML file` {
    @Test(arguments: [
        ("", "nothing"), ("# only a remark\n", "nothing"), ("---\n", ""), ("a: 1", "{a: 1}"),
        ("a:\n- x\n- 'y'\n", "{a: [x, 'y']}"), ("{a: [x, {b: c}]}", "{a: [x, {b: c}]}"),
        ("a: |\n  one\n  two\n", "{a: 'one\ntwo\n'}"), ("%YAML 1.1\n---\na: 1\n...\n", "{a: 1}"),
        ("\u{FEFF}a: ä€😀", "{a: ä€😀}"), ("a: &x [1]\nb: *x\n", "{a: [1], b: [1]}"),
    ])
    func `becomes a tree`(text: String, tree: String) {
        let (node, mistakes) = read(text)
        #expect(mistakes == [])
        #expect(flat(node) == tree)
    }

    @Test func `says where each value stands, as editors count`() {
        let (node, _) = read("\u{FEFF}ä: 1\nlist:\n  - 'é': [x,  y]\n")
        guard case .mapping(let entries) = node?.content,
            case .sequence(let items) = entries.last?.value.content,
            case .mapping(let inner) = items.first?.content,
            case .sequence(let letters) = inner.first?.value.content
        else {
            Issue.record("not the expected tree")
            return
        }
        #expect(entries[0].value.position == .init(line: 1, column: 4))
        #expect(inner[0].position == .init(line: 3, column: 5))
        #expect(letters[1].position == .init(line: 3, column: 15))
    }

    @Test(arguments: [
        ("b: &b {x: 1, y: 2}\na: {<<: *b, y: 3}", "{b: {x: 1, y: 2}, a: {y: 3, x: 1}}"),
        ("a: {y: 3, <<: [{x: 1}, {x: 2, z: 3}]}", "{a: {y: 3, x: 1, z: 3}}"),
        ("a: {<<: {<<: {x: 1}, y: 2}}", "{a: {y: 2, x: 1}}"),
    ])
    func `merges mappings, a mapping's own keys and earlier ones first`(
        text: String, tree: String
    ) {
        #expect(flat(read(text).node) == tree)
    }

    @Test func `takes an anchor that is set anew from there on`() {
        #expect(flat(read("a: &x 1\nb: *x\nc: &x 2\nd: *x").node) == "{a: 1, b: 1, c: 2, d: 2}")
    }

    @Test func `is refused when lists are opened without end, in little time`() {
        let (_, mistakes) = read(String(repeating: "[", count: 4 << 20))
        #expect(
            mistakes == [
                "f:1:65: values are nested more than 64 levels deep here"
                    + " (no key needs more than four)"
            ])
        #expect(read(String(repeating: "- ", count: 1 << 20)).mistakes.count == 1)
        #expect(read(String(repeating: "{a: ", count: 1 << 20)).mistakes.count == 1)
    }

    @Test func `is refused when it has more values than memory should hold`() {
        let (_, mistakes) = read("[" + String(repeating: "a,", count: 2_000_001) + "]")
        #expect(mistakes.count == 1)
        #expect(mistakes[0].contains("the file has more than 2000000 values"))
    }

    @Test func `is refused when aliases nest values deeper than they are written`() {
        var text = "x0: &a0 [1]\n"
        for level in 1...100 { text += "x\(level): &a\(level) [*a\(level - 1)]\n" }
        let (_, mistakes) = read(text)
        #expect(mistakes.count == 1)
        #expect(mistakes[0].hasPrefix("f:63:"))
        #expect(mistakes[0].contains("nested more than 64 levels deep"))
    }

    @Test func `is refused for tag directives, which take libyaml a square of time`() {
        let lines = (0..<200_000).map { "%TAG !t\($0)! x\n" }.joined()
        #expect(
            read(lines + "---\na: 1").mistakes == [
                "f:17:1: is one more tag directive than can be read"
                    + " (take all lines out that begin with %TAG)"
            ])
    }

    @Test(arguments: [0x00, 0x01, 0x1B, 0x7F] as [UInt8])
    func `is refused for a control character`(byte: UInt8) {
        let (_, mistakes) = read(Array("a: x\nb: é".utf8) + [byte])
        #expect(mistakes.count == 1)
        #expect(mistakes[0].hasPrefix("f:2:5: a control character"))
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xC0, 0x80],
            [0x80], [0xE2, 0x82, 0x41],
        ] as [[UInt8]])
    func `is refused for what is no UTF-8`(bytes: [UInt8]) {
        let (_, mistakes) = read(Array("a: x\nb: é".utf8) + bytes)
        #expect(mistakes.count == 1)
        #expect(mistakes[0].hasPrefix("f:2:5: byte 0x"))
        #expect(mistakes[0].contains("is no UTF-8"))
    }

    @Test func `may hold any bytes without harm`() {
        var state: UInt64 = 42
        let marks = Array("{}[]:,-?&*!|>'\"%@#<~ \n\tab".utf8)
        for _ in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<40 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(marks[Int(state >> 33) % marks.count])
            }
            let (node, mistakes) = read(bytes)
            #expect(node == nil || mistakes.isEmpty || !flat(node).isEmpty)
        }
    }

    @Test func `has its mistakes listed up to a bound, and the rest counted`() {
        let text = (0..<5000).map { "k\($0): !x 1\n" }.joined()
        let mistakes = read(text).mistakes
        #expect(mistakes.count == 1001)
        #expect(mistakes.last?.contains("there are 4000 more mistakes") == true)
    }
}
