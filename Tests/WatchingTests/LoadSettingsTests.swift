import TestSupport
import Testing

@testable import Configuration
@testable import Watching

@Suite struct `Load settings` {
    private static let ofPage = KeyTables.target.keys.filter(\.facts.isOfPage)
        .map { ($0.facts.name, $0.facts.example) }

    private func ownSide(_ more: String) throws -> OwnSide {
        let folder = try TemporaryFolder()
        for name in ["ca.pem", "us.pem", "us.key", "password", "token"] {
            try folder.write("swordfish\n", to: name)
        }
        try folder.write(
            "targets:\n  a:\n    url: http://a.example/\n    \(more)\n", to: "pagewatch.yaml")
        let loaded = ConfigurationFiles.load(main: folder.file("pagewatch.yaml"))
        #expect(loaded.mistakes.isEmpty, "\(loaded.mistakes)")
        let target = try #require(loaded.configuration.targets.first)
        return try LoadSettingsShelf(userAgent: "us").settings(of: target).ownSide(of: target)
    }

    // Else an edit of ours would be told as a change of the page's.
    @Test(arguments: ofPage)
    func `count each key as our own side that decides which page is shown`(
        key: String, example: String
    ) throws {
        #expect(try ownSide("\(key): \(example)") != ownSide(""))
    }

    @Test(arguments: ["interval: 1min", "confirm: 5", "failures: 9", "tags: [x]", "timeout: 9s"])
    func `do not count what leaves the page as it is`(line: String) throws {
        #expect(try ownSide(line) == ownSide(""))
    }
}
