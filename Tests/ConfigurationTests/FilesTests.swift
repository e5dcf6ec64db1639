import Glibc
import TestSupport
import Testing
import WebAddress

@testable import Configuration

@Suite struct `The files of a configuration` {
    private let good = "targets:\n  a: {url: \"https://a.example/\"}\n"

    @Test func `are read in the order of their names, hidden and other ones left out`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write([
            "b.yaml": "targets: {c: {url: \"https://c.example/\"}}",
            "B.yaml": "targets: {b: {url: \"https://b.example/\"}}",
            ".d.yaml": "broken: [", "e.yml": "broken: [", "f.yaml~": "broken: [",
        ])
        let loaded = folder.load()
        #expect(loaded.mistakes.isEmpty)
        #expect(loaded.configuration.targets.map(\.name) == ["a", "b", "c"])
        #expect(loaded.overlookedFiles == [folder.folder.file("targets.d/e.yml")])
        #expect(loaded.configuration.targets[1].place.file.hasSuffix("/targets.d/B.yaml"))
        #expect(loaded.configuration.targets[0].place.line == 2)
    }

    @Test func `fill in the sections of the main file`() throws {
        let read = try configuration(
            """
            limits: {concurrency: 9, per_host: 2, connection_age: 5s}
            log: {file: /var/log/x, events: [all]}
            api: {listen: "[::1]:80", metrics_only: false}
            retention: {rows: 5, age: 1d, newest: 2, size: 1M}
            state: /srv/x
            """)
        var expected = Configuration()
        expected.limits = .init(concurrency: 9, perHost: 2, connectionAge: .seconds(5))
        expected.log = .init(file: "/var/log/x", events: ["all"])
        expected.api = .init(listen: "[::1]:80", isMetricsOnly: false)
        expected.retention = .init(rows: 5, age: .seconds(86_400), newest: 2, size: 1 << 20)
        expected.state = "/srv/x"
        #expect(read == expected)
    }

    @Test func `are in force whole or not at all`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write([
            "bad.yaml": """
            targets:
              b: {url: "https://b.example/"}
              c: {url: "https://c.example/", interval: 5}
            """,
            "good.yaml": "targets: {d: {url: \"https://d.example/\"}}",
        ])
        let loaded = folder.load()
        #expect(loaded.configuration.targets.map(\.name) == ["a", "d"])
        #expect(loaded.refusedFiles.map(\.targetNames) == [["b", "c"]])
        #expect(
            folder.mistakes(loaded) == [
                "targets.d/bad.yaml:3:44: interval \"5\" has no unit (write 5s for seconds)"
            ])
    }

    @Test func `keep the last good definitions of a broken drop-in, also over a restart`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write(["b.yaml": "targets: {b: {url: \"https://b.example/\", confirm: 7}}"])
        let before = folder.load().configuration
        try folder.write(["b.yaml": "targets: {b: {url: \"https://b.example/\", confirm: x}}"])
        let kept = folder.load(after: before)
        #expect(kept.configuration.targets == before.targets)
        #expect(kept.keptTargets == ["b"])
        #expect(kept.mistakes.count == 1)

        var restarted = Configuration()
        restarted.targets = try before.targets.map { try TargetDefinition.decoded($0.encoded()) }
        let again = folder.load(after: restarted)
        #expect(again.configuration.targets == before.targets)
        #expect(again.keptTargets == ["b"])
    }

    @Test func `keep those of a broken main file, with its sections and defaults`() throws {
        let folder = try ConfigurationFolder(
            "limits: {concurrency: 9}\ndefaults: {confirm: 7}\n" + good)
        try folder.write(["b.yaml": "targets: {b: {url: \"https://b.example/\"}}"])
        let before = folder.load().configuration
        try folder.folder.write("limits: {concurrency: x}\n", to: "pagewatch.yaml")
        let loaded = folder.load(after: before)
        #expect(!loaded.isMainAccepted)
        #expect(loaded.configuration.limits == before.limits)
        #expect(loaded.configuration.targets.map(\.name) == ["b", "a"])
        #expect(loaded.configuration.targets.allSatisfy { $0.settings.confirm == 7 })
        #expect(!folder.load().isMainAccepted)
    }

    @Test func `retire a target whose file is good and has it no more`() throws {
        let folder = try ConfigurationFolder(good)
        let before = folder.load().configuration
        try folder.folder.write("targets:\n", to: "pagewatch.yaml")
        let loaded = folder.load(after: before)
        #expect(loaded.configuration.targets.isEmpty && loaded.keptTargets.isEmpty)
    }

    @Test func `refuse the later of two files that define a target`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write([
            "b.yaml":
                "targets:\n  b: {url: \"https://b.example/\"}\n  a: {url: \"https://x.example/\"}"
        ])
        let loaded = folder.load()
        #expect(loaded.configuration.targets.map(\.url.text) == ["https://a.example/"])
        #expect(
            folder.mistakes(loaded) == [
                "targets.d/b.yaml:3:3: the target a is defined already, in pagewatch.yaml:2"
                    + " (take one of the two out, or give it another name)"
            ])
    }

    @Test func `may move a target from a file that is broken`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write(["b.yaml": "targets: {b: {url: \"https://b.example/\"}}"])
        let before = folder.load().configuration
        try folder.write([
            "b.yaml": "targets: [", "c.yaml": "targets: {b: {url: \"https://new.example/\"}}",
        ])
        let loaded = folder.load(after: before)
        #expect(loaded.configuration.targets.map(\.url.text).last == "https://new.example/")
        #expect(loaded.keptTargets.isEmpty)
    }

    @Test func `tell of a folder that is not there, and of what it had`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write(["b.yaml": "targets: {b: {url: \"https://b.example/\"}}"])
        let before = folder.load()
        #expect(!before.isDropInFolderMissing)
        let path = folder.folder.file("targets.d")
        #expect(Folders.move(path, to: path + ".gone"))
        let loaded = folder.load(after: before.configuration)
        #expect(loaded.isDropInFolderMissing && loaded.mistakes.isEmpty)
        #expect(loaded.configuration.targets.map(\.name) == ["a"])
        #expect(loaded.targetsOfMissingFolder.map(\.name) == ["b"])
        // An empty folder is what is left where one was mounted.
        try folder.write([:])
        let empty = folder.load(after: before.configuration)
        #expect(empty.isDropInFolderMissing && empty.mistakes.isEmpty)
        #expect(empty.targetsOfMissingFolder.map(\.name) == ["b"])
    }

    @Test func `of targets are not read again while they and what they stand on are the same`()
        throws
    {
        let folder = try ConfigurationFolder(good)
        try folder.write([
            "b.yaml": "targets: {b: {url: \"https://b.example/\", tags: [x]}}",
            "c.yaml": "targets: {c: {url: \"https://c.example/\", tags: [y]}}",
            "d.yaml": "targets: {d: {url: \"https://d.example/\", bearer: {env: HOME}}}",
        ])
        for name in ["b", "c", "d"] { folder.age("targets.d/\(name).yaml") }
        let first = folder.load()
        func settings(_ loaded: ConfigurationFiles.Loaded, _ name: String) -> ObjectIdentifier? {
            loaded.configuration.targets.first { $0.name == name }?.settingsIdentity
        }
        try folder.write(["c.yaml": "targets: {c: {url: \"https://c.example/\", tags: [z]}}"])
        let second = folder.load(after: first)
        #expect(second.configuration.targets.map(\.name) == ["a", "b", "c", "d"])
        #expect(second.acceptedFiles.count == 4)
        // What was taken over shares its settings with what it was.
        #expect(settings(second, "b") == settings(first, "b"))
        #expect(second.configuration.targets[2].settings.tags == ["z"])
        // A secret may be another one by now.
        #expect(settings(second, "d") != settings(first, "d"))
        // Other defaults make other targets of the same files.
        try folder.folder.write("defaults: {interval: 7s}\n" + good, to: "pagewatch.yaml")
        let third = folder.load(after: second)
        #expect(third.configuration.targets.allSatisfy { $0.settings.interval == .seconds(7) })
    }

    @Test func `of targets are read again when another file takes a name of theirs`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write(["b.yaml": "targets: {b: {url: \"https://b.example/\"}}"])
        folder.age("targets.d/b.yaml")
        let first = folder.load()
        try folder.write(["a.yaml": "targets: {b: {url: \"https://other.example/\"}}"])
        let second = folder.load(after: first)
        #expect(second.mistakes.count == 1)
        #expect(second.mistakes.first?.file == folder.folder.file("targets.d/b.yaml"))
        #expect(second.configuration.targets.map(\.url.text).last == "https://other.example/")
    }

    @Test func `keep the targets of a folder that can't be read`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write(["b.yaml": "targets: {b: {url: \"https://b.example/\"}}"])
        let before = folder.load().configuration
        let path = folder.folder.file("targets.d")
        #expect(Folders.move(path, to: path + ".gone"))
        try folder.folder.write("a file", to: "targets.d")
        let loaded = folder.load(after: before)
        #expect(!loaded.isDropInFolderMissing)
        #expect(
            folder.mistakes(loaded) == [
                "targets.d:1:1: the folder can't be read: Not a directory"
                    + " (make it readable for the service, or take it away)"
            ])
        #expect(loaded.configuration.targets == before.targets)
    }

    @Test func `that are none are mistakes, not waited for`() throws {
        let folder = try ConfigurationFolder(good)
        try folder.write([:])
        #expect(try Folders.make(folder.folder.file("targets.d/a.yaml")))
        #expect(mkfifo(folder.folder.file("targets.d/b.yaml"), 0o644) == 0)
        #expect(symlink("nowhere", folder.folder.file("targets.d/c.yaml")) == 0)
        let remedy = "(make it readable for the service, or take it out)"
        #expect(
            folder.mistakes(folder.load()) == [
                "targets.d/a.yaml:1:1: the file can't be read: Is a directory \(remedy)",
                "targets.d/b.yaml:1:1: the file is no regular file \(remedy)",
                "targets.d/c.yaml:1:1: the file can't be read: No such file or directory \(remedy)",
            ])
        let none = ConfigurationFiles.load(main: folder.folder.file("none.yaml"))
        #expect(none.mistakes.count == 4 && !none.isMainAccepted)
    }

    @Test func `of more than 16 MiB are refused unread`() throws {
        let folder = try ConfigurationFolder(good)
        let path = folder.main
        #expect(truncate(path, 100 << 20) == 0)
        #expect(
            folder.mistakes(folder.load()) == [
                "pagewatch.yaml:1:1: the file has more than 16MiB"
                    + " (spread the targets over several files in targets.d)"
            ])
    }
}
