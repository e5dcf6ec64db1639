import Foundation
import Glibc
import History
import PageModel
import Testing
import TestSupport

private func at(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_780_056_000_000 + seconds * 1000)
}

/// A state folder with the story of a target `blog`, closed.
private final class State {
    let folder: TemporaryFolder
    var path: String { folder.file("state") }

    init() throws {
        folder = try TemporaryFolder()
        let store = try open()
        let events: [(Int64, String?, DurableEvent)] = [
            (0, nil, .service(ServiceEvent(state: .started, version: "0.1.0"))),
            (10, "blog", .firstSeen(title: "A", url: "https://a/", previous: nil)),
            (
                100, "blog",
                .titleChanged(
                    TitleChange(
                        from: "A", to: "B\nforged", url: "https://a/", initialURL: "https://a/",
                        lastSeen: at(60), firstShown: at(80), fromURL: nil))
            ),
            (90, "blog", .gap(since: at(62), until: at(70), reason: .overrun, targets: nil)),
        ]
        for (time, target, event) in events {
            store.submit(
                Batch([
                    .event(
                        StoredEvent(
                            time: at(time), target: target,
                            load: target.map { _ in 3 }, event: event))
                ]))
        }
        for (time, title) in [(10, "A"), (60, "A"), (80, "B"), (100, "B")] as [(Int64, String)] {
            store.submit(
                Batch([
                    .observation(
                        target: "blog",
                        Observation(
                            load: 1, started: at(time), ended: at(time), outcome: .title(title),
                            isTold: true))
                ]))
        }
        guard store.close(within: .seconds(10)) else { throw NotClosed() }
    }

    struct NotClosed: Error {}

    func open() throws -> HistoryStore {
        let listener = HistoryStore.Listener { _ in
        } trouble: { _ in
        }
        return try HistoryStore.open(StateFolder(path), version: "1", listener: listener).store
    }

