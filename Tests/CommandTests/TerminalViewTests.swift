import LoopbackSite
import Reactor
import TestSupport
import Testing

/// What a person sees, in a terminal that folds its lines anew when it gets another size.
@Suite(.inTurns, .needsTmux, .timeLimit(.minutes(15))) struct `The views on a person's terminal` {
    let watched: WatchedFolder
    let site: LoopbackSite
    let daemon: RunningDaemon

    /// Each load waits in its middle, for the gate `more`.
    init() async throws {
        watched = try WatchedFolder()
        site = try await LoopbackSite.playing(
            "serve /p\nhead 200 text/html;charset=utf-8\n"
                + "block 4000 <title>日本語 مرحبا e\u{301} &#27;[31m{count}</title>\ngate more\n"
                + "block 4000")
        try watched.configure("confirm: 1", "page: {url: \"\(site.url("/p"))\"}")
        daemon = try watched.start()
        await site.waitForGate("more")
    }

    /// What a person types into a shell; when Ctrl-Z has stopped it, Enter lets it go on.
    private func command(_ words: String, after first: String = "") -> String {
        "sh -mc '\(first)\(BuiltProducts.path("pagewatch")) \(words) --socket"
            + " \(watched.socket); code=$?; if [ $code = 148 ]; then echo stopped; read enter; fg;"
            + " code=$?; fi; echo after $code; read end'"
    }

    private func seen(
        _ what: String, in terminal: Tmux, _ holds: ([Substring]) -> Bool
    ) async throws {
        let end = MonotonicClock.now() + .seconds(30)
        while true {
            let rows = try await terminal.screen()
            if holds(rows) { return }
            guard MonotonicClock.now() < end else {
                throw Unmet("\(what), and saw:\n\(rows.joined(separator: "\n"))")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func isBar(_ row: Substring) -> Bool { row.contains("──") || row.contains("━━") }

    /// Whether the program has left the terminal as it was.
    private func isRestored(_ terminal: Tmux) async throws -> Bool {
        try await terminal.format("#{cursor_flag} #{wrap_flag} #{alternate_on}") == "1 1 0"
    }

    private func end() async throws {
        await site.open(gate: "more", staysOpen: true)
        try await daemon.end()
        await site.stop()
    }

    @Test func `have bars that follow the size, and of which no history keeps one`() async throws {
        let terminal = try await Tmux(command("tail"), columns: 200, rows: 24)
        // The reader is there when it tells of this.
        await site.open(gate: "more")
        var sizes = [(200, 24)]
        for columns in [70, 120, 80, 200, 60] { sizes += [(columns, 24), (columns, 12)] }
        for (number, size) in sizes.enumerated() {
            await site.waitForGate("more")
            try await seen("a bar", in: terminal) { $0.contains(where: isBar) }
            try await terminal.resize(columns: size.0, rows: size.1)
            await site.open(gate: "more")
            try await seen("change \(number)", in: terminal) { rows in
                // It may be folded anywhere.
                rows.joined().contains("[31m\(number + 2)\"")
            }
        }
        try await terminal.press("C-c")
        try await seen("the end", in: terminal) { $0.joined().contains("after 130") }
        let all = try await terminal.all()
        #expect(!all.contains(where: isBar), "\(all.joined(separator: "\n"))")
        let changes = all.filter { $0.contains("page: title changed: ") }
        #expect(changes.count >= sizes.count, "\(changes)")
        #expect(changes.allSatisfy { $0.hasSuffix("\"") && $0.contains(#"日本語 مرحبا"#) })
        #expect(try await isRestored(terminal))
        try await end()
    }

    @Test func `have bars on an empty screen, of which no history keeps one`() async throws {
        let terminal = try await Tmux(
            command("tail --event failing"), columns: 80, rows: 24)
        for _ in 0..<2 {
            await site.open(gate: "more")
            await site.waitForGate("more")
            try await seen("a bar", in: terminal) { $0.first.map(isBar) == true }
        }
        try await terminal.press("C-c")
        try await seen("the end", in: terminal) { $0.contains("after 130") }
        #expect(try await terminal.all().filter { !$0.isEmpty } == ["after 130"])
        try await end()
    }

    @Test(arguments: ["tail", "status --watch"])
    func `are away while Ctrl-Z has them stopped, and come again`(words: String) async throws {
        let terminal = try await Tmux(command(words), columns: 80, rows: 24)
        let isShown: ([Substring]) -> Bool = { [self] rows in
            rows.contains { words == "tail" ? isBar($0) : $0.hasPrefix("page ") }
        }
        // The reader sees a load that begins, and waits.
        if words == "tail" {
            await site.open(gate: "more")
            await site.waitForGate("more")
        }
        try await seen("the view", in: terminal, isShown)
        try await terminal.press("C-z")
        try await seen("the shell", in: terminal) { $0.contains("stopped") && !isShown($0) }
        #expect(try await isRestored(terminal))
        try await terminal.press("Enter")
        try await seen("the view again", in: terminal, isShown)
        try await terminal.press("C-c")
        try await seen("the end", in: terminal) { $0.contains("after 130") && !isShown($0) }
        #expect(try await isRestored(terminal))
        try await end()
    }

    @Test func `fit a status that is refreshed into any size, and give the screen back`()
        async throws
    {
        await site.open(gate: "more", staysOpen: true)
        try await daemon.wait(for: "page: title changed")
        let terminal = try await Tmux(
            command("status --watch", after: "echo before; "), columns: 80, rows: 24)
        for (columns, rows) in [(80, 24), (200, 50), (40, 10), (100, 12)] {
            try await terminal.resize(columns: columns, rows: rows)
            try await seen("the table at \(columns)", in: terminal) { shown in
                shown.contains { $0.hasPrefix("page ") }
                    && shown.last { !$0.isEmpty }?.contains("q") == true
                    && shown.filter { $0.contains("page ") && $0.contains("日") }.count == 1
            }
        }
        #expect(try await terminal.format("#{alternate_on}") == "1")
        try await terminal.press("q")
        try await seen("the end", in: terminal) { $0.contains("after 0") }
        #expect(try await terminal.all().filter { !$0.isEmpty }.prefix(2) == ["before", "after 0"])
        #expect(try await isRestored(terminal))
        try await end()
    }
}
