import Fetching
import PageModel
import TestSupport
import Testing
import WebAddress

@testable import PageLoading

@Suite struct `The table of errors in docs/EVENTS.md` {
    /// `phase/code` of each of its rows.
    private func documented() throws -> [String] {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let document = try TextFile.read("/\(root)/docs/EVENTS.md")
        guard
            let errors = document.split(separator: "\n## ").first(where: { $0.hasPrefix("Errors") })
        else { return [] }
        return errors.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
            .flatMap { row in
                let cells = row.split(separator: "|")
                let named = quoted(cells[0]).compactMap { LoadError.Phase(rawValue: $0) }
                let phases =
                    cells[0].contains("any")
                    ? LoadError.Phase.allCases.filter { !named.contains($0) } : named
                return phases.flatMap { phase in
                    quoted(cells[1]).map { "\(phase.rawValue)/\($0)" }
                }
            }
    }

    private func quoted(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// All that the code can tell.
    private func told() -> Set<String> {
        var result: Set<String> = []
        for code in TransferError.Code.allCases {
            result.formUnion(code.phases.map { "\($0.rawValue)/\(code.rawValue)" })
        }
        for failure in LoadFailure.allCases {
            result.formUnion(failure.phases.map { "\($0.rawValue)/\(failure.rawValue)" })
        }
        for code in WebAddressError.Code.allCases {
            result.formUnion(["request", "redirect"].map { "\($0)/\(code.rawValue)" })
        }
        return result
    }

    @Test func `has every code under every phase where it can come, once, and no other`() throws {
        let rows = try documented()
        #expect(Set(rows).subtracting(told()) == [])
        #expect(told().subtracting(rows) == [])
        #expect(rows.count == Set(rows).count)
        // A page's own word for a load that another one took the place of.
        #expect(rows.contains("body/cancelled"))
    }
}
