import Glibc
import TestSupport

/// A shell whose completion is tried out for real.
enum Shell: String {
    case bash, zsh, fish

    var isInstalled: Bool { access("/usr/bin/\(rawValue)", X_OK) == 0 }

    /// Without warnings, if the shell can read it.
    var checkArguments: [String] {
        switch self {
        case .bash, .zsh: ["-n", completion]
        case .fish: ["--no-execute", completion]
        }
    }

    /// The file that is installed.
    var completion: String { "\(project)/completions/pagewatch.\(rawValue)" }

    /// What the shell offers for a line.
    ///
    /// - Parameters:
    ///   - words: Those behind `pagewatch`; the last is being typed, and may be empty.
    ///   - service: What `pagewatch` does when the shell asks it, as a script for sh.
    ///   - folder: Where the line is typed.
    func offers(
        _ words: [String], service: String = "exit 3", in folder: TemporaryFolder? = nil
    ) async throws -> (words: [String], errors: String) {
        let home = try TemporaryFolder()
        mkdir(home.file("bin"), 0o755)
        mkdir(home.file("functions"), 0o755)
        try TextFile.write(
            "#!/bin/sh\n\(service)\n", to: home.file("bin/pagewatch"), mode: 0o755)
        let scripts = "\(project)/Tests/ManualTests/Scripts"
        let line = (["pagewatch"] + words).joined(separator: " ")
        var program: TestSupport.Program
        switch self {
        case .bash:
            program = .init(
                "bash", ["\(scripts)/capture.bash", completion, "pagewatch"] + words)
        case .zsh:
            symlink(completion, home.file("functions/_pagewatch"))
            program = .init("zsh", ["-f", "\(scripts)/capture.zsh", home.file("functions"), line])
        case .fish:
            program = .init(
                "fish", ["--no-config", "\(scripts)/capture.fish", completion, line])
        }
        program.folder = (folder ?? home).path
        program.environment["HOME"] = home.path
        let path = program.environment["PATH"] ?? ""
        program.environment["PATH"] = home.file("bin") + ":" + path
        let outcome = try await program.run()
        // fish tells what each is for behind a tab.
        let offered = outcome.outputLines.map { line in
            line.split(separator: "\t").first.map(String.init) ?? ""
        }
        return (offered, outcome.errorText)
    }
}
