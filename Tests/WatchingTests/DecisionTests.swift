import Foundation
import PageModel
import Testing

@testable import Watching

/// What is told after each load of many a sequence: see `Decisions/README.md`.
@Suite struct `A sequence of loads` {
    static let sequences: [DecisionSequence] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Decisions")
        let files =
            (try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "decisions" }
            .sorted { $0.path < $1.path }
            .flatMap { file -> [DecisionSequence] in
                do {
                    let text = try String(contentsOf: file, encoding: .utf8)
                    return try DecisionSequence.read(text, file: file.lastPathComponent)
                } catch {
                    Issue.record("\(file.path): \(error)")
                    return []
                }
            }
    }()

    @Test func `is there for each case`() {
        #expect(Self.sequences.count >= 100)
        #expect(Self.sequences.allSatisfy { !$0.steps.isEmpty })
    }

    @Test(arguments: sequences)
    func `gives the events beside it`(sequence: DecisionSequence) throws {
        var player = SequencePlayer()
        try player.play(sequence)
        #expect(player.faults.isEmpty, "\(player.faults.joined(separator: "\n"))")
    }

    @Test(arguments: sequences)
    func `gives the same with a restart after each load`(sequence: DecisionSequence) throws {
        var player = SequencePlayer(restartsAlways: true)
        try player.play(sequence)
        #expect(player.faults.isEmpty, "\(player.faults.joined(separator: "\n"))")
    }

    @Test(arguments: sequences)
    func `tells each change from the title that was told before`(
        sequence: DecisionSequence
    ) throws {
        var player = SequencePlayer()
        try player.play(sequence)
        #expect(chainFault(player.told) == nil)
    }
}

/// What breaks the chain of told titles: each change goes on from the last title that was told.
func chainFault(_ events: [DurableEvent]) -> String? {
    var told: String?? = .none
    for event in events {
        switch event {
        case .firstSeen(let title, _, _): told = .some(title)
        case .titleChanged(let change):
            guard let last = told, isSame(last, change.from) else { return "\(event)" }
            guard !isSame(change.from, change.to), change.lastSeen <= change.firstShown else {
                return "\(event)"
            }
            told = .some(change.to)
        case .rebased(let from, let to, _):
            guard let last = told, isSame(last, from) else { return "\(event)" }
            told = .some(to)
        case .encodingChanged(let title, _, _): told = .some(title)
        default: break
        }
    }
    return nil
}
