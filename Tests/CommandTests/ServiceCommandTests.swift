import Events
import Glibc
import History
import LoopbackSite
import TestSupport
import Testing

/// The steps of a page that is nothing but its title.
private func page(_ title: String) -> String {
    "head 200 text/html\ntext <title>\(title)</title>\n"
}

extension WatchedFolder {
    /// Runs a command that asks this folder's daemon.
    fileprivate func command(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.pagewatch(arguments: arguments + ["--socket", socket]).run()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Asking the service` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    @Test func `shows its targets as a table that fits`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /a\n\(page("A title that is by far too long for a terminal of eighty columns"))"
                + "serve /down\nhead 500 text/html\nbody")
        try watched.configure(
            "confirm: 1, failures: 1", "a: {url: \"\(site.url("/a"))\", interval: 1h}",
            "down: {url: \"\(site.url("/down"))\", interval: 1h}",
            "off: {url: \"\(site.url("/a"))\", enabled: false}")
        let daemon = try watched.start()
        try await daemon.wait(for: "a: first seen")
        let outcome = try await watched.command("status")
        #expect(outcome.exitCode == 0)
        let lines = outcome.outputLines
        #expect(lines[0].hasPrefix("pagewatch 0."))
        #expect(lines[0].hasSuffix(": 3 targets, 1 disabled, 1 failing"))
        #expect(lines[1].split(separator: " ") == ["TARGET", "STATE", "TITLE", "CHANGED", "NEXT"])
        #expect(lines[2].hasPrefix("a       fine      \"A title that is"))
        #expect(lines[3].hasPrefix("down    failing   -"))
        #expect(lines[4].split(separator: " ") == ["off", "disabled", "-", "-", "-"])
        #expect(lines.allSatisfy { $0.count <= 100 })
        try await daemon.end()
        await site.stop()
    }

    @Test func `tells the names of its targets alone, for shells that complete them`()
        async throws
    {
        let targets = ["blog", "shop.se", "shop.no"].map { name in
            "\(name): {url: \"http://127.0.0.1:1/\", interval: 1h}"
        }
        try watched.configure("confirm: 1", targets: targets)
        let daemon = try watched.start()
        try await watched.isServed()
        let names = try await watched.command("status", "--names")
        #expect(names.outputText == "blog\nshop.no\nshop.se\n")
        #expect(names.exitCode == 0)
        let one = try await watched.command("status", "--names", "blog")
        #expect(
            one.errorText
                == "pagewatch status: --names is about all targets (leave the target out)\n")
        let project = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        var bash = Program(
            "bash",
            [
                "\(project)/Tests/ManualTests/Scripts/capture.bash",
                "\(project)/completions/pagewatch.bash", "pagewatch", "pause", "shop",
            ])
        bash.environment["PATH"] = BuiltProducts.folder + ":/usr/bin:/bin"
        bash.environment["PAGEWATCH_SOCKET"] = watched.socket
        let completed = try await bash.run()
        #expect(completed.outputText == "shop.no\nshop.se\n")
        #expect(completed.errorText.isEmpty)
        try await daemon.end()
    }

    @Test func `does not let a shell wait for names that do not come`() async throws {
        // Whoever connects to it waits for ever.
        let path = watched.folder.file("stuck.sock")
        let python = Program(
            "python3",
            [
                "-c",
                "import socket, sys, time; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]);"
                    + " s.listen(); print('ready', flush=True); time.sleep(60)", path,
            ])
        let stuck = try python.start()
        for await line in stuck.lines where line.text == "ready" { break }
        let outcome = try await Program.pagewatch("status", "--names", "--socket", path).run()
        stuck.send(signal: SIGKILL)
        _ = await stuck.outcome()
        #expect(outcome.exitCode == 3)
        #expect(outcome.outputText.isEmpty)
        #expect(outcome.wall < .seconds(10))
    }

    @Test func `tells all about one target, and its health by the exit code`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /a\n\(page("A"))serve /down\nhead 500 text/html\nbody")
        try watched.configure(
            "confirm: 1, failures: 1", "a: {url: \"\(site.url("/a"))\", tags: [x, y]}",
            "down: {url: \"\(site.url("/down"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "down: failing")
        try await site.waitForRequest("/a", number: 2)
        let good = try await watched.command("status", "a")
        #expect(good.exitCode == 0)
        for fact in [
            "a\n  state        fine\n", "  title        \"A\"\n", "  tags         x, y\n",
            "  page         \(site.url("/a"))\n", "  decision     ",
        ] {
            #expect(good.outputText.contains(fact), "\(fact) in \(good.outputText)")
        }
        let bad = try await watched.command("status", "down")
        #expect(bad.exitCode == 2)
        #expect(bad.outputText.contains("  state        failing since "))
        #expect(bad.outputText.contains("content: badStatus"))
        let none = try await watched.command("status", "nobody")
        #expect(none.exitCode == 3)
        #expect(none.errorText.contains("there is no target \"nobody\""))
        let near = try await watched.command("status", "dwon")
        let empty = try await watched.command("status", "")
        #expect(empty.exitCode == 3 && empty.outputText == "")
        #expect(try await watched.ask("GET /v1/targets/").status == 404)
        #expect(near.errorText.contains("there is no target \"dwon\" (did you mean \"down\"?)"))
        try await daemon.end()
        await site.stop()
    }

    @Test func `moves a target's page as a web view's, and tells how the load went`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            "serve /gone\nhead 404 text/html\ntext <title>Gone</title>\nserve /{page}\n\(page("{page}"))"
        )
        try watched.configure(
            "confirm: 1", "a: {url: \"\(site.url("/a"))\", interval: 1h}")
        let daemon = try watched.start()
        try await daemon.wait(for: "a: first seen")
        let loaded = try await watched.command("load", "a", site.url("/b"))
        #expect(loaded.exitCode == 0)
        #expect(
            loaded.outputText.hasPrefix("a: \"b\" at \(site.url("/b")), 1 back; next check in "))
        #expect(loaded.outputText.split(separator: "\n").count == 1)
        let shown = try await watched.command("status", "a").outputText
        #expect(shown.contains("  page         \(site.url("/b"))\n"))
        #expect(shown.contains("  back         -1  \(site.url("/a"))  \"a\"\n"))
        #expect(shown.contains("  title        \"a\"\n"))
        let failed = try await watched.command("load", "a", site.url("/gone"))
        #expect(failed.exitCode == 2)
        #expect(failed.outputText.hasPrefix("a: \"Gone\" at \(site.url("/gone")), 2 back"))
        let back = try await watched.command("back", "a")
        #expect(back.outputText.hasPrefix("a: \"b\" at \(site.url("/b")), 1 back, 1 forward"))
        #expect(try await watched.command("forward", "a").exitCode == 2)
        let twoBack = try await watched.command("go", "a", "-2")
        #expect(twoBack.outputText.hasPrefix("a: \"a\" at \(site.url("/a")), 2 forward"))
        let beyond = try await watched.command("back", "a")
        #expect(beyond.exitCode == 3)
        #expect(beyond.errorText == "pagewatch back: the back-forward list has no item at -1\n")
        try await daemon.end()
        #expect(try watched.story(of: "a") == ["firstSeen \"a\""])
        await site.stop()
    }

    @Test func `checks a target at once when asked to, whatever its server wished`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            "serve /a\ntimes 1\nhead 429 text/html\nheader Retry-After: 3000\nbody\n"
                + "serve /a\n\(page("A"))")
        try watched.configure("confirm: 1", "a: {url: \"\(site.url("/a"))\"}")
        let daemon = try watched.start()
        try await site.waitForRequest("/a")
        var outcome = try await watched.command("status", "a")
        while !outcome.outputText.contains("  held ") {
            outcome = try await watched.command("status", "a")
        }
        let reloaded = try await watched.command("reload", "a")
        #expect(reloaded.exitCode == 0)
        #expect(reloaded.outputText.hasPrefix("a: \"A\" at \(site.url("/a")); next check in "))
        try await daemon.end()
        await site.stop()
    }

    @Test func `tells that a load was stopped, and a pause beside a failure`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /slow\nhead 200 text/html\ntext <title>Slow</title>\ngate go\n"
                + "serve /bad\nhead 500 text/html\ntext x\nserve /{page}\n\(page("A"))")
        try watched.configure(
            "confirm: 1, failures: 1", "a: {url: \"\(site.url("/a"))\", interval: 1h}",
            "bad: {url: \"\(site.url("/bad"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "a: first seen")
        async let load = watched.command("load", "a", site.url("/slow"))
        try await site.waitForRequest("/slow")
        #expect(try await watched.command("stop", "a").exitCode == 0)
        let stopped = try await load
        #expect(stopped.exitCode == 2, "\(stopped.outputText)")
        #expect(stopped.errorText.hasPrefix("pagewatch load: the page was not loaded: "))
        try await daemon.wait(for: "bad: failing")
        #expect(try await watched.command("pause", "bad").exitCode == 0)
        let text = try await watched.command("status", "bad").outputText
        #expect(text.contains("  state        paused, failing since 20"))
        try await daemon.end()
        await site.stop()
    }

    @Test func `gives a program all mistakes of a configuration`() async throws {
        try watched.configure("confirm: 1", "a: {url: \"http://127.0.0.1:9/\", interval: 1h}")
        let daemon = try watched.start()
        try await watched.isServed()
        try watched.drop("targets: {b: {}, c: {}}\n", as: "b.yaml")
        let refused = try await watched.command("reconfigure", "--json")
        #expect(refused.exitCode == 3)
        let answer = try #require(JSONValue(refused.outputText))
        #expect(answer["mistakes"].elements.count == 2)
        #expect(refused.errorText.contains("b has no url"))
        try await daemon.end()
    }

    @Test func `understands a date of Retry-After by the server's own clock`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /a
            head 503 text/html
            header Date: Sun, 06 Nov 1994 08:49:37 GMT
            header Retry-After: Sun, 06 Nov 1994 10:49:37 GMT
            body
            """)
        try watched.configure("confirm: 1", "a: {url: \"\(site.url("/a"))\"}")
        let daemon = try watched.start()
        try await watched.isServed()
        let held = try await watched.target("a", until: "it to be held") {
            $0["heldUntil"] != .null
        }
        let until = try #require(held["heldUntil"].string.flatMap { WallTime($0) })
        let wait = until.milliseconds - WallTime.now().milliseconds
        #expect((3_500_000...7_200_000).contains(wait), "\(wait)")
        try await daemon.end()
        await site.stop()
    }

    @Test func `pauses a target, over a restart too, and resumes it`() async throws {
        let site = try await LoopbackSite.playing("serve /{page}\n\(page("A"))")
        try watched.configure(
            "confirm: 1", "a: {url: \"\(site.url("/a"))\"}", "b: {url: \"\(site.url("/b"))\"}")
        let first = try watched.start()
        try await first.wait(for: "a: first seen")
        let paused = try await watched.command("pause", "a", "--for", "1h")
        #expect(paused.exitCode == 0)
        #expect(paused.outputText.contains("; paused until 20"))
        #expect(paused.outputText.hasSuffix(" (in 59 min)\n"))
        try await first.wait(for: "a: paused: until 20")
        try await site.waitForRequest("/b", number: await site.requests(for: "/b").count + 2)
        let count = await site.requests(for: "/a").count
        try await first.end()
        let second = try watched.start()
        try await site.waitForRequest("/b", number: await site.requests(for: "/b").count + 3)
        #expect(await site.requests(for: "/a").count == count)
        #expect(try await watched.command("status", "a").outputText.contains("paused until 20"))
        #expect(try await watched.command("resume", "a").exitCode == 0)
        try await site.waitForRequest("/a", number: count + 2)
        try await second.end()
        #expect(
            try watched.story(of: "a").filter { !$0.hasPrefix("gap") } == [
                "firstSeen \"A\"", "paused", "resumed",
            ])
        await site.stop()
    }

    @Test func `has the configuration read again, and prints each mistake`() async throws {
        let site = try await LoopbackSite.playing("serve /{page}\n\(page("A"))")
        let target = "a: {url: \"\(site.url("/a"))\"}"
        try watched.configure("confirm: 1", target)
        let daemon = try watched.start()
        try await daemon.wait(for: "a: first seen")
        try watched.configure("confirm: 1", target, "b: {url: \"\(site.url("/b"))\"}")
        let good = try await watched.command("reconfigure")
        #expect(good.exitCode == 0)
        #expect(good.outputText == "added b\n")
        try watched.folder.write("limit: {}\ntarget: {}\n", to: "pagewatch.yaml")
        let bad = try await watched.command("reconfigure")
        #expect(bad.exitCode == 3)
        #expect(bad.errorText.contains("\(watched.main):1:1: "))
        #expect(bad.errorText.contains("\(watched.main):2:1: "))
        #expect(bad.errorText.split(separator: "\n").count == 2)
        // As systemd does it: the service's log has them already.
        let quiet = try await watched.command("reconfigure", "--quiet")
        #expect(quiet.exitCode == 3)
        #expect(quiet.errorText + quiet.outputText == "")
        try watched.configure("confirm: 1")
        let tooMuch = try await watched.command("reconfigure")
        #expect(tooMuch.exitCode == 3)
        #expect(tooMuch.errorText.hasPrefix("2 of 2 targets are not defined any more"))
        let forced = try await watched.command("reconfigure", "--force")
        #expect(forced.exitCode == 0)
        #expect(forced.outputText == "removed a, b\n")
        try await daemon.end()
        await site.stop()
    }

    @Test func `forgets a target while it runs, which begins anew`() async throws {
        let site = try await LoopbackSite.playing("serve /{page}\n\(page("A"))")
        try watched.configure("confirm: 1", "a: {url: \"\(site.url("/a"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "a: first seen")
        let before = try watched.events(of: "a").compactMap(\.load)
        let outcome = try await watched.command("forget", "a", "--state", watched.state)
        #expect(outcome.exitCode == 0, "\(outcome.errorText)")
        try await daemon.wait(for: "a: first seen")
        try await daemon.end()
        #expect(try watched.story(of: "a") == ["firstSeen \"A\""])
        // The numbers of its loads go on.
        let after = try watched.events(of: "a").compactMap(\.load)
        #expect(after.count == 1 && after[0] > before[0])
        await site.stop()
    }

    @Test func `says where it looked if there is none, and the way out`() async throws {
        let places = watched.folder.file("none.sock")
        for arguments in [["status"], ["reload", "a"], ["reconfigure"]] {
            let outcome = try await Program.pagewatch(
                arguments: arguments + ["--socket", places]
            ).run()
            #expect(outcome.exitCode == 3)
            #expect(outcome.errorText.contains(places))
            #expect(outcome.errorText.contains("pagewatch daemon"))
        }
        var program = Program.pagewatch(arguments: ["status"])
        program.environment["XDG_RUNTIME_DIR"] = watched.folder.path
        program.environment["PAGEWATCH_SOCKET"] = nil
        let everywhere = try await program.run()
        if everywhere.exitCode == 3 {
            #expect(everywhere.errorText.contains("/run/pagewatch/control.sock"))
            #expect(everywhere.errorText.contains(watched.folder.file("pagewatch/control.sock")))
        }
    }

    @Test(arguments: [
        (["reload"], "reconfigure"), (["stop"], "systemctl stop"), (["go", "a"], "pagewatch go"),
        (["go", "a", "x"], "not an index"), (["back", "a", "b"], "too many"),
        (["pause", "a", "--for", "nonsense"], "--for"), (["reconfigure", "a"], "no operand"),
        (["status", "--watch"], "needs a terminal"), (["load", "a", "b", "c"], "too many"),
    ])
    func `refuses what makes no sense, with a remedy`(arguments: [String], remedy: String)
        async throws
    {
        let outcome = try await Program.pagewatch(arguments: arguments).run()
        #expect(outcome.exitCode == 3)
        #expect(outcome.errorText.contains(remedy), "\(outcome.errorText)")
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The status on the whole terminal` {
    @Test(arguments: ["q", "\u{3}"])
    func `is refreshed until a key ends it, and leaves nothing behind`(key: String) async throws {
        let site = try await LoopbackSite.playing(
            "serve /a\n" + page("{count}"))
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "a: {url: \"\(site.url("/a"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "a: title changed")
        var program = Program.pagewatch(
            arguments: ["status", "--watch", "--socket", watched.socket])
        program.terminal = Program.Terminal(streams: [0, 1, 2])
        let screen = try program.start()
        // Each refresh is a request more; the page goes on meanwhile.
        try await site.waitForRequest("/a", number: await site.requests(for: "/a").count + 3)
        screen.type(key)
        let outcome = await screen.outcome()
        #expect(outcome.exitCode == (key == "q" ? 0 : 130))
        let text = outcome.terminalText
        #expect(text.hasPrefix("\u{1B}[?1049h\u{1B}[?25l"))
        #expect(text.contains("\u{1B}[?25h\u{1B}[?1049l"))
        #expect(text.ranges(of: "pagewatch 0.").count >= 2)
        try await daemon.end()
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Checking a configured target` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    private func check(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.pagewatch(
            arguments: ["check", "--config", watched.main, "--state", watched.state] + arguments
        ).run()
    }

    @Test func `tells what would be told of it, and keeps nothing`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\nwhen X-Who: us\ntimes 1\n\(page("Old"))"
                + "serve /p\nwhen X-Who: us\n\(page("New"))serve /p\nhead 403 text/html\nbody\n"
                + "serve /m\n\(page("M"))")
        try watched.configure(
            "confirm: 1", "p: {url: \"\(site.url("/p"))\", interval: 1h, headers: {X-Who: us}}",
            "m: {url: \"\(site.url("/m"))\", reject_title: ^M}")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"Old\"")
        for _ in 0..<2 {
            let changed = try await check("--target", "p")
            #expect(changed.exitCode == 1)
            #expect(changed.outputLines[0].hasPrefix("200 "))
            #expect(changed.outputLines[1] == "decision: new title: told")
            #expect(changed.outputLines[2] == "would tell: p: title changed: \"Old\" -> \"New\"")
        }
        let refused = try await check("--target", "m")
        #expect(refused.exitCode == 2)
        #expect(refused.outputText.contains("counts as failed: content: "))
        let json = try await check("--target", "p", "--json")
        #expect(json.outputLines.count == 2)
        #expect(
            json.outputLines[1].hasPrefix(
                "{\"target\":\"p\",\"decision\":\"new title: told\",\"events\":[{\"seq\":0,"))
        try await daemon.end()
        #expect(try watched.story(of: "p") == ["firstSeen \"Old\""])
        await site.stop()
    }

    @Test func `says what is wrong with the name or the rest`() async throws {
        try watched.configure("confirm: 1", "blog: {url: \"http://127.0.0.1:1/\"}")
        let unknown = try await Program.pagewatch(
            "check", "--config", watched.main, "--target", "blok"
        ).run()
        #expect(unknown.exitCode == 3)
        #expect(unknown.errorText.contains("(did you mean \"blog\"?)"))
        let both = try await Program.pagewatch(
            "check", "--config", watched.main, "--target", "blog", "http://127.0.0.1:1/"
        ).run()
        #expect(both.exitCode == 3)
        #expect(both.errorText.contains("--target goes with"))
    }
}
