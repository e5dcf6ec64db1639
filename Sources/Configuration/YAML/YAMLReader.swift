import CYAML

/// Builds the tree of values of one YAML file from libyaml's events.
///
/// What can be gone on with (a key that stands twice, a tag) goes to the list of mistakes; what
/// can't ends the reading. Time and memory are bounded, whatever the bytes: see the constants.
struct YAMLReader {
    /// Bytes of a file.
    static let mostBytes = 16 << 20
    /// Levels of mappings and lists.
    static let mostDepth: Int16 = 64
    /// Values of a file as it is written; each takes some 50 bytes of memory.
    private static let mostValues = 2_000_000
    /// Values with every alias counted as what it stands for: what may have to be looked at.
    private static let mostExpandedValues = 4_000_000
    /// `%TAG` lines, which libyaml looks through one by one for each new one.
    private static let mostDirectives = 16

    /// A mapping or list that has not ended.
    private struct Frame {
        let position: Mistake.Position
        let anchor: String?
        let isMapping: Bool
        var nodes: [YAMLNode] = []
        var entries: [YAMLEntry] = []
        var key: (text: String, position: Mistake.Position)?
        var count: Int = 1
        var depth: Int16 = 1
        /// Where each key stands; made once there are more keys than are quick to look through.
        var places: [String: Mistake.Position] = [:]
    }

    private enum Step { case goOn, end }

    private var frames: [Frame] = []
    private var anchors: [String: YAMLNode] = [:]
    /// Anchors of mappings and lists that have not ended.
    private var openAnchors: Set<String> = []
    private var root: YAMLNode?
    private var documents = 0
    private var written = 0
    private var expanded = 0
    private var mistakes: MistakeList

    private init(mistakes: MistakeList) { self.mistakes = mistakes }

    /// The value that a file holds; nil if it holds none, or if reading had to end.
    static func read(_ bytes: [UInt8], mistakes: inout MistakeList) -> YAMLNode? {
        // A byte order mark is not part of the text; with it, columns would be one too high.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = bytes.starts(with: mark) ? mark.count : 0
        var reader = YAMLReader(mistakes: mistakes)
        let isWhole = bytes.withUnsafeBufferPointer { all in
            reader.read(UnsafeBufferPointer(rebasing: all[start...]))
        }
        mistakes = reader.mistakes
        return isWhole ? reader.root : nil
    }