    func run(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.pagewatch(arguments: arguments + ["--state", path]).run()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `pagewatch history` {
    @Test func `prints a target's events, in their order, as the service would`() async throws {
        let state = try State()
        let outcome = try await state.run("history", "blog", "--utc")
        #expect(
            outcome.outputText == """
                2026-05-29T12:00:10Z blog: first seen: "A"
                2026-05-29T12:01:40Z blog: title changed: "A" -> "B\\u000Aforged"
                2026-05-29T12:01:30Z blog: not watched: overrun from 2026-05-29T12:01:02Z to \
                2026-05-29T12:01:10Z

                """)
        #expect(outcome.errorText == "")
        #expect(outcome.exitCode == 0)
    }

    @Test func `prints the newest as JSON lines`() async throws {
        let outcome = try await State().run("history", "blog", "--json", "--limit", "2")
        let lines = try objects(outcome)
        #expect(lines.map { $0["event"] as? String } == ["titleChanged", "gap"])
        #expect(lines[0]["to"] as? String == "B\nforged")
        #expect(lines[0]["seq"] as? Int == 3)
    }

    @Test func `prints what came since a time, or behind it by its number`() async throws {
        let state = try State()
        let outcome = try await state.run(
            "history", "blog", "--json", "--since", "2026-05-29T12:01:40Z")
        // The clock went back between the two.
        #expect(try objects(outcome).map { $0["event"] as? String } == ["titleChanged", "gap"])
        let newest = try await state.run(
            "history", "blog", "--json", "--since", "2026-05-29", "--limit", "1")
        #expect(try objects(newest).map { $0["event"] as? String } == ["gap"])
        #expect(try await state.run("history", "blog", "--since", "now").outputText.isEmpty)
        let wrong = try await state.run("history", "blog", "--since", "soon")
        #expect(wrong.exitCode == 3)
        #expect(wrong.errorText.hasPrefix("pagewatch history: --since \"soon\" is not a time ("))
        let both = try await state.run("history", "blog", "--since", "2h", "--at", "1h")
        #expect(both.errorText.contains("--since and --at exclude each other"))
    }

    @Test func `prints the service's own without a target`() async throws {
        let outcome = try await State().run("history", "--utc")
        #expect(outcome.outputText == "2026-05-29T12:00:00Z (service): started: version 0.1.0\n")
    }

    @Test func `tells local times with their offset`() async throws {
        let state = try State()
        var program = Program.pagewatch("history", "--state", state.path)
        program.environment["TZ"] = "Asia/Kolkata"
        let outcome = try await program.run()
        #expect(outcome.outputText.hasPrefix("2026-05-29T17:30:00+05:30 (service)"))
    }

    private static let moments: [(String, String)] = [
        (
            "2026-05-29T12:01:05Z",
            """
            2026-05-29T12:01:05Z blog: "A" since 2026-05-29T12:00:10Z
              load before: 2026-05-29T12:01:00Z "A"
              load after: 2026-05-29T12:01:20Z "B"
              watching: no (overrun from 2026-05-29T12:01:02Z to 2026-05-29T12:01:10Z)

            """
        ),
        (
            "@1780056090",
            """
            2026-05-29T12:01:30Z blog: "B\\u000Aforged" since 2026-05-29T12:01:20Z
              load before: 2026-05-29T12:01:20Z "B"
              load after: 2026-05-29T12:01:40Z "B"
              watching: yes

            """
        ),
        (
            "2026-05-01",
            """
            2026-05-01T00:00:00Z blog: no title was confirmed yet
              load before: (none)
              load after: 2026-05-29T12:00:10Z "A"
              watching: unknown

            """
        ),
    ]

    @Test(arguments: moments)
    func `tells what was known at a time`(time: String, text: String) async throws {
        let outcome = try await State().run("history", "blog", "--at", time, "--utc")
        #expect(outcome.outputText == text)
        #expect(outcome.exitCode == 0)
    }

    @Test func `tells what was known at a time as JSON`() async throws {
        let outcome = try await State().run(
            "history", "blog", "--json", "--at", "2026-05-29T14:01:05+02:00")
        #expect(
            outcome.outputText
                == #"{"time":"2026-05-29T12:01:05.000Z","target":"blog","title":"A","#
                + #""since":"2026-05-29T12:00:10.000Z","#
                + #""before":{"title":"A","time":"2026-05-29T12:01:00.000Z"},"#
                + #""after":{"title":"B","time":"2026-05-29T12:01:20.000Z"},"watching":false,"#
                + #""gap":{"since":"2026-05-29T12:01:02.000Z","#
                + #""until":"2026-05-29T12:01:10.000Z","reason":"overrun"}}"# + "\n")
    }

    private static let mistakes: [([String], String)] = [
        (["blig"], #"nothing is known of "blig" in STATE (did you mean "blog"?)"#),
        (["blog", "b"], #""b" is one target too many (write one, or none)"#),
        (["--at", "-2h"], #"--at needs a target (write "pagewatch history blog --at -2d")"#),
        (
            ["blog", "--at", "2026-02-30"],
            #"--at "2026-02-30" is not a time (write "2026-05-28T20:26:40Z", "2026-05-28", "-2h", "#
                + #""yesterday" or "@1780000000")"#
        ),
        (
            ["blog", "--limit", "1", "--at", "now"],
            "--limit and --at exclude each other (write only one)"
        ),
    ]

    @Test(arguments: mistakes)
    func `says what is wrong, and ends with 3`(arguments: [String], problem: String) async throws {
        let state = try State()
        let outcome = try await Program.pagewatch(
            arguments: ["history"] + arguments + ["--state", state.path]
        ).run()
        let expected = problem.replacingOccurrences(of: "STATE", with: state.path)
        #expect(outcome.errorText == "pagewatch history: \(expected)\n")
        #expect(outcome.outputText == "")
        #expect(outcome.exitCode == 3)
    }

    @Test func `finds the state by the environment, and else tells where it looked`()
        async throws
    {
        let state = try State()
        var program = Program.pagewatch("history", "blog", "--limit", "1")
        program.environment["STATE_DIRECTORY"] = state.path + ":/other"
        #expect(try await program.run().exitCode == 0)
        program.environment["PAGEWATCH_STATE"] = "/nonexistent"
        let outcome = try await program.run()
        #expect(
            outcome.errorText
                == "pagewatch history: there is no /nonexistent/history.db (write --state DIR)\n")
        #expect(outcome.exitCode == 3)
    }

    @Test func `reads while a service writes`() async throws {
        let state = try State()
        let store = try state.open()
        let outcome = try await state.run("history", "blog", "--json")
        #expect(outcome.outputLines.count == 3)
        #expect(store.close(within: .seconds(10)))
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `pagewatch forget` {
    @Test func `removes a target, and no other`() async throws {
        let state = try State()
        let outcome = try await state.run("forget", "blog")
        #expect(outcome.exitCode == 0)
        #expect(outcome.outputText + outcome.errorText == "")
        #expect(try await state.run("history", "blog").exitCode == 3)
        #expect(try await state.run("history").outputLines.count == 1)
        #expect(try await state.run("forget", "blog").exitCode == 3)
    }

    @Test func `leaves the folder of a running service alone, and says who has it`() async throws {
        let state = try State()
        let store = try state.open()
        let socket = state.folder.file("none.sock")
        let outcome = try await state.run("forget", "blog", "--socket", socket)
        let begin =
            "pagewatch forget: \(state.path) is in use by process \(getpid()), and no service"
        #expect(outcome.errorText.hasPrefix(begin), "\(outcome.errorText)")
        #expect(outcome.errorText.contains(socket))
        #expect(outcome.exitCode == 3)
        #expect(store.close(within: .seconds(10)))
        #expect(try await state.run("history", "blog").exitCode == 0)
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `pagewatch backup` {
    @Test func `makes a copy that can be put back`() async throws {
        let state = try State()
        let store = try state.open()
        let copy = state.folder.file("copy.db")
        let outcome = try await state.run("backup", copy)
        #expect(outcome.outputText + outcome.errorText == "")
        #expect(outcome.exitCode == 0)
        #expect(store.close(within: .seconds(10)))
        #expect(mkdir(state.folder.file("other"), 0o700) == 0)
        #expect(rename(copy, state.folder.file("other/history.db")) == 0)
        let history = try await Program.pagewatch(
            "history", "blog", "--state", state.folder.file("other")
        ).run()
        #expect(history.outputLines.count == 3)
    }

    @Test func `replaces no file`() async throws {
        let state = try State()
        try state.folder.write("mine", to: "copy.db")
        let copy = state.folder.file("copy.db")
        let outcome = try await state.run("backup", copy)
        #expect(
            outcome.errorText == "pagewatch backup: can't use \(copy): it is there already"
                + " (name another file, or remove this one)\n")
        #expect(outcome.exitCode == 3)
        #expect(try TextFile.read(copy) == "mine")
    }
}
