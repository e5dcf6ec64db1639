import Testing

/// The lines of a page that has this document in it.
private func lines(_ markdown: String) -> [String] {
    var page = ManualText(
        name: "x", section: "1", date: "2026-11-30", source: "x 1", manual: "Tests")
    let empty = page.text
    for block in Markdown(markdown).blocks { page.add(block) }
    return page.text.dropFirst(empty.count).split(separator: "\n").map(String.init)
}

@Suite struct `Text of the manual` {
    @Test(arguments: [
        ("`--from FILE`", "\\fB\\-\\-from FILE\\fR"),
        ("a well-known -1", "a well-known \\-1"),
        ("`\\d'^~`", "\\fB\\(rsd\\(aq\\(ha\\(ti\\fR"),
        ("**Start.** It *is*", "\\fBStart.\\fR It \\fIis\\fR"),
        ("see [EVENTS.md](EVENTS.md#x)", "see \\fBpagewatch\\-events\\fR(7)"),
        ("see [API.md](API.md)", "see docs/API.md"),
        ("see [below](#rules)", "see below"),
        ("2 * 3 [sic]", "2 * 3 [sic]"),
    ])
    func `has each sign as it is to be read or copied`(markdown: String, line: String) {
        #expect(ManualText.line(markdown) == line)
    }

    @Test func `never begins a line with what would be a request`() {
        #expect(
            lines("`x`\n\n.TH is one\n\n'so is this") == [
                ".PP", "\\fBx\\fR", ".PP", "\\&.TH is one", ".PP", "\\&'so is this",
            ])
        #expect(
            lines("```\n.so /etc/passwd\n```") == [
                ".PP", ".RS 4", ".EX", "\\&.so /etc/passwd", ".EE", ".RE",
            ])
    }

    @Test func `has a table's rows as entries`() {
        let rows = lines("| key | type | meaning |\n| --- | --- | --- |\n| `a` | number | One. |")
        #expect(rows == [".TP", "\\fBa\\fR (number)", "One."])
        let codes = lines("| code | meaning |\n| --- | --- |\n| `3` | bad |")
        #expect(codes == [".TP", "\\fB3\\fR", "bad"])
    }

    @Test func `keeps a paragraph with the item before it`() {
        #expect(
            lines("- One\n  and more\n\n  Still it.\n\nAfter.") == [
                ".IP \\(bu 2", "One and more", ".IP \"\" 2", "Still it.", ".PP", "After.",
            ])
    }
}
