/// The mistakes of one file, as they are found.
struct MistakeList {
    /// More are counted, not kept: a file of 16 MiB can have a million.
    private static let most = 1000

    let file: String
    private var found: [Mistake] = []
    /// The problems of ``found`` by their places. What an alias names is read with each of its
    /// aliases, and told once.
    private var told: [Place: [String]] = [:]
    /// Places of the mistakes that are only counted; a million of them take 16 MB.
    private var others: Set<Place> = []

    /// A position in eight bytes.
    private struct Place: Hashable {
        private let line: UInt32
        private let column: UInt32

        init(_ position: Mistake.Position) {
            line = UInt32(clamping: position.line)
            column = UInt32(clamping: position.column)
        }
    }

    init(file: String) { self.file = file }

    var isEmpty: Bool { found.isEmpty }

    /// Whether anything is told of that place.
    func isTold(at position: Mistake.Position) -> Bool {
        let place = Place(position)
        return told[place] != nil || others.contains(place)
    }

    /// - Parameter isPassing: See ``Mistake/isPassing``.
    mutating func add(
        at position: Mistake.Position, _ problem: String, remedy: String, isPassing: Bool = false
    ) {
        let place = Place(position)
        if let problems = told[place], problems.contains(problem) { return }
        guard found.count < Self.most else {
            others.insert(place)
            return
        }
        told[place, default: []].append(problem)
        found.append(
            Mistake(
                file: file, position: position, problem: problem, remedy: remedy,
                isPassing: isPassing))
    }

    /// In the order of the lines; the last tells of those that were not kept.
    var sorted: [Mistake] {
        var mistakes = found.sorted { $0.position < $1.position }
        if !others.isEmpty, let last = mistakes.last {
            mistakes.append(
                Mistake(
                    file: file, position: last.position,
                    problem: "there are \(others.count) more mistakes", remedy: "mend these first"))
        }
        return mistakes
    }
}
