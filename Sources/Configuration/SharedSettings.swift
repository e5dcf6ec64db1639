/// Settings that many targets have in common, and what is worth keeping about them.
final class SharedSettings: Sendable {
    let value: TargetSettings
    /// Of all keys.
    let fingerprint: UInt64

    init(_ value: TargetSettings) {
        self.value = value
        var all = Fingerprint()
        for key in KeyTables.target.keys {
            guard let text = key.write(value, .comparing) else { continue }
            all.add(key.facts.name)
            all.add(text)
        }
        fingerprint = all.value
    }
}

/// Settings as they are shared among the targets of a configuration that have the same.
final class SettingsPool {
    /// Others with the same sketch that are compared. Two that are equal may be kept apart: that
    /// costs memory and nothing else.
    private static let mostCompared = 8

    private var known: [Int: [SharedSettings]] = [:]

    /// The object for these settings.
    func shared(_ settings: TargetSettings) -> SharedSettings {
        let sketch = Self.sketch(of: settings)
        let near = known[sketch]?.suffix(Self.mostCompared)
        if let same = near?.first(where: { $0.value == settings }) { return same }
        let new = SharedSettings(settings)
        known[sketch, default: []].append(new)
        return new
    }

    /// A hash of what groups of targets mostly differ in: fingerprints cost twenty times as much.
    private static func sketch(of settings: TargetSettings) -> Int {
        var hasher = Hasher()
        hasher.combine(settings.interval)
        hasher.combine(settings.timeout)
        hasher.combine(settings.isEnabled)
        hasher.combine(settings.tags)
        hasher.combine(settings.expectTitle)
        hasher.combine(settings.headers.first?.value)
        // Texts that are equal to the standard library may differ in their bytes.
        hasher.combine(settings.expectTitle?.utf8.count)
        hasher.combine(settings.rejectTitle?.utf8.count)
        for rule in settings.ignore { hasher.combine(rule.source.utf8.count) }
        return hasher.finalize()
    }
}
