import Glibc
import TestSupport

@testable import Configuration

/// A folder of configuration files that a test writes.
struct ConfigurationFolder {
    let folder: TemporaryFolder
    var main: String { folder.file("pagewatch.yaml") }

    /// - Parameter main: The text of the main file.
    init(_ main: String) throws {
        folder = try TemporaryFolder()
        // What the examples of keys name.
        for name in ["ca.pem", "us.pem", "us.key", "password", "token"] {
            try folder.write("swordfish\n", to: name)
        }
        try folder.write(main, to: "pagewatch.yaml")
    }

    /// Makes the folder of drop-ins with these files, or adds them to it.
    func write(_ dropIns: [String: String]) throws {
        _ = try Folders.make(folder.file("targets.d"))
        for (name, text) in dropIns { try folder.write(text, to: "targets.d/\(name)") }
    }

    func load(after lastGood: Configuration = Configuration()) -> ConfigurationFiles.Loaded {
        ConfigurationFiles.load(main: main, lastGood: lastGood)
    }

    /// Reads the files again, as a running service does.
    func load(after loaded: ConfigurationFiles.Loaded) -> ConfigurationFiles.Loaded {
        ConfigurationFiles.load(
            main: main, lastGood: loaded.configuration, before: loaded.readFiles)
    }

    /// Makes a file one that was written long ago.
    func age(_ name: String) {
        let times = [
            timespec(tv_sec: 1_700_000_000, tv_nsec: 0),
            timespec(tv_sec: 1_700_000_000, tv_nsec: 0),
        ]
        utimensat(AT_FDCWD, folder.file(name), times, 0)
    }

    /// The lines of all mistakes, less the folder's path.
    func mistakes(_ loaded: ConfigurationFiles.Loaded) -> [String] {
        loaded.mistakes.map { mistake in
            mistake.description.split(
                separator: folder.path + "/", omittingEmptySubsequences: false
            ).joined()
        }
    }
}

/// The configuration of one text; its mistakes are the test's failure.
func configuration(_ text: String) throws -> Configuration {
    let folder = try ConfigurationFolder(text)
    let loaded = folder.load()
    guard loaded.mistakes.isEmpty else { throw loaded.mistakes[0] }
    return loaded.configuration
}

/// The settings of a target with these keys, each a line.
func settings(_ lines: String...) throws -> TargetSettings {
    let text = "targets:\n  a:\n    url: https://a.example/\n"
    return try configuration(text + lines.map { "    \($0)\n" }.joined()).targets[0].settings
}
