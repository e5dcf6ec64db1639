/// A key of a mapping that fills in `Root`: reading, writing and the documents all go by it.
struct Key<Root: Sendable>: Sendable {
    let facts: KeyFacts
    /// Puts the value of a node in its place, or adds to the mistakes.
    let read: @Sendable (YAMLNode, inout Root, inout Reading) -> Void
    /// The value in YAML; nil if it is the default.
    let write: @Sendable (Root, Writing) -> String?
}

/// A key as people see it.
package struct KeyFacts: Equatable, Sendable {
    package let name: String
    /// Type, unit and range, in Markdown.
    package let type: String
    /// The built-in default in YAML; `null` if there is none.
    package let defaultText: String
    /// A value in YAML that is right, and not the default.
    package let example: String
    /// Whether an edit can make the server give another page, or its title read otherwise.
    package let isOfPage: Bool
}

extension Key {
    /// A key whose value is put at a key path.
    ///
    /// - Parameter root: Has the default.
    init<Value: Equatable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ form: Form<Value>, of root: Root, example: String, isOfPage: Bool = false
    ) {
        let initial = root[keyPath: path]
        facts = KeyFacts(
            name: name, type: form.type, defaultText: form.write(initial, .keeping),
            example: example, isOfPage: isOfPage)
        let spot = Reading.Spot(key: name, example: example)
        read = { node, root, reading in
            guard let value = form.read(node, spot, &reading) else { return }
            root[keyPath: path] = value
        }
        write = { root, writing in
            let value = root[keyPath: path]
            return value == initial ? nil : form.write(value, writing)
        }
    }
}

/// The keys of one mapping, found by name.
struct KeyTable<Root: Sendable>: Sendable {
    /// What has these keys, in the words of an error.
    let owner: String
    let keys: [Key<Root>]
    private let places: [String: Int]

    init(owner: String, _ keys: [Key<Root>]) {
        self.owner = owner
        self.keys = keys
        places = Dictionary(
            keys.enumerated().map { ($1.facts.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var names: [String] { keys.map(\.facts.name) }

    func key(_ name: String) -> Key<Root>? { places[name].map { keys[$0] } }
}
