import PageModel
import Testing
import TestSupport

@testable import History

@Suite struct `Document of the store` {
    private let text: String

    init() throws {
        // FILE is PROJECT/Tests/HistoryTests/StoreDocumentTests.swift.
        let project = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        text = try TextFile.read("/\(project)/docs/STORE.md")
    }

    @Test func `names every table and column there is`() throws {
        let store = try Store()
        _ = try store.write()
        let database = try Database(store.folder.database, .read)
        let names = try database.prepare(
            """
            SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'
            """)
        var count = 0
        while try names.step() {
            count += 1
            #expect(text.contains("`\(names.text(0))`"), "\(names.text(0))")
            #expect(text.contains("`\(names.text(1))`"), "\(names.text(0)).\(names.text(1))")
        }
        #expect(count > 30)
    }

    @Test func `names every number, and every kind of event`() {
        let numbers = [
            Numbers.sequence, Numbers.epoch, Numbers.isOpen, Numbers.loadFloor, Numbers.dropped,
            Numbers.clock,
        ]
        for name in numbers + DurableEvent.Name.allCases.map(\.rawValue) {
            #expect(text.contains("`\(name)`"), "\(name)")
        }
    }

    @Test func `has the figures of the code`() {
        let limits = StoreLimits()
        #expect(text.contains("newest \(grouped(limits.rowsPerTarget)) events"))
        #expect(text.contains("older than \(limits.days) days"))
        #expect(text.contains("newest \(limits.newestRows) of each"))
        #expect(limits.bytes == 1 << 30)
        #expect(text.contains("\(grouped(limits.waitingItems)) items"))
        #expect(text.contains("\(limits.waitingBytes >> 20) MiB; those"))
        #expect(text.contains(grouped(Int(StoreQueue.sequenceBlock))))
        #expect(text.contains("by \(grouped(Int(LoadNumbers.perEpoch))) with each"))
        #expect(text.contains(grouped(Int(Backup.sequenceJump))))
        #expect(text.contains("up to \(StoreFile.checkedBytes >> 20) MiB are checked"))
        #expect(text.contains("`user_version` \(Schema.current.version)"))
    }

    private func grouped(_ number: Int) -> String {
        var digits = String(number)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }
}