    /// Whether the file could be read to its end.
    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if let line = YAMLText.lineOfDirective(number: Self.mostDirectives + 1, in: bytes) {
            mistakes.add(
                at: .init(line: line, column: 1), "is one more tag directive than can be read",
                remedy: "take all lines out that begin with %TAG")
            return false
        }
        guard !bytes.isEmpty else { return true }
        guard let parser = YAMLParser(bytes) else {
            mistakes.add(
                at: .init(line: 1, column: 1), "there is no memory to read the file",
                remedy: "free some")
            return false
        }
        do throws(YAMLParser.Failure) {
            while true {
                var mistake: (Mistake.Position, ValueError)?
                let step = try parser.next { event -> Step in
                    do throws(Refusal) {
                        return try take(event)
                    } catch {
                        mistake = (error.position, error.error)
                        return .end
                    }
                }
                if let (position, error) = mistake {
                    mistakes.add(at: position, error.problem, remedy: error.remedy)
                    return false
                }
                if step == .end { return true }
            }
        } catch {
            let (position, words) = YAMLText.explain(error, in: bytes)
            mistakes.add(at: position, words.problem, remedy: words.remedy)
            return false
        }
    }

    /// What ends the reading.
    private struct Refusal: Error {
        let position: Mistake.Position
        let error: ValueError

        init(_ position: Mistake.Position, _ problem: String, remedy: String) {
            self.position = position
            error = ValueError(problem, remedy: remedy)
        }
    }

    private mutating func take(_ event: borrowing yaml_event_t) throws(Refusal) -> Step {
        let position = Mistake.Position(event.start_mark)
        switch event.type {
        case YAML_STREAM_END_EVENT: return .end
        case YAML_DOCUMENT_START_EVENT:
            documents += 1
            if documents > 1 {
                throw Refusal(
                    position, "a second document begins here",
                    remedy: "take the line \"---\" out, or make it a file of its own")
            }
        case YAML_ALIAS_EVENT:
            try add(alias: Self.text(event.data.alias.anchor) ?? "", at: position)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            refuse(tag: scalar.tag, at: position)
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            try add(
                YAMLNode(
                    position: position,
                    content: .scalar(
                        String(decoding: bytes, as: UTF8.self),
                        isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE),
                    count: 1, depth: 1),
                anchor: Self.text(scalar.anchor))
        case YAML_SEQUENCE_START_EVENT:
            refuse(tag: event.data.sequence_start.tag, at: position)
            try open(
                at: position, anchor: Self.text(event.data.sequence_start.anchor),
                isMapping: false)
        case YAML_MAPPING_START_EVENT:
            refuse(tag: event.data.mapping_start.tag, at: position)
            try open(
                at: position, anchor: Self.text(event.data.mapping_start.anchor), isMapping: true)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: try close()
        default: break
        }
        return .goOn
    }

    private static func text(_ name: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        name.map { String(cString: $0) }
    }

    private mutating func refuse(
        tag: UnsafeMutablePointer<yaml_char_t>?, at position: Mistake.Position
    ) {
        guard var tag = Self.text(tag) else { return }
        let standard = "tag:yaml.org,2002:"
        if tag.hasPrefix(standard) { tag = "!!" + tag.dropFirst(standard.utf8.count) }
        mistakes.add(
            at: position, "the tag \(Quoted.shown(tag)) says nothing here", remedy: "take it out")
    }

    private mutating func open(
        at position: Mistake.Position, anchor: String?, isMapping: Bool
    ) throws(Refusal) {
        guard frames.count < Int(Self.mostDepth) else {
            throw Refusal(
                position, "values are nested more than \(Self.mostDepth) levels deep here",
                remedy: "no key needs more than four")
        }
        if let anchor {
            anchors[anchor] = nil
            openAnchors.insert(anchor)
        }
        frames.append(Frame(position: position, anchor: anchor, isMapping: isMapping))
    }

    private mutating func close() throws(Refusal) {
        guard let frame = frames.popLast() else { return }
        if let anchor = frame.anchor { openAnchors.remove(anchor) }
        try add(
            YAMLNode(
                position: frame.position,
                content: frame.isMapping ? .mapping(frame.entries) : .sequence(frame.nodes),
                count: Int32(clamping: frame.count), depth: frame.depth),
            anchor: frame.anchor)
    }

    private mutating func add(alias: String, at position: Mistake.Position) throws(Refusal) {
        let shown = Quoted.escaped("*" + alias)
        if openAnchors.contains(alias) {
            throw Refusal(
                position, "the alias \(shown) stands inside of what it names, without end",
                remedy: "take it out")
        }
        guard let node = anchors[alias] else {
            let near = nearest(to: alias, among: Array(anchors.keys.sorted().prefix(1000)))
            throw Refusal(
                position, "nothing above has the anchor of the alias \(shown)",
                remedy: near.map { "did you mean \"*\($0)\"?" }
                    ?? "write \"&\(Quoted.escaped(alias))\" before the value it stands for")
        }
        expanded += Int(node.count)
        guard expanded <= Self.mostExpandedValues else {
            throw Refusal(
                position,
                "with the alias \(shown) there are more than \(Self.mostExpandedValues) values",
                remedy: "use fewer aliases of aliases")
        }
        guard frames.count + Int(node.depth) <= Int(Self.mostDepth) else {
            throw Refusal(
                position,
                "with the alias \(shown) values are nested more than \(Self.mostDepth) levels deep",
                remedy: "no key needs more than four")
        }
        // An error in the value is one in the place where it is written.
        try place(node, at: position)
    }

    private mutating func add(_ node: YAMLNode, anchor: String?) throws(Refusal) {
        written += 1
        expanded += 1
        guard written <= Self.mostValues, expanded <= Self.mostExpandedValues else {
            throw Refusal(
                node.position, "the file has more than \(Self.mostValues) values",
                remedy: "spread the targets over several files in targets.d")
        }
        if let anchor { anchors[anchor] = node }
        try place(node, at: node.position)
    }

    /// Puts a value where it belongs: in the mapping or list around it.
    private mutating func place(
        _ node: YAMLNode, at position: Mistake.Position
    ) throws(Refusal) {
        guard let last = frames.indices.last else {
            root = node
            return
        }
        frames[last].count += Int(node.count)
        frames[last].depth = max(frames[last].depth, node.depth + 1)
        guard frames[last].isMapping else {
            frames[last].nodes.append(node)
            return
        }
        if let key = frames[last].key {
            frames[last].key = nil
            frames[last].entries.append(
                YAMLEntry(key: key.text, position: key.position, value: node))
        } else {
            guard case .scalar(let text, _) = node.content else {
                throw Refusal(
                    position, "\(node.kind) stands where a key should",
                    remedy: "write \"key: value\"")
            }
            noteTwice(text, at: position)
            frames[last].key = (text, position)
        }
    }

    /// Tells of a key that the innermost mapping has already.
    private mutating func noteTwice(_ key: String, at position: Mistake.Position) {
        let last = frames.count - 1
        let first = frames[last].places.updateValue(position, forKey: key)
        guard let first else { return }
        frames[last].places[key] = first
        mistakes.add(
            at: position,
            "\(Quoted.shown(key)) stands here and in line \(first.line), column \(first.column)",
            remedy: key == YAMLNode.mergeKey
                ? "write one \"<<: [*one, *other]\"" : "take one of the two out")
    }
}
