import Configuration
import Foundation
import Patterns
import Testing

@testable import Watching

/// Holds `docs/RULES.md` to what the program does.
@Suite struct `The document of the rules` {
    private static let text: String = {
        // FILE is PROJECT/Tests/WatchingTests/RulesDocumentTests.swift.
        let project = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return (try? String(contentsOf: project.appending(path: "docs/RULES.md"), encoding: .utf8))
            ?? ""
    }()

    /// The examples; blank lines stand for the rest, so that lines have the document's numbers.
    private static let examples: [DecisionSequence] = {
        var isExample = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            line -> Substring in
            if line.hasPrefix("```") {
                isExample = line == "```decisions"
                return ""
            }
            return isExample ? line : ""
        }
        do {
            return try DecisionSequence.read(lines.joined(separator: "\n"), file: "RULES.md")
        } catch {
            Issue.record("\(error)")
            return []
        }
    }()

    @Test func `has an example for each rule`() {
        #expect(Self.examples.count >= 20)
        #expect(Set(Self.examples.map(\.name)).count == Self.examples.count)
    }

    @Test(arguments: examples)
    func `shows what the program does`(example: DecisionSequence) throws {
        for restartsAlways in [false, true] {
            var player = SequencePlayer(restartsAlways: restartsAlways)
            try player.play(example)
            #expect(player.faults.isEmpty, "\(player.faults.joined(separator: "\n"))")
        }
    }

    @Test func `names every preset, and what it removes`() throws {
        for preset in IgnoreRule.Preset.allCases {
            let row = Self.text.split(separator: "\n").first {
                $0.hasPrefix("| `\(preset.rawValue)` |")
            }
            let samples = (row ?? "").split(separator: "`", omittingEmptySubsequences: false)
                .enumerated().filter { $0.offset % 2 == 1 }.map(\.element).dropFirst()
            #expect(!samples.isEmpty)
            var comparison = TitleComparison(
                Rules(ignore: [try Pattern(IgnoreRule.preset(preset).source)]))
            for sample in samples {
                #expect(comparison.compared("a \(sample) b") == "a b", "\(sample)")
            }
        }
    }

    @Test func `names every code of a load that does not count`() {
        for fault in ContentFault.allCases {
            #expect(Self.text.contains("| `content` `\(fault.rawValue)` |"), "\(fault)")
        }
    }

    @Test func `names the numbers of the rules`() {
        #expect(ChangeRule.window == 20 && Self.text.contains("within 20 good loads"))
        #expect(ChangeRule.mostSwitches == 4 && ChangeRule.mostTitles == 4)
        #expect(Self.text.contains("Four changes among at most four titles"))
        #expect(ChangeRule.settledLoads == 10 && ChangeRule.unstableLoads == 10)
        #expect(Self.text.contains("Ten good loads in a row"))
        #expect(Rules().confirm == 2 && Rules().failures == 3 && Rules().okStatus == [200...399])
    }
}
