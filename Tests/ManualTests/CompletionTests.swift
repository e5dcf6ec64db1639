import Configuration
import Events
import Glibc
import TestSupport
import Testing

@testable import pagewatch

@Suite struct `The completions` {
    private let table: CompletionTable

    init() throws { table = try CompletionTable() }

    @Test func `are made from the tables as they are`() throws {
        try compare(Shell.bash.completion, with: BashCompletion(table).text)
        try compare(Shell.zsh.completion, with: ZshCompletion(table).text)
        try compare(Shell.fish.completion, with: FishCompletion(table).text)
    }

    @Test func `need no option that takes a value in one command and none in another`() {
        var takesValue: [String: Bool] = [:]
        for option in table.entries.flatMap(\.options) {
            let known = takesValue.updateValue(option.value != nil, forKey: option.facts.long)
            #expect(known == nil || known == (option.value != nil), "--\(option.facts.long)")
        }
    }
}

/// What must hold in every shell.
private struct ShellCheck {
    let shell: Shell

    func readsItsFile() async throws {
        let outcome = try await TestSupport.Program(shell.rawValue, shell.checkArguments).run()
        #expect(outcome.exitCode == 0)
        #expect(outcome.errorText.isEmpty && outcome.outputText.isEmpty)
    }

    func offersEverything() async throws {
        let commands = pagewatch.Program.commands
        let offered = try await shell.offers([""])
        #expect(Set(offered.words).isSuperset(of: commands.map(\.name) + ["help"]))
        #expect(offered.errors.isEmpty)
        let keys = try await shell.offers(["help", "keys", ""])
        #expect(Set(keys.words) == Set(KeyTables.sections.flatMap { $0.keys.map(\.name) }))
        #expect(try await shell.offers(["help", "tail", ""]).words.isEmpty)
        for command in commands {
            let offered = try await shell.offers([command.name, "--"])
            let options = command.optionNames + HelpText.common.options.map(\.long)
            #expect(
                Set(offered.words).isSuperset(of: options.map { "--" + $0 }), "\(command.name)")
            #expect(offered.errors.isEmpty)
        }
    }

    /// No target can have such a name, but who knows what answers.
    func offersTargetsAndRunsNothing(_ escaped: [String]) async throws {
        let names = ["blog", "two words", "it's", #"quo"te"#, "$(touch made)", "größe", "`id`"]
        let folder = try TemporaryFolder()
        let list = try folder.write(names.map { $0 + "\n" }.joined(), to: "names")
        // Only what was asked for is answered.
        let service = """
            [ "$*" = "status --names" ] || [ "$*" = "status --names --socket /a" ] || exit 3
            cat '\(list)'
            """
        for words in [
            ["status", ""], ["tail", "a", "b", ""], ["check", "--target", ""],
            ["pause", "--for", "2h", ""], ["status", "--socket", "/a", ""],
        ] {
            let offered = try await shell.offers(words, service: service, in: folder)
            #expect(Set(offered.words) == Set(escaped), "\(words)")
            #expect(offered.errors.isEmpty)
        }
        let begun = try await shell.offers(["status", "bl"], service: service, in: folder)
        #expect(begun.words == ["blog"])
        #expect(access(folder.file("made"), F_OK) != 0)
    }

    func isSilentWithoutService() async throws {
        let offered = try await shell.offers(
            ["status", ""], service: "echo 'no service' >&2; exit 3")
        #expect(offered.words.isEmpty)
        #expect(offered.errors.isEmpty)
    }

    func offersValues() async throws {
        let kinds = try await shell.offers(["tail", "--event", "ti"])
        #expect(Set(kinds.words) == ["title", "titleChanged"])
        let encodings = try await shell.offers(["check", "--encoding", "shift"])
        #expect(encodings.words == ["shift_jis"])
        let commands = try await shell.offers(["help", "rel"])
        #expect(commands.words == ["reload"])
        #expect(try await shell.offers(["tail", "--exec", "mkdi"]).words.contains("mkdir"))
        #expect(try await shell.offers(["go", "blog", ""]).words.isEmpty)
    }

    /// - Parameter expected: The words for a value that is a file, and one that is a folder.
    func offersFiles(_ expected: (files: [String], folders: [String])) async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "urls.txt")
        mkdir(folder.file("sub"), 0o755)
        let files = try await shell.offers(["check", "--from", ""], in: folder)
        #expect(Set(files.words) == Set(expected.files))
        let operand = try await shell.offers(["backup", ""], in: folder)
        #expect(Set(operand.words) == Set(expected.files))
        let folders = try await shell.offers(["history", "--state", ""], in: folder)
        #expect(Set(folders.words) == Set(expected.folders))
    }
}

