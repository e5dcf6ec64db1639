import LoopbackSite
import Testing

@Suite struct `Reading a scenario` {
    @Test(arguments: [
        ("text hello", "inline:1: \"text\" before the first \"serve\""),
        ("serve page", "inline:1: \"serve\" needs a path, such as \"serve /page\""),
        ("serve /a\nhead 20", "inline:2: \"20\" is not a status"),
        ("serve /a\nsing", "inline:2: \"sing\" is no word of a scenario"),
        (
            "serve /a\npause soon",
            "inline:2: \"soon\" is not a duration (write \"250ms\" or \"1.5s\")"
        ),
        ("serve /a\nrepeat 3\ntext x", "inline:3: a \"repeat\" has no \"end\""),
        ("serve /a\nend", "inline:2: \"end\" without a \"repeat\""),
        ("serve /a\nblock 2 abc", "inline:2: the text alone has 3 bytes, more than 2"),
        ("serve /a\ntext {nobody}", "inline:2: {nobody} stands for nothing here"),
        ("serve /a\ntext {x", "inline:2: \"{\" without \"}\" (a brace itself is \"\\{\")"),
        ("serve /a\ngather text abc", "inline:2: 3 bytes were gathered and never poured"),
        ("serve /a\nhex 0g", "inline:2: \"hex\" needs pairs of hexadecimal digits"),
        ("# nothing", "inline:1: no \"serve\" in the file"),
    ])
    func `says where a mistake is and what is wrong`(text: String, message: String) {
        let error = #expect(throws: ScenarioError.self) { try Scenario(text: text) }
        #expect(error?.description == message)
    }

    @Test func `takes the first comment as the summary`() throws {
        let scenario = try Scenario(text: "# One.\n# Two.\nserve /a\ntext x")
        #expect(scenario.summary == "One.")
        #expect(scenario.entrance == "/a")
        #expect(scenario.demonstration == nil)
    }

    @Test func `reads every file beside the sources, and each says what it is for`() throws {
        let all = try Scenario.all(inFolder: Scenario.folder)
        #expect(all.count > 50)
        for scenario in all { #expect(!scenario.summary.isEmpty, "\(scenario.name)") }
        #expect(all.compactMap(\.demonstration).count >= 6)
    }
}
