import Glibc
import WebAddress

/// Reads one file of the configuration: YAML to values, with all mistakes that are in it.
///
/// What it has read counts only if there are no mistakes.
struct FileReader {
    /// The sections that the main file alone may have, and those of every file.
    private static let mainSections = ["limits", "log", "api", "retention"]
    private static let sections = ["defaults", "targets"]
    private static let mostNameBytes = 200
    private static let allKeys = #""man pagewatch.yaml" lists all"#

    private let file: String
    private let isMain: Bool
    private var reading: Reading
    private var pool: SettingsPool

    /// What the file says, the targets aside.
    private(set) var configuration: Configuration
    private(set) var targets: [TargetDefinition] = []
    /// Names of all that stands under `targets`, wrong or not.
    private(set) var targetNames: [String] = []
    /// Whether there is not a single byte in it.
    private(set) var isEmptyFile = false

    /// - Parameter configuration: What holds without the file; drop-ins add to its defaults.
    init(
        file: String, isMain: Bool, over configuration: Configuration, surroundings: Surroundings,
        pool: SettingsPool
    ) {
        self.file = file
        self.isMain = isMain
        self.configuration = configuration
        self.pool = pool
        reading = Reading(file: file, surroundings: surroundings)
    }

    /// All that is wrong, in the order of the lines.
    var mistakes: [Mistake] { reading.mistakes.sorted }

    /// Adds a mistake that only who knows the other files can see.
    mutating func add(mistakeIn target: TargetDefinition, _ problem: String, remedy: String) {
        reading.mistakes.add(
            at: .init(line: target.place.line, column: target.place.column), problem,
            remedy: remedy)
    }

    /// Adds the mistake of a file that is empty and had targets: an edit was cut off, most likely.
    mutating func addEmptiness(had count: Int) {
        reading.mistakes.add(
            at: .init(line: 1, column: 1),
            "the file is empty, and had \(count == 1 ? "a target" : "\(count) targets")",
            remedy: isMain
                ? "restore it, or write a comment into it to retire them"
                : "restore it, or take it away to retire them")
    }

    /// Reads the file from the disk.
    mutating func read() {
        do {
            read(try WholeFile.read(file, atMost: YAMLReader.mostBytes))
        } catch {
            let remedy =
                switch error {
                case .system(ENOENT) where isMain: "put it there, or write --config FILE"
                case .tooLarge: "spread the targets over several files in targets.d"
                case _ where error.isPassing: "try again"
                default: "make it readable for the service, or take it out"
                }
            reading.mistakes.add(
                at: .init(line: 1, column: 1), "the file \(error.words)", remedy: remedy,
                isPassing: error.isPassing)
        }
    }

    /// Reads the bytes of a file.
    mutating func read(_ bytes: [UInt8]) {
        isEmptyFile = bytes.isEmpty
        guard let root = YAMLReader.read(bytes, mistakes: &reading.mistakes), !root.isNull else {
            return
        }
        let spot = Reading.Spot(key: "the file", example: "\"targets:\", and targets below it")
        guard let entries = reading.entries(root, spot, a: "a mapping") else { return }
        // Targets stand on the defaults, wherever these are in the file.
        if let defaults = entries.first(where: { $0.key == "defaults" }) {
            read(defaults: defaults)
        }
        for entry in entries { read(section: entry) }
    }

    private mutating func read(section entry: YAMLEntry) {
        switch entry.key {
        case "defaults": break
        case "targets": read(targets: entry.value)
        // Free for anchors, as people know it from other programs.
        case _ where entry.key.hasPrefix("x-"): break
        case "limits" where isMain: fill(\.limits, KeyTables.limits, entry)
        case "log" where isMain: fill(\.log, KeyTables.log, entry)
        case "api" where isMain: fill(\.api, KeyTables.api, entry)
        case "retention" where isMain: fill(\.retention, KeyTables.retention, entry)
        default:
            if let key = KeyTables.main.key(entry.key), isMain {
                key.read(entry.value, &configuration, &reading)
            } else {
                refuse(section: entry)
            }
        }
    }

    private mutating func refuse(section entry: YAMLEntry) {
        let ofMain = Self.mainSections + KeyTables.main.names
        let shown = Quoted.shown(entry.key)
        if ofMain.contains(entry.key) {
            reading.mistakes.add(
                at: entry.position, "\(shown) stands in a file of targets.d",
                remedy: "move it to the main file")
        } else if KeyTables.target.key(entry.key) != nil || entry.key == KeyTables.url.name {
            reading.mistakes.add(
                at: entry.position, "\(shown) is a key of a target",
                remedy: "move it below a target's name"
                    + (entry.key == KeyTables.url.name ? "" : ", or below \"defaults\""))
        } else if let owner = Self.owner(of: entry.key), isMain {
            reading.mistakes.add(
                at: entry.position, "\(shown) is a key of \(owner)",
                remedy: "move it below \"\(owner):\"")
        } else {
            let names = Self.sections + (isMain ? ofMain : [])
            reading.refuseKey(
                entry, of: isMain ? "the configuration" : "a file of targets.d", among: names,
                else: "write one of \(names.joined(separator: ", "))")
        }
    }

