import Foundation
import Testing
import Titles

/// What the fuzzer asks, asked of the fixtures and of inputs that once were answered wrongly.
@Suite struct `What reads pages` {
    /// Pieces of 1 to 5 bytes; of 7; of many lengths, of 64 and more.
    static let cuts: [[UInt8]] = [[0, 1, 2, 3, 4], [6, 6, 6, 6, 6], [63, 0, 127, 128, 0]]

    @Test(arguments: `A page in the fixtures`.fixtures)
    func `answers the same however a fixture is cut`(
        fixture: `A page in the fixtures`.Fixture
    ) {
        for (number, cuts) in Self.cuts.enumerated() {
            // The title's bytes are wanted.
            let trial = Trial(fixture.body, choice: UInt8(number), options: 1, cuts: cuts)
            for subject in TrialSubject.allCases {
                #expect(subject.fault(in: trial) == nil, "\(subject), cut at \(cuts)")
            }
        }
    }

    @Test(arguments: 0..<Encoding.allCases.count)
    func `decodes any bytes the same however they are cut`(encoding: Int) {
        var body = Array(UInt8.min...UInt8.max)
        for lead in stride(from: UInt8(0x7E), through: 0xFE, by: 2) {
            body += [lead, lead ^ 0x41, lead, 0x3C, lead, lead, 0x1B, 0x24, 0x42, lead]
        }
        for cuts in Self.cuts {
            let trial = Trial(body, choice: UInt8(encoding), cuts: cuts)
            #expect(TrialSubject.decoders.fault(in: trial) == nil, "cut at \(cuts)")
        }
    }

    @Test(arguments: mended)
    func `stands what it once did not`(file: URL) throws {
        let name = file.lastPathComponent
        let subject = try #require(TrialSubject(rawValue: String(name.prefix { $0 != "-" })))
        let trial = try #require(Trial(Data(contentsOf: file)))
        #expect(subject.fault(in: trial) == nil)
    }

    /// `Fixtures/Trials/SUBJECT-WHAT.trial`: inputs of the fuzzer.
    static let mended: [URL] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/Trials")
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "trial" }.sorted { $0.path < $1.path }
    }()
}
