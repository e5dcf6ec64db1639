/// The files of a configuration: the main one, then `targets.d/*.yaml` beside it in name order.
package enum ConfigurationFiles {
    /// What the files came to; each is in force whole or not at all.
    package struct Loaded: Sendable {
        /// What the accepted files say. Without the main file, the defaults.
        package var configuration = Configuration()
        package var isMainAccepted = false
        /// Paths, in the order in which they were read.
        package var acceptedFiles: [String] = []
        package var refusedFiles: [RefusedFile] = []
        /// The folder of drop-ins beside the main file, whether it is there or not.
        package var dropInFolder = ""
        /// Whether there is no such folder: not mounted, perhaps. That is no mistake.
        package var isDropInFolderMissing = false
        /// What is wrong with the folder itself: it can't be read. No mistake of a file.
        package var folderMistake: Mistake?

        /// All mistakes, in the order of the files and their lines.
        package var mistakes: [Mistake] {
            (folderMistake.map { [$0] } ?? []) + refusedFiles.flatMap(\.mistakes)
        }
    }

    /// A file that is not in force.
    package struct RefusedFile: Equatable, Sendable {
        package var path: String
        /// At least one.
        package var mistakes: [Mistake]
        /// Names of targets that the file seems to define; empty if it is not even YAML.
        package var targetNames: [String] = []
    }

    /// Reads all files and resolves the secrets in them; never fails as a whole.
    package static func load(main path: String) -> Loaded {
        Loaded()
    }
}
