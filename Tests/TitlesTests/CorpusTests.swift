import Foundation
import Testing
import Titles

/// Pages of all kinds with the title that browsers show, kept beside the project, not in it.
///
/// The whole of it, every size of piece for every page, in release mode:
///
///     PAGEWATCH_CORPUS=full swift test -c release -Xswiftc -enable-testing --filter Corpus
///
/// In debug mode pieces of 1 and 7 bytes are tried with pages up to 16 KiB only.
@Suite struct `The corpus of pages` {
    private static let folder: URL? = {
        let shared =
            ProcessInfo.processInfo.environment["PAGEWATCH_SHARED"].map { URL(filePath: $0) }
            ?? URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared")
        let folder = shared.appending(path: "cases/titles")
        let cases = folder.appending(path: "cases.jsonl").path
        return FileManager.default.fileExists(atPath: cases) ? folder : nil
    }()

    private static let isFull = ProcessInfo.processInfo.environment["PAGEWATCH_CORPUS"] == "full"
    private static let sizes = [1, 7, 64, 1024, 16384]

    private struct Case {
        let name: String
        let group: String
        let type: String?
        let accepted: [[UInt8]]
        let body: [UInt8]
    }

    private func cases(in folder: URL) throws -> [Case] {
        let lines = try Data(contentsOf: folder.appending(path: "cases.jsonl"))
            .split(separator: UInt8(ascii: "\n"))
        return try lines.map { line in
            let value = try #require(
                JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let expected = try #require(value["expected_title"] as? String)
            let others = value["also_accept"] as? [String] ?? []
            let file = try #require(value["file"] as? String)
            return Case(
                name: try #require(value["name"] as? String),
                group: try #require(value["class"] as? String),
                type: value["content_type"] as? String,
                accepted: ([expected] + others).map { Array($0.utf8) },
                body: Array(try Data(contentsOf: folder.appending(path: file))))
        }
    }

    @Test(.enabled(if: folder != nil, "needs the folder ../shared/cases/titles"))
    func `gives the titles that browsers show, however its bytes are cut`() async throws {
        let folder = try #require(Self.folder)
        var wrong: [String: [String]] = [:]
        var counts: [String: Int] = [:]
        var unstable: [String] = []
        for page in try cases(in: folder) {
            // Others run on the same few threads, and wait for answers in time.
            await Task.yield()
            counts[page.group, default: 0] += 1
            let whole = Reading(page.body, type: page.type)
            if !page.accepted.contains(whole.title ?? []) {
                wrong[page.group, default: []].append(page.name)
            }
            for size in Self.sizes where size < page.body.count {
                if !Self.isFull, size < 64, page.body.count > 16384 { continue }
                let reading = Reading(page.body, type: page.type, chunk: size)
                if reading != whole { unstable.append("\(page.name) in pieces of \(size)") }
            }
        }
        report(counts: counts, wrong: wrong)
        #expect(unstable == [])
        #expect(wrong.isEmpty)
    }

    private func report(counts: [String: Int], wrong: [String: [String]]) {
        for (group, count) in counts.sorted(by: { $0.key < $1.key }) {
            let names = wrong[group] ?? []
            print("\(group): \(count - names.count) of \(count) \(names.joined(separator: " "))")
        }
    }
}
