import WebAddress

/// What is kept of a definition between runs.
extension TargetDefinition {
    /// The kept form; one that is read by another version of the program begins otherwise.
    fileprivate static let keptVersion = 1

    /// The same for the same definition, whatever the place, in every run of this version.
    ///
    /// It takes in 16 bits of each secret: nobody finds one from it.
    package var fingerprint: UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.add(url.text)
        if let credentials = url.credentials {
            let both = credentials.user + ":" + credentials.password
            fingerprint.add(UInt64(Fingerprint.trace(of: both)))
        }
        fingerprint.add(shared.fingerprint)
        return fingerprint.value
    }

    /// Keys whose secret is not known: it stood in the configuration itself, or can't be read now.
    ///
    /// Such a target can't be loaded. Always empty for what was read from files with credentials.
    package var missingSecrets: [String] {
        var missing: [String] = []
        if lacksURLLogin { missing.append("url") }
        for header in settings.headers where !header.value.isKnown { missing.append("headers") }
        if settings.userAgent?.isKnown == false { missing.append("user_agent") }
        if let auth = settings.basicAuth, !auth.user.isKnown || !auth.password.isKnown {
            missing.append("basic_auth")
        }
        if settings.bearer?.isKnown == false { missing.append("bearer") }
        if settings.clientCertificate?.password?.isKnown == false {
            missing.append("client_certificate")
        }
        if settings.proxy?.isKnown == false { missing.append("proxy") }
        return missing
    }

    /// The definition for the state folder: YAML in one line, with all keys that differ from the
    /// built-in defaults.
    ///
    /// Of a secret that lies in a file, credential or variable, the reference is kept; of one that
    /// stands in the configuration itself (a literal password, token, proxy with a password, or
    /// value of a header whose name says so), only that there was one.
    package func encoded() -> [UInt8] { DefinitionWriter().encoded(self) }

    /// Whether what ``encoded()`` wrote says that the target is not enabled; found without reading all
    /// of it, for thousands at a start. A text that holds the same words gives a wrong yes, which costs
    /// a line about a gap and nothing else.
    package static func isDisabled(kept bytes: [UInt8]) -> Bool {
        let words = Array(", enabled: false".utf8)
        guard var start = bytes.firstIndex(of: words[0]) else { return false }
        while !bytes[start...].starts(with: words) {
            guard let next = bytes[(start + 1)...].firstIndex(of: words[0]) else { return false }
            start = next
        }
        return true
    }

    /// Reads one definition that ``encoded()`` wrote; for many, see ``KeptDefinitions``.
    ///
    /// - Throws: A mistake if it is from no version that this one knows, or damaged.
    package static func decoded(
        _ bytes: some Sequence<UInt8>
    ) throws(Mistake) -> TargetDefinition {
        try KeptDefinitions().definition(from: bytes)
    }
}

/// Writes what ``TargetDefinition/encoded()`` tells of: what many definitions have in common, once.
package final class DefinitionWriter {
    /// The written keys of settings, which are held so that no others get their identity.
    private var known: [ObjectIdentifier: (settings: SharedSettings, text: [UInt8])] = [:]

    package init() {}

    /// The definition for the state folder, as ``TargetDefinition/encoded()`` has it.
    package func encoded(_ definition: TargetDefinition) -> [UInt8] {
        let settings = written(definition.shared)
        let (place, url) = (definition.place, definition.url)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            96 + definition.name.utf8.count + place.file.utf8.count + url.text.utf8.count
                + settings.count)
        bytes += "{version: \(TargetDefinition.keptVersion), name: ".utf8
        bytes += Quoted.whole(definition.name).utf8
        bytes += ", file: ".utf8
        bytes += Quoted.whole(place.file).utf8
        bytes += ", line: \(place.line), column: \(place.column), url: ".utf8
        bytes += Quoted.whole(url.text).utf8
        if url.credentials != nil || definition.lacksURLLogin {
            bytes += ", url_login: left_out".utf8
        }
        bytes += settings
        return bytes
    }

    /// All keys that differ from the built-in defaults, and what closes the text.
    private func written(_ shared: SharedSettings) -> [UInt8] {
        let identity = ObjectIdentifier(shared)
        if let known = known[identity] { return known.text }
        var text = ""
        for key in KeyTables.target.keys {
            guard let value = key.write(shared.value, .keeping) else { continue }
            text += ", \(key.facts.name): \(value)"
        }
        let bytes = Array((text + "}").utf8)
        known[identity] = (shared, bytes)
        return bytes
    }
}

/// Reads what ``TargetDefinition/encoded()`` wrote.
///
/// Secrets are read anew from their files and variables, each once for all definitions; those that
/// can't be had are ``TargetDefinition/missingSecrets``. Settings are shared as usual. One thread
/// at a time may use it.
package final class KeptDefinitions {
    /// The keys beside those of a target.
    private static let ofPlace = ["version", "name", "file", "line", "column", "url_login"]

    private let surroundings = Surroundings(readsCredentials: true)
    private let pool = SettingsPool()

    package init() {}

    /// Reads one.
    ///
    /// - Throws: A mistake if it is from no version that this one knows, or damaged.
    package func definition(
        from bytes: some Sequence<UInt8>
    ) throws(Mistake) -> TargetDefinition {
        var reading = Reading(file: "", surroundings: surroundings, isKept: true)
        let root = YAMLReader.read(Array(bytes), mistakes: &reading.mistakes)
        let spot = Reading.Spot(key: "the kept definition", example: "it anew")
        let entries = root.flatMap { reading.entries($0, spot, a: "a mapping") } ?? []
        var texts: [String: String] = [:]
        for entry in entries where Self.ofPlace.contains(entry.key) {
            texts[entry.key] = reading.text(entry.value, spot, a: "a text")
        }
        var url: WebAddress?
        if let entry = entries.first(where: { $0.key == KeyTables.url.name }) {
            url = SettingsReader.url(entry.value, &reading)
        }
        var settings = TargetSettings()
        SettingsReader.apply(
            entries.filter { !Self.ofPlace.contains($0.key) }, of: KeyTables.target.owner,
            to: &settings, &reading,
            remedy: "another version wrote it")
        if let mistake = reading.mistakes.sorted.first { throw mistake }
        guard texts["version"] == String(TargetDefinition.keptVersion), let url,
            let name = texts["name"], FileReader.problem(withName: name) == nil,
            let file = texts["file"], let line = texts["line"].flatMap({ Int($0) }),
            let column = texts["column"].flatMap({ Int($0) })
        else {
            throw Mistake(
                file: "", position: .init(line: 1, column: 1),
                problem: "the kept definition is from another version, or damaged",
                remedy: "it is written anew once the configuration is good")
        }
        return TargetDefinition(
            name: name, url: url, place: .init(file: file, line: line, column: column),
            settings: pool.shared(settings), lacksURLLogin: texts["url_login"] != nil)
    }
}
