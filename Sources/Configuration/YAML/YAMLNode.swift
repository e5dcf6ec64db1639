/// A value in a YAML file and where it stands.
///
/// An alias is the very value that it names: nothing is copied, so many aliases cost little.
struct YAMLNode {
    enum Content {
        /// - Parameter isPlain: It has no quotes, so `null` and `true` are what they look like.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
    }

    let position: Mistake.Position
    let content: Content
    /// Values in it and itself, every alias counted as what it stands for.
    let count: Int32
    /// Levels in it and itself, likewise.
    let depth: Int16

    /// What the value is, in the words of an error.
    var kind: String {
        switch content {
        case .scalar: isNull ? "nothing" : "a text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Whether this is no value: `key:`, `~` or `null`.
    var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        switch text {
        case "", "~", "null", "Null", "NULL": return true
        default: return false
        }
    }
}

/// A key and its value.
struct YAMLEntry {
    let key: String
    let position: Mistake.Position
    let value: YAMLNode
}

extension YAMLNode {
    /// The entries of a mapping with those that `<<` brings in: the mapping's own keys win, then
    /// those of earlier merges. Nil if this is no mapping.
    ///
    /// `refuse` hears of a `<<` that names no mapping.
    func entries(refuse: (YAMLNode) -> Void) -> [YAMLEntry]? {
        guard case .mapping(let own) = content else { return nil }
        // Most mappings merge nothing, and a look costs less than a copy.
        guard own.contains(where: { $0.key == YAMLNode.mergeKey }) else { return own }
        var entries = own.filter { $0.key != YAMLNode.mergeKey }
        var names = Set(entries.map(\.key))
        for entry in own where entry.key == YAMLNode.mergeKey {
            for merged in entry.value.mergedMappings {
                guard let others = merged.entries(refuse: refuse) else {
                    refuse(merged)
                    continue
                }
                for other in others where names.insert(other.key).inserted {
                    entries.append(other)
                }
            }
        }
        return entries
    }

    static let mergeKey = "<<"

    private var mergedMappings: [YAMLNode] {
        if case .sequence(let nodes) = content { nodes } else { [self] }
    }
}
