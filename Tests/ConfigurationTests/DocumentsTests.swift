import TestSupport
import Testing

@testable import Configuration

private let project = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

/// The keys of each mapping, by the name under which the documents have it.
private let tables = KeyTables.sections.map { section in
    (section: section.title == "The main file" ? "state" : section.title, keys: section.keys)
}

@Suite struct `The sample` {
    private let path = project + "/etc/pagewatch/pagewatch.yaml"

    /// The sample with its commented keys in force.
    private func uncommented() throws -> [String] {
        try TextFile.read(path).split(separator: "\n", omittingEmptySubsequences: false).map {
            line in
            // Keys stand right behind the "#", those in a section two columns further.
            let rest = line.dropFirst()
            let key = rest.hasPrefix("  ") ? rest.dropFirst(2) : rest
            let isKey = line.hasPrefix("#") && key.first?.isLetter == true
            return String(isKey ? rest : line)
        }
    }

    @Test func `is good, and has no targets`() {
        let loaded = ConfigurationFiles.load(main: path)
        #expect(loaded.mistakes == [])
        #expect(loaded.configuration == Configuration())
    }

    @Test func `has every key with its default`() throws {
        let lines = try uncommented()
        let folder = try ConfigurationFolder(lines.joined(separator: "\n"))
        let loaded = folder.load()
        #expect(folder.mistakes(loaded) == [])
        #expect(loaded.configuration == Configuration())
        for (section, keys) in tables {
            for key in keys where key.name != KeyTables.url.name {
                let text = (section == "state" ? "" : "  ") + "\(key.name): \(key.defaultText)"
                let isThere = lines.contains { line in
                    line == text || line.hasPrefix(text + " ")
                }
                #expect(isThere, "\(text)")
            }
        }
        let keys = lines.filter { $0.contains(": ") && !$0.hasPrefix("#") }
        #expect(keys.count == tables.reduce(0) { $0 + $1.keys.count } - 1)
    }
}

@Suite struct `The document of the configuration` {
    /// The cells of all rows of tables under a heading.
    private func rows(under heading: String) throws -> [[String]] {
        let text = try TextFile.read(project + "/docs/CONFIGURATION.md")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "## \(heading)") else { return [] }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
        return section.filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst(2).dropLast(2).split(separator: " | ").map(String.init)
        }
    }

    @Test(arguments: tables.map(\.section))
    func `has a row for each key, with its type, range and default`(section: String) throws {
        let keys = tables.first { $0.section == section }?.keys ?? []
        let rows = try rows(under: section)
        #expect(rows.map { $0.first ?? "" } == keys.map { "`\($0.name)`" })
        for (row, key) in zip(rows, keys) {
            let defaultText = key.defaultText.isEmpty ? "none" : "`\(key.defaultText)`"
            try #require(row.count == 5, "\(row)")
            #expect(row[1] == key.type)
            #expect(row[2] == defaultText)
            #expect(row[4] == "`\(key.example)`")
        }
    }

    @Test func `lists the keys whose edit is told as rebased`() throws {
        let text = try TextFile.read(project + "/docs/CONFIGURATION.md")
        let list = text.split(separator: "These keys are ").last?.split(separator: "\n\n").first
        let words = list?.split(whereSeparator: { " \n,.".contains($0) }).map(String.init)
        let keys = (tables.first?.keys ?? []).filter(\.isOfPage)
        #expect(words == keys.map { "`\($0.name)`" })
    }

    @Test(arguments: KeyTables.target.keys.map(\.facts))
    func `has examples that are right`(key: KeyFacts) throws {
        #expect(try settings("\(key.name): \(key.example)") != TargetSettings())
        #expect(try settings("\(key.name): \(key.defaultText)") == TargetSettings())
    }

    @Test(arguments: tables.dropFirst().flatMap { table in table.keys.map { (table.section, $0) } })
    func `has examples of sections that are right`(section: String, key: KeyFacts) throws {
        let line = "\(key.name): \(key.example)"
        let text = section == "state" ? line : "\(section): {\(line)}"
        #expect(try configuration(text) != Configuration())
    }
}
