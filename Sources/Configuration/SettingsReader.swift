import WebAddress

/// Reads the keys of a target, or of `defaults`.
enum SettingsReader {
    /// Puts all keys but the URL in their places.
    ///
    /// - Parameters:
    ///   - owner: What has these keys, in the words of an error.
    ///   - remedy: What to say of a key that is near to none.
    static func apply(
        _ entries: [YAMLEntry], of owner: String, to settings: inout TargetSettings,
        _ reading: inout Reading, remedy: String
    ) {
        let table = KeyTables.target
        for entry in entries where entry.key != KeyTables.url.name {
            if let key = table.key(entry.key) {
                key.read(entry.value, &settings, &reading)
            } else {
                reading.refuseKey(
                    entry, of: owner, among: [KeyTables.url.name] + table.names, else: remedy)
            }
        }
        settleLogin(entries, &settings, &reading)
    }

    /// A login can be sent in one way only: that of the target goes before that of the defaults.
    private static func settleLogin(
        _ entries: [YAMLEntry], _ settings: inout TargetSettings, _ reading: inout Reading
    ) {
        guard settings.bearer != nil, settings.basicAuth != nil else { return }
        let bearer = entries.first { $0.key == "bearer" }
        let basic = entries.first { $0.key == "basic_auth" }
        if let bearer, let basic {
            reading.mistakes.add(
                at: max(bearer.position, basic.position),
                "both bearer and basic_auth would be the Authorization",
                remedy: "take one of the two out")
        } else if bearer != nil {
            settings.basicAuth = nil
        } else {
            settings.bearer = nil
        }
    }

    /// The address of a target.
    static func url(_ node: YAMLNode, _ reading: inout Reading) -> WebAddress? {
        let spot = Reading.Spot(key: "url", example: "https://example.com/")
        guard let text = reading.text(node, spot, a: "a URL") else { return nil }
        do {
            return try WebAddress(text)
        } catch {
            // Its message has its own remedy, in parentheses at its end.
            let parts = error.message.split(separator: " (", omittingEmptySubsequences: false)
            if let last = parts.last, parts.count > 1, last.hasSuffix(")") {
                reading.refuse(
                    node, "url " + parts.dropLast().joined(separator: " ("),
                    remedy: String(last.dropLast()))
            } else {
                reading.refuse(node, "url " + error.message, remedy: "write \(spot.example)")
            }
            return nil
        }
    }
}
