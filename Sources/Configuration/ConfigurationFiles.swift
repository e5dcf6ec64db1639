import Glibc

/// The files of a configuration: the main one, then `targets.d/*.yaml` beside it in name order.
package enum ConfigurationFiles {
    /// What the files came to; each is in force whole or not at all.
    package struct Loaded: Sendable {
        /// What is in force: what the accepted files say, and the last good definitions of the
        /// targets of those that are refused. Without a main file that is good, what held before.
        package var configuration = Configuration()
        package var isMainAccepted = false
        /// Paths, in the order in which they were read.
        package var acceptedFiles: [String] = []
        package var refusedFiles: [RefusedFile] = []
        /// Names of the targets in force by their last good definition.
        package var keptTargets: Set<String> = []
        /// The folder of drop-ins beside the main file, whether it is there or not.
        package var dropInFolder = ""
        /// Whether there is no such folder, or none of the files in it: not mounted, perhaps. That
        /// is no mistake; the targets that it had before are ``targetsOfMissingFolder``, and not in
        /// ``configuration``.
        package var isDropInFolderMissing = false
        package var targetsOfMissingFolder: [TargetDefinition] = []
        /// What is wrong with the folder itself: it is there and can't be read. Its targets keep
        /// their last good definition.
        package var folderMistake: Mistake?
        /// Files in the folder that look as if they were meant, but do not end in `.yaml`.
        package var overlookedFiles: [String] = []
        /// Accepted files without a single byte: what they had before is known with last good
        /// definitions only.
        package var emptyFiles: [String] = []
        /// For the next reading.
        package var readFiles = ReadFiles()

        /// All mistakes, in the order of the files and their lines.
        package var mistakes: [Mistake] {
            refusedFiles.flatMap(\.mistakes) + (folderMistake.map { [$0] } ?? [])
        }
    }

    /// A file that is not in force.
    package struct RefusedFile: Equatable, Sendable {
        package var path: String
        /// At least one.
        package var mistakes: [Mistake]
        /// Names of what the file seems to define; empty if it is not even YAML.
        package var targetNames: [String] = []
    }

    /// Reads all files and resolves the secrets in them; never fails as a whole.
    ///
    /// - Parameters:
    ///   - path: The main file.
    ///   - lastGood: What was in force before: last good definitions come from here, by the file
    ///     where they stand.
    ///   - before: What the reading that led to `lastGood` said of its files: drop-ins that are still
    ///     the same are not read again.
    ///   - readsCredentials: Whether `{credential: NAME}` is looked up; without, such values are
    ///     not known, which is fine for a look at the files only.
    package static func load(
        main path: String, lastGood: Configuration = Configuration(),
        before: ReadFiles = ReadFiles(), readsCredentials: Bool = true
    ) -> Loaded {
        var loading = Loading(
            lastGood: lastGood, before: before,
            surroundings: Surroundings(readsCredentials: readsCredentials))
        loading.read(path, isMain: true)
        let folder = (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "targets.d"
        loading.loaded.dropInFolder = folder
        switch Folder.names(in: folder) {
        case .success(let names):
            let files = names.filter { $0.hasSuffix(".yaml") }
            // The place where a folder would be mounted is an empty folder without it.
            loading.loaded.isDropInFolderMissing = files.isEmpty
            for name in files { loading.read("\(folder)/\(name)", isMain: false) }
            loading.loaded.overlookedFiles = names.filter {
                $0.hasSuffix(".yml") || $0.hasSuffix(".YAML") || $0.hasSuffix(".YML")
            }.map { "\(folder)/\($0)" }
        case .failure(.system(ENOENT)): loading.loaded.isDropInFolderMissing = true
        case .failure(let error):
            loading.loaded.folderMistake = Mistake(
                file: folder, position: .init(line: 1, column: 1),
                problem: "the folder \(error.words)",
                remedy: "make it readable for the service, or take it away")
        }
        loading.keepLastGood()
        return loading.loaded
    }
}

/// A run over the files.
private struct Loading {
    var loaded = ConfigurationFiles.Loaded()
    private let lastGood: Configuration
    private let before: ReadFiles
    private let surroundings: Surroundings
    private let pool = SettingsPool()
    /// The targets in force so far, by their names.
    private var defined: [String: TargetDefinition] = [:]

    init(lastGood: Configuration, before: ReadFiles, surroundings: Surroundings) {
        self.lastGood = lastGood
        self.before = before
        self.surroundings = surroundings
        loaded.configuration = lastGood
        loaded.configuration.targets = []
        loaded.configuration.targets.reserveCapacity(lastGood.targets.count)
        defined.reserveCapacity(lastGood.targets.count)
    }

    /// Reads a file, and puts what it says in force if all of it is right.
    mutating func read(_ path: String, isMain: Bool) {
        // Before it is read: an edit meanwhile is one more.
        let identity = FileIdentity(path)
        if !isMain, let identity, takeUnchanged(path, identity) { return }
        let lookups = surroundings.lookups
        var reader = FileReader(
            file: path, isMain: isMain, over: isMain ? Configuration() : loaded.configuration,
            surroundings: surroundings, pool: pool)
        reader.read()
        if reader.isEmptyFile {
            let had = lastGood.targets.count { $0.place.file == path }
            if had > 0 { reader.addEmptiness(had: had) } else { loaded.emptyFiles.append(path) }
        }
        for target in reader.targets {
            guard let first = defined[target.name]?.place else { continue }
            reader.add(
                mistakeIn: target,
                "the target \(target.name) is defined already, in \(first.file):\(first.line)",
                remedy: "take one of the two out, or give it another name")
        }
        let mistakes = reader.mistakes
        guard mistakes.isEmpty else {
            loaded.refusedFiles.append(
                .init(path: path, mistakes: mistakes, targetNames: reader.targetNames))
            return
        }
        loaded.acceptedFiles.append(path)
        for target in reader.targets { defined[target.name] = target }
        if isMain {
            loaded.isMainAccepted = true
            loaded.configuration = reader.configuration
            loaded.readFiles.defaults = reader.configuration.defaults
        } else if let identity, identity.isSettled, surroundings.lookups == lookups {
            loaded.readFiles.identities[path] = identity
            loaded.readFiles.targets[path] = reader.targets
        }
        loaded.configuration.targets += reader.targets
    }

    /// Takes over what a file said before, if it and what it stands on are the same.
    private mutating func takeUnchanged(_ path: String, _ identity: FileIdentity) -> Bool {
        guard before.identities[path] == identity, loaded.isMainAccepted,
            before.defaults == loaded.configuration.defaults, let targets = before.targets[path]
        else { return false }
        for (index, target) in targets.enumerated() {
            guard let other = defined.updateValue(target, forKey: target.name) else { continue }
            // Another file has a name of its now, which is for a reading to tell.
            for taken in targets[..<index] { defined[taken.name] = nil }
            defined[target.name] = other
            return false
        }
        loaded.acceptedFiles.append(path)
        loaded.configuration.targets += targets
        loaded.readFiles.identities[path] = identity
        loaded.readFiles.targets[path] = targets
        return true
    }

    /// Puts last good definitions in force where the files can't be.
    mutating func keepLastGood() {
        // Where all files are in force, what is not defined any more goes.
        guard
            !loaded.refusedFiles.isEmpty || loaded.isDropInFolderMissing
                || loaded.folderMistake != nil
        else { return }
        let refused = Set(loaded.refusedFiles.map(\.path))
        let inFolder = loaded.dropInFolder + "/"
        for target in lastGood.targets where defined[target.name] == nil {
            let file = target.place.file
            let isOfFolder = file.utf8.starts(with: inFolder.utf8)
            if isOfFolder, loaded.isDropInFolderMissing {
                loaded.targetsOfMissingFolder.append(target)
            } else if refused.contains(file) || (isOfFolder && loaded.folderMistake != nil) {
                loaded.configuration.targets.append(target)
                loaded.keptTargets.insert(target.name)
            }
        }
    }
}

/// A folder's files.
private enum Folder {
    /// Names in the order of their bytes, without hidden ones.
    static func names(in path: String) -> Result<[String], WholeFile.Failure> {
        guard let folder = opendir(path) else { return .failure(.system(errno)) }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            // Its answer is the same for the end and for an error; errno tells.
            errno = 0
            guard let entry = readdir(folder) else {
                return errno == 0
                    ? .success(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
                    : .failure(.system(errno))
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
    }
}