    private static func owner(of key: String) -> String? {
        if KeyTables.limits.key(key) != nil { return KeyTables.limits.owner }
        if KeyTables.log.key(key) != nil { return KeyTables.log.owner }
        if KeyTables.api.key(key) != nil { return KeyTables.api.owner }
        return KeyTables.retention.key(key).map { _ in KeyTables.retention.owner }
    }

    private mutating func fill<Root>(
        _ path: WritableKeyPath<Configuration, Root>, _ table: KeyTable<Root>,
        _ section: YAMLEntry
    ) {
        if section.value.isNull { return }
        let spot = Reading.Spot(
            key: section.key, example: "one of \(table.names.joined(separator: ", ")) below it")
        for entry in reading.entries(section.value, spot, a: "a mapping") ?? [] {
            if let key = table.key(entry.key) {
                key.read(entry.value, &configuration[keyPath: path], &reading)
            } else {
                reading.refuseKey(
                    entry, of: table.owner, among: table.names,
                    else: "write one of \(table.names.joined(separator: ", "))")
            }
        }
    }

    private mutating func read(defaults section: YAMLEntry) {
        if section.value.isNull { return }
        let spot = Reading.Spot(key: "defaults", example: "keys of targets below it")
        guard let entries = reading.entries(section.value, spot, a: "a mapping") else { return }
        for entry in entries where entry.key == KeyTables.url.name {
            reading.mistakes.add(
                at: entry.position, "\"url\" stands in defaults",
                remedy: "write it below a target's name")
        }
        var settings = configuration.defaults
        SettingsReader.apply(
            entries, of: section.key, to: &settings, &reading, remedy: Self.allKeys)
        configuration.defaults = settings
    }

    private mutating func read(targets node: YAMLNode) {
        if node.isNull { return }
        let spot = Reading.Spot(key: "targets", example: "\"NAME:\", and \"url: URL\" below it")
        guard let entries = reading.entries(node, spot, a: "a mapping of names") else { return }
        let defaults = pool.shared(configuration.defaults)
        targets.reserveCapacity(entries.count)
        for entry in entries {
            targetNames.append(entry.key)
            if let problem = Self.problem(withName: entry.key) {
                reading.mistakes.add(at: entry.position, problem.problem, remedy: problem.remedy)
            }
            if let target = target(entry, defaults) { targets.append(target) }
        }
    }

    /// What is wrong with the name of a target.
    static func problem(withName name: String) -> ValueError? {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        // The path of a URL can't end in the last two.
        guard isPlain, !name.isEmpty, name.utf8.count <= mostNameBytes, name != ".", name != ".."
        else {
            return ValueError(
                "\(Quoted.shown(name)) is no name of a target",
                remedy: "write ASCII letters, digits, \".\", \"_\" and \"-\", at most"
                    + " \(mostNameBytes)")
        }
        return nil
    }

    private mutating func target(
        _ entry: YAMLEntry, _ defaults: SharedSettings
    ) -> TargetDefinition? {
        let shown = Quoted.escaped(entry.key)
        let spot = Reading.Spot(
            key: "the target \(shown)", example: "\"url: https://example.com/\" below it")
        guard let entries = reading.entries(entry.value, spot, a: "a mapping") else { return nil }
        var url: WebAddress?
        var hasURL = false
        for entry in entries where entry.key == KeyTables.url.name {
            hasURL = true
            url = SettingsReader.url(entry.value, &reading)
        }
        if !hasURL {
            reading.mistakes.add(
                at: entry.position, "the target \(shown) has no url",
                remedy: "write \"url: https://example.com/\" below it")
        }
        var shared = defaults
        if entries.count > (hasURL ? 1 : 0) {
            var settings = defaults.value
            SettingsReader.apply(
                entries, of: KeyTables.target.owner, to: &settings, &reading, remedy: Self.allKeys)
            shared = pool.shared(settings)
        }
        guard let url else { return nil }
        let place = TargetDefinition.Place(
            file: file, line: entry.position.line, column: entry.position.column)
        return TargetDefinition(name: entry.key, url: url, place: place, settings: shared)
    }
}
