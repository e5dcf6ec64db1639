import Events
import TestSupport
import Testing

@Suite struct `The table of the journal's messages` {
    private static func text(_ path: String) throws -> String {
        try TextFile.read("\(Machine.project)/\(path)")
    }

    @Test func `has an identifier of its own for each kind`() {
        #expect(Set(JournalKind.all.map(\.id)).count == JournalKind.all.count)
        #expect(Set(JournalKind.all.map(\.name)).count == JournalKind.all.count)
        for kind in JournalKind.all {
            #expect(kind.id.count == 32)
            #expect(kind.id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        }
    }

    @Test func `is explained in the catalog, each kind once`() throws {
        let lines = try Self.text("systemd/pagewatch.catalog").split(separator: "\n")
        let explained = lines.filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
        #expect(explained == JournalKind.all.map(\.id))
        #expect(lines.count { $0.hasPrefix("Subject: ") } == explained.count)
        // What is filled in is a field that there is.
        let filled = lines.flatMap { $0.matches(of: /@([A-Z_]+)@/).map { String($0.output.1) } }
        #expect(Set(filled).isSubset(of: JournalMessage.names))
        #expect(filled.contains("PAGEWATCH_TITLE"))
    }

    @Test func `is documented, with the fields`() throws {
        let document = try Self.text("docs/SERVICE.md")
        let manual = try Self.text("man/pagewatch.service.8")
        for kind in JournalKind.all {
            let row = "| `\(kind.name)` | \(kind.priority.rawValue)"
            let found = document.split(separator: "\n").filter { $0.hasPrefix(row) }
            #expect(found.count == 1, "\(row)")
            #expect(found.first?.contains("`\(kind.id)`") == true, "\(kind.name)")
        }
        for name in JournalMessage.names + ["MESSAGE_ID", "PRIORITY"] {
            #expect(document.contains("| `\(name)` |"), "\(name)")
            #expect(manual.contains(name), "\(name)")
        }
    }

    @Test func `is what the units' documents and messages name`() throws {
        // A unit that is named somewhere is one that there is.
        let units = [
            "pagewatch.service", "pagewatch.socket", "pagewatch-check@.service",
            "pagewatch-check@.timer",
        ]
        for unit in units { #expect(try Self.text("docs/SERVICE.md").contains("`\(unit)`")) }
    }
}
