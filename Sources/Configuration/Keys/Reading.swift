/// What the reading of one file's values needs and finds.
struct Reading {
    /// A key that is being read, for the words of errors.
    struct Spot {
        let key: String
        /// A value that would be right.
        let example: String
    }

    var mistakes: MistakeList
    /// Shared by all files, so that each secret is read once.
    var surroundings: Surroundings
    /// Whether this is a definition that was kept, where nothing that lies outside is a mistake.
    let isKept: Bool
    /// The folder of the file: what paths in it are relative to.
    let folder: String

    init(file: String, surroundings: Surroundings, isKept: Bool = false) {
        mistakes = MistakeList(file: file)
        self.surroundings = surroundings
        self.isKept = isKept
        folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    mutating func refuse(_ node: YAMLNode, _ problem: String, remedy: String) {
        mistakes.add(at: node.position, problem, remedy: remedy)
    }

    mutating func refuse(_ node: YAMLNode, _ spot: Spot, _ error: ValueError) {
        mistakes.add(
            at: node.position, "\(spot.key) \(error.problem)", remedy: error.remedy,
            isPassing: error.isPassing)
    }

    /// The text of a scalar; a mistake if it is something else, or nothing.
    mutating func text(_ node: YAMLNode, _ spot: Spot, a type: String) -> String? {
        if case .scalar(let text, let isPlain) = node.content, !node.isNull {
            if text.isEmpty, !isPlain {
                refuse(node, "\(spot.key) is empty", remedy: "write \(spot.example)")
                return nil
            }
            return text
        }
        refuseKind(node, spot, not: type)
        return nil
    }

    mutating func refuseKind(_ node: YAMLNode, _ spot: Spot, not type: String) {
        refuse(node, "\(spot.key) is \(node.kind), not \(type)", remedy: "write \(spot.example)")
    }

    /// The entries of a mapping, merges resolved; a mistake if it is something else.
    mutating func entries(_ node: YAMLNode, _ spot: Spot, a type: String) -> [YAMLEntry]? {
        var wrong: [YAMLNode] = []
        let entries = node.entries { wrong.append($0) }
        for node in wrong {
            refuse(
                node, "\"<<\" merges \(node.kind), not a mapping",
                remedy: "write the alias of a mapping: \"<<: *name\"")
        }
        if entries == nil { refuseKind(node, spot, not: type) }
        return entries
    }

    /// Tells of a key that is none, and of the one that was meant.
    mutating func refuseKey(
        _ entry: YAMLEntry, of what: String, among names: [String], else remedy: String
    ) {
        // To look for a near one takes long, and an alias can bring the same key in a million times.
        guard !mistakes.isTold(at: entry.position) else { return }
        let near = nearest(to: entry.key, among: names)
        mistakes.add(
            at: entry.position, "\(Quoted.shown(entry.key)) is not a key of \(what)",
            remedy: near.map { "did you mean \"\($0)\"?" } ?? remedy)
    }

    /// A path as it is opened: relative ones belong to the file's folder.
    func resolved(path: String) -> String {
        path.utf8.first == UInt8(ascii: "/") || isKept ? path : folder + path
    }
}
