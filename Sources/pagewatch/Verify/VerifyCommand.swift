import Configuration
import Events
import Glibc

/// `pagewatch verify`: reads the configuration, and tells what is wrong with it.
enum VerifyCommand {
    /// Runs the command to its end.
    static func run(_ options: VerifyOptions) -> ExitCode {
        let path: String
        do {
            path = try MainFile.path(named: options.config)
        } catch {
            StandardError.write("pagewatch verify: \(error.message)\n")
            return .unusable
        }
        // Only the service has its credentials; that they are missing elsewhere is no mistake.
        let hasCredentials = getenv("CREDENTIALS_DIRECTORY") != nil
        let loaded = ConfigurationFiles.load(main: path, readsCredentials: hasCredentials)
        for file in loaded.overlookedFiles {
            StandardError.write(
                "pagewatch verify: \(escaped(file)) is not read (name it .yaml)\n")
        }
        guard loaded.mistakes.isEmpty else {
            StandardError.write(loaded.mistakes.map { "\($0)\n" }.joined())
            return .unusable
        }
        let output = StandardOutput()
        output.write("\(escaped(path)): \(verdict(on: loaded))\n")
        return output.finish()
    }

    /// `OK, 2 files, 31 targets`.
    private static func verdict(on loaded: ConfigurationFiles.Loaded) -> String {
        let targets = loaded.configuration.targets
        let disabled = targets.count { !$0.settings.isEnabled }
        if targets.isEmpty {
            return "OK, \(counted(loaded.acceptedFiles.count, "file")), but there is no target"
                + " (write \"targets:\", and \"NAME: {url: URL}\" below it)"
        }
        let text =
            "OK, \(counted(loaded.acceptedFiles.count, "file")),"
            + " \(counted(targets.count, "target"))"
        return disabled == 0 ? text : text + " (\(disabled) of them not enabled)"
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)" + (count == 1 ? "" : "s")
    }
}
