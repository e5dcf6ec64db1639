import Foundation
import Testing
import Titles

/// Pages of `Fixtures`, one rule a file, named for it.
///
/// Beside each page is `NAME.title`: the title in one line, an empty line for an empty title, and
/// nothing at all for a page without a title. `NAME.type`, where there is one, holds the value of the
/// Content-Type header, and nothing at all for none; `NAME.encoding` the encoding and what decided.
@Suite struct `A page in the fixtures` {
    struct Fixture: CustomTestStringConvertible, Sendable {
        let name: String
        let type: String?
        let body: [UInt8]
        let title: [UInt8]?
        let encoding: String?

        var testDescription: String { name }
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "xhtml": "application/xhtml+xml", "xml": "text/xml",
        "svg": "image/svg+xml", "txt": "text/plain", "json": "application/json",
        "pdf": "application/pdf", "png": "image/png",
    ]

    static let fixtures: [Fixture] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures")
        let files =
            (try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.sorted { $0.path < $1.path }.compactMap { file in
            func line(_ kind: String) -> [UInt8]? {
                let beside = file.deletingPathExtension().appendingPathExtension(kind)
                return (try? Data(contentsOf: beside)).map(Array.init)
            }
            guard let type = types[file.pathExtension], let body = try? Data(contentsOf: file),
                let title = line("title")
            else { return nil }
            let header = line("type")
            return Fixture(
                name: file.lastPathComponent,
                type: header.map { $0.isEmpty ? nil : text($0.dropLast()) } ?? type,
                body: Array(body), title: title.isEmpty ? nil : title.dropLast(),
                encoding: line("encoding").map { text($0.dropLast()) })
        }
    }()

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test func `is found`() {
        #expect(Self.fixtures.count > 200)
    }

    @Test(arguments: fixtures)
    func `has the title beside it, however it is cut`(fixture: Fixture) {
        let whole = Reading(fixture.body, type: fixture.type)
        #expect(whole.title == fixture.title, "\(whole)")
        #expect(whole.isTitleKnown && whole.isSettled && whole.hasBodyBegun)
        if let encoding = fixture.encoding {
            let source = whole.encodingSource?.rawValue
            #expect(
                [whole.encodingName, source].compactMap(\.self).joined(separator: " ") == encoding)
        }
        for chunk in [1, 7, 64, 1024, 16384] {
            #expect(Reading(fixture.body, type: fixture.type, chunk: chunk) == whole)
        }
    }

    /// What a page tells on its way must not depend on the cuts either: not only its end.
    @Test(arguments: fixtures)
    func `tells the same at each byte, however it came there`(fixture: Fixture) {
        let byByte = PageReader(contentType: fixture.type)
        for end in 1...max(fixture.body.count, 1) where end <= min(fixture.body.count, 1500) {
            feed(byByte, fixture.body[(end - 1)..<end])
            guard end % 13 == 0 else { continue }
            let atOnce = PageReader(contentType: fixture.type)
            feed(atOnce, fixture.body[..<end])
            #expect(byByte.isSettled == atOnce.isSettled)
            #expect(byByte.isTitleKnown == atOnce.isTitleKnown)
            #expect(byByte.title.map { Array($0.utf8) } == atOnce.title.map { Array($0.utf8) })
            #expect(byByte.hasBodyBegun == atOnce.hasBodyBegun)
            #expect(byByte.refresh == atOnce.refresh)
        }
    }

    private func feed(_ reader: PageReader, _ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { reader.read($0) }
    }
}