@Suite(.enabled(if: Shell.bash.isInstalled, "needs bash")) struct `Completion in bash` {
    private let check = ShellCheck(shell: .bash)

    @Test func `can be read`() async throws { try await check.readsItsFile() }

    @Test func `offers every command and option`() async throws {
        try await check.offersEverything()
    }

    @Test func `offers the service's targets, and runs nothing of them`() async throws {
        try await check.offersTargetsAndRunsNothing([
            "blog", #"two\ words"#, #"it\'s"#, #"quo\"te"#, #"\$\(touch\ made\)"#, "größe",
            #"\`id\`"#,
        ])
    }

    @Test func `is silent without a service`() async throws {
        try await check.isSilentWithoutService()
    }

    @Test func `offers the words that a value can be`() async throws {
        try await check.offersValues()
        // bash takes these apart.
        #expect(
            try await Shell.bash.offers(["tail", "--event", "=", "titleC"]).words
                == ["titleChanged"])
        #expect(try await Shell.bash.offers(["tail", "--event", "="]).words.contains("all"))
    }

    @Test func `leaves files and folders to readline`() async throws {
        try await check.offersFiles((["(default)"], ["(dirnames)"]))
    }
}

@Suite(.enabled(if: Shell.zsh.isInstalled, "needs zsh")) struct `Completion in zsh` {
    private let check = ShellCheck(shell: .zsh)

    @Test func `can be read`() async throws { try await check.readsItsFile() }

    @Test func `offers every command and option`() async throws {
        try await check.offersEverything()
    }

    @Test func `offers the service's targets, and runs nothing of them`() async throws {
        try await check.offersTargetsAndRunsNothing([
            "blog", #"two\ words"#, #"it\'s"#, #"quo\"te"#, #"\$\(touch\ made\)"#, "größe",
            #"\`id\`"#,
        ])
    }

    @Test func `is silent without a service`() async throws {
        try await check.isSilentWithoutService()
    }

    @Test func `offers the words that a value can be`() async throws {
        try await check.offersValues()
        #expect(
            try await Shell.zsh.offers(["tail", "--event=titleC"]).words == ["titleChanged"])
    }

    @Test func `offers files and folders`() async throws {
        try await check.offersFiles((["urls.txt", "sub"], ["sub"]))
    }
}

@Suite(.enabled(if: Shell.fish.isInstalled, "needs fish")) struct `Completion in fish` {
    private let check = ShellCheck(shell: .fish)

    @Test func `can be read`() async throws { try await check.readsItsFile() }

    @Test func `offers every command and option`() async throws {
        try await check.offersEverything()
    }

    @Test func `offers the service's targets, and runs nothing of them`() async throws {
        // fish quotes them when it puts them into the line.
        try await check.offersTargetsAndRunsNothing([
            "blog", "two words", "it's", #"quo"te"#, "$(touch made)", "größe", "`id`",
        ])
    }

    @Test func `is silent without a service`() async throws {
        try await check.isSilentWithoutService()
    }

    @Test func `offers the words that a value can be`() async throws {
        try await check.offersValues()
        #expect(
            try await Shell.fish.offers(["tail", "--event=titleC"]).words
                == ["--event=titleChanged"])
    }

    @Test func `offers files and folders`() async throws {
        try await check.offersFiles((["urls.txt", "sub/"], ["sub/"]))
    }
}
