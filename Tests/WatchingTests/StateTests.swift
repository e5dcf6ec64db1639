import PageModel
import Testing

@testable import Watching

@Suite struct `A target's stored state` {
    /// A state with something in every place.
    static let full: TargetState = {
        var state = TargetState()
        let time = Timestamp(milliseconds: 1_800_000_000_123)
        state.told = ToldTitle(
            title: "Café — 日本", url: "https://a.example/x?y", lastSeen: time, encoding: "UTF-8",
            bytes: TitleBytes(Array("Café".utf8)))
        state.run = TitleRun(title: "", count: 3, first: Timestamp(milliseconds: -5))
        state.failures = FailureRun(
            count: 300, first: time,
            error: LoadError(phase: .tls, code: "certificateExpired", message: "since May"),
            status: nil, isTold: true)
        state.switches = [TitleSwitch(from: nil, load: 7), TitleSwitch(from: "", load: 900)]
        state.oscillation = ["A", nil, "", "Café — 日本"]
        state.unconfirmed = 9
        state.unconfirmedTitles = [nil, "x"]
        state.isUnstableTold = true
        state.goodLoads = 1 << 60
        state.hasHadTitle = true
        state.ownSide = OwnSide(
            url: "u", headers: [("a", "b")], encoding: nil, userAgent: "me", rules: Rules(),
            readerVersion: 4)
        state.edits = [.url, .readerVersion]
        state.isBack = true
        state.validated = Validators(entityTag: "\"é\"", lastModified: nil).map {
            ValidatedAnswer(
                validators: $0, title: nil, url: "https://a.example/x?y", encoding: nil,
                bytes: nil)
        }
        state.nextCheck = .retry
        state.lastStart = time
        state.pause = .until(time)
        return state
    }()

    @Test func `is the same when read again`() throws {
        for state in [TargetState(), Self.full] {
            let bytes = state.encoded()
            let read = try TargetState(decoding: bytes)
            #expect(read == state)
            #expect(read.encoded() == bytes)
        }
        var paused = TargetState()
        paused.pause = .untilResumed
        #expect(try TargetState(decoding: paused.encoded()).pause == .untilResumed)
    }

    @Test func `keeps titles that are canonically the same apart`() throws {
        var state = TargetState()
        state.unconfirmedTitles = ["\u{e9}", "e\u{301}"]
        let read = try TargetState(decoding: state.encoded())
        #expect(
            read.unconfirmedTitles.map { Array(($0 ?? "").utf8) } == [
                [0xC3, 0xA9], [0x65, 0xCC, 0x81],
            ])
    }

    @Test func `is small for a page at rest`() throws {
        let side = OwnSide(url: "https://a.example/", rules: Rules(), readerVersion: 1)
        var state = TargetState()
        for minute in 0..<5 {
            let load = Observation(
                time: Timestamp(milliseconds: 1_800_000_000_000 + Int64(minute) * 60_000),
                initialURL: "https://a.example/", title: "The title of a page", status: 200,
                encoding: "UTF-8", titleBytes: TitleBytes(Array("The title".utf8)),
                validators: Validators(entityTag: "\"5e1f-60c\"", lastModified: nil), ownSide: side)
            state = ChangeRule.decide(load, rules: Rules(), state: state).state
        }
        #expect(state.encoded().count < 200)
    }

    @Test func `of a newer version is refused, and says so`() {
        var bytes = Self.full.encoded()
        bytes[0] = 2
        #expect(throws: StateError.newer(version: 2, known: 1)) {
            try TargetState(decoding: bytes)
        }
        let text = StateError.newer(version: 2, known: 1).description
        #expect(text.contains("form 2") && text.contains("up to 1"))
    }

    @Test func `that is cut off anywhere is refused`() {
        let bytes = Self.full.encoded()
        for count in 0..<bytes.count {
            #expect(throws: StateError.self) {
                try TargetState(decoding: Array(bytes.prefix(count)))
            }
        }
        #expect(throws: StateError.self) { try TargetState(decoding: bytes + [0]) }
    }

    @Test func `that is damaged never stops the program`() {
        let bytes = Self.full.encoded()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            guard let state = try? TargetState(decoding: damaged) else { continue }
            // What can be read can be gone on with.
            let side = OwnSide(url: "u", rules: Rules(), readerVersion: 1)
            let load = Observation(
                time: Timestamp(milliseconds: 0), initialURL: "u", title: "t", status: 200,
                ownSide: side)
            _ = ChangeRule.decide(load, rules: Rules(), state: state)
        }
    }

    @Test func `keeps no validator of a server's that is very long`() {
        let long = String(repeating: "x", count: 1025)
        #expect(Validators(entityTag: long, lastModified: long) == nil)
        #expect(Validators(entityTag: long, lastModified: "d")?.entityTag == nil)
        #expect(Validators(entityTag: String(long.dropLast()), lastModified: nil) != nil)
    }
}
