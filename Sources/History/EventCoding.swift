import PageModel

/// Durable events as the store keeps them: a word for the kind, and bytes for the rest.
///
/// Bytes begin with the version of their layout. A later program may add fields at the end of a
/// layout, which this one ignores; anything else takes a new version.
extension DurableEvent {
    private static let layout: UInt8 = 1

    /// What there is beside the kind.
    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(Int64(Self.layout))
        switch self {
        case .firstSeen(let title, let url, let previous):
            writer.append(title)
            writer.append(url)
            writer.append(previous != nil)
            if let previous {
                writer.append(previous.title)
                writer.append(previous.time.milliseconds)
            }
        case .titleChanged(let change):
            writer.append(change.from)
            writer.append(change.to)
            writer.append(change.url)
            writer.append(change.initialURL)
            writer.append(change.lastSeen.milliseconds)
            writer.append(change.firstShown.milliseconds)
            writer.append(change.fromURL)
        case .failing(let error, let status, let since),
            .recovered(let error, let status, let since):
            writer.append(error)
            writer.append(status.map(Int64.init))
            writer.append(since.milliseconds)
        case .oscillating(let titles), .settled(let titles), .unstable(let titles):
            writer.append(titles)
        case .rebased(let from, let to, let because):
            writer.append(from)
            writer.append(to)
            writer.append(because)
        case .encodingChanged(let title, let encoding, let previousEncoding):
            writer.append(title)
            writer.append(encoding)
            writer.append(previousEncoding)
        case .gap(let since, let until, let reason, let targets):
            writer.append(since.milliseconds)
            writer.append(until.milliseconds)
            writer.append(reason.rawValue)
            writer.append(targets.map(Int64.init))
        case .service(let event):
            writer.append(event.state.rawValue)
            writer.append(event.version)
            writer.append(event.added)
            writer.append(event.removed)
            writer.append(event.changed)
            writer.append(event.message)
        }
        return writer.bytes
    }

    /// - Throws: If the bytes are damaged, or the kind or their layout is a later program's.
    init(kind: String, encoded: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(encoded)
        guard try reader.number() == Int64(Self.layout) else { throw ByteReader.Malformed() }
        guard let name = Name(rawValue: kind) else { throw ByteReader.Malformed() }
        switch name {
        case .firstSeen:
            let title = try reader.optionalText()
            let url = try reader.text()
            let previous: SeenTitle? =
                try reader.truth()
                ? SeenTitle(title: try reader.optionalText(), time: try reader.time()) : nil
            self = .firstSeen(title: title, url: url, previous: previous)
        case .titleChanged:
            self = .titleChanged(
                TitleChange(
                    from: try reader.optionalText(), to: try reader.optionalText(),
                    url: try reader.text(), initialURL: try reader.text(),
                    lastSeen: try reader.time(), firstShown: try reader.time(),
                    fromURL: try reader.optionalText()))
        case .failing:
            self = .failing(
                error: try reader.error(), status: try reader.optionalInt(),
                since: try reader.time())
        case .recovered:
            self = .recovered(
                error: try reader.error(), status: try reader.optionalInt(),
                since: try reader.time())
        case .oscillating: self = .oscillating(titles: try reader.optionalTexts())
        case .settled: self = .settled(titles: try reader.optionalTexts())
        case .unstable: self = .unstable(titles: try reader.optionalTexts())
        case .rebased:
            self = .rebased(
                from: try reader.optionalText(), to: try reader.optionalText(),
                because: try reader.text())
        case .encodingChanged:
            self = .encodingChanged(
                title: try reader.optionalText(), encoding: try reader.text(),
                previousEncoding: try reader.text())
        case .gap:
            self = .gap(
                since: try reader.time(), until: try reader.time(),
                reason: try reader.word(GapReason.self), targets: try reader.optionalInt())
        case .service:
            self = .service(
                ServiceEvent(
                    state: try reader.word(ServiceEvent.State.self), version: try reader.text(),
                    added: try reader.texts(), removed: try reader.texts(),
                    changed: try reader.texts(), message: try reader.optionalText()))
        }
    }
}

extension DurableEvent {
    /// About how much memory its strings need.
    var approximateBytes: Int {
        switch self {
        case .firstSeen(let title, let url, let previous):
            Self.bytes(title, url, previous?.title)
        case .titleChanged(let change):
            Self.bytes(change.from, change.to, change.url, change.initialURL, change.fromURL)
        case .failing(let error, _, _), .recovered(let error, _, _):
            Self.bytes(error.code, error.message)
        case .oscillating(let titles), .settled(let titles), .unstable(let titles):
            Self.bytes(titles)
        case .rebased(let from, let to, let because): Self.bytes(from, to, because)
        case .encodingChanged(let title, let encoding, let previous):
            Self.bytes(title, encoding, previous)
        case .gap: 0
        case .service(let event):
            Self.bytes(event.added + event.removed + event.changed) + Self.bytes(event.message)
        }
    }

    private static func bytes(_ texts: String?...) -> Int { bytes(texts) }

    private static func bytes(_ texts: [String?]) -> Int {
        texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

extension ByteWriter {
    mutating func append(_ error: LoadError) {
        append(error.phase.rawValue)
        append(error.code)
        append(error.message)
    }
}

extension ByteReader {
    mutating func time() throws(Malformed) -> Timestamp { Timestamp(milliseconds: try number()) }

    mutating func optionalInt() throws(Malformed) -> Int? {
        guard let number = try optionalNumber() else { return nil }
        guard let int = Int(exactly: number) else { throw Malformed() }
        return int
    }

    mutating func texts() throws(Malformed) -> [String] {
        var texts: [String] = []
        for text in try optionalTexts() {
            guard let text else { throw Malformed() }
            texts.append(text)
        }
        return texts
    }

    mutating func error() throws(Malformed) -> LoadError {
        LoadError(
            phase: try word(LoadError.Phase.self), code: try text(), message: try text())
    }

    mutating func word<Word: RawRepresentable>(
        _ type: Word.Type
    ) throws(Malformed) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try text()) else { throw Malformed() }
        return word
    }
}
