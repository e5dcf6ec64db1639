import Glibc
import TestSupport
import Testing

@testable import Configuration
@testable import pagewatch

/// Whether the files are to be written anew instead of being compared: `make man`.
private let isToWrite = getenv("PAGEWATCH_WRITE_MANUAL") != nil

/// Holds a file against what it should be, or writes it.
func compare(_ path: String, with text: String) throws {
    if isToWrite {
        // At once: other tests read it meanwhile.
        try TextFile.write(text, to: path + ".new")
        #expect(rename(path + ".new", path) == 0)
        return
    }
    let found = try? TextFile.read(path)
    #expect(found?.utf8.elementsEqual(text.utf8) == true, "\(path) is of old (run \"make man\")")
}

/// The keys of all mappings of the configuration.
private let keys = KeyTables.sections.flatMap(\.keys)

@Suite struct `The manual` {
    @Test(arguments: ManualPage.all)
    func `is made from the tables as they are`(page: ManualPage) throws {
        try compare(page.path, with: try page.written())
    }

    /// What a page says of a command.
    private func part(of command: Command, in page: String) throws -> Substring {
        let beginning = ".SS \\fBpagewatch \(command.name)\\fR\n"
        let part = try #require(page.firstRange(of: beginning), "\(command.name)")
        let rest = page[part.upperBound...]
        return rest[..<(rest.firstRange(of: "\n.S")?.lowerBound ?? rest.endIndex)]
    }

    @Test(arguments: pagewatch.Program.commands.map(\.name))
    func `tells every option of a command, as its help does`(name: String) throws {
        let command = try #require(pagewatch.Program.commands.first { $0.name == name })
        let page = try TextFile.read("\(project)/man/pagewatch.1")
        let part = try part(of: command, in: page)
        let help = HelpText.of(command)
        for option in command.sections.flatMap(\.options) {
            for name in option.names {
                #expect(part.contains(ManualText.line("`\(name)`")), "\(name)")
                #expect(help.contains(name), "\(name)")
            }
            if let value = option.defaultValue { #expect(part.contains("(default \(value))")) }
        }
        for option in HelpText.common.options {
            for name in option.names {
                #expect(page.contains(ManualText.line("`\(name)`")))
                #expect(help.contains(name))
            }
        }
        for (code, _) in command.exitCodes {
            #expect(part.contains("\n\\fB\(code.rawValue)\\fR\n"), "\(code)")
        }
    }

    @Test(arguments: keys)
    func `tells every key with its range, default and an example`(key: KeyFacts) throws {
        let page = try TextFile.read("\(project)/man/pagewatch.yaml.5")
        let value = key.defaultText.isEmpty ? "no default" : "default `\(key.defaultText)`"
        let tag = ManualText.line("`\(key.name)` (\(key.type); \(value))")
        let place = try #require(page.firstRange(of: "\n.TP\n\(tag)\n"), "\(tag)")
        let rest = page[place.upperBound...]
        let text = rest[..<(rest.firstRange(of: "\n.")?.lowerBound ?? rest.endIndex)]
        let line = text.replacing("\\&\n", with: " ").replacing("\n", with: " ")
        #expect(line.contains(ManualText.line("Example: `\(key.example)`")))
        let help = try #require(HelpText.ofKeys(named: key.name))
        #expect(help.contains("  \(key.name) "))
        let words = help.split(whereSeparator: { " \n".contains($0) }).joined(separator: " ")
        #expect(words.contains("such as \(key.example)"))
        if !key.defaultText.isEmpty { #expect(words.contains("(default \(key.defaultText))")) }
    }

    @Test(
        .enabled(if: access("/usr/bin/man", X_OK) == 0, "needs man (Debian: man-db)"),
        arguments: ManualPage.all)
    func `has nothing that groff warns of`(page: ManualPage) async throws {
        let outcome = try await TestSupport.Program(
            "man", ["--warnings", "-E", "UTF-8", "-l", page.path]
        ).run()
        #expect(outcome.exitCode == 0)
        #expect(outcome.errorText.isEmpty)
        #expect(outcome.outputText.contains("NAME"))
    }

    @Test(
        .enabled(if: access("/usr/bin/mandoc", X_OK) == 0, "needs mandoc"),
        arguments: ManualPage.all)
    func `has nothing that mandoc warns of`(page: ManualPage) async throws {
        let outcome = try await TestSupport.Program("mandoc", ["-T", "lint", page.path]).run()
        #expect(outcome.outputText.isEmpty)
        #expect(outcome.errorText.isEmpty)
    }
}
