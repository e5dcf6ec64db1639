/// What is wrong with a configuration: where, what, and the way out.
package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    /// A place in a file, as editors count.
    package struct Position: Hashable, Comparable, Sendable {
        /// From 1.
        package var line: Int
        /// Characters from 1.
        package var column: Int

        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }

        package static func < (one: Position, other: Position) -> Bool {
            (one.line, one.column) < (other.line, other.column)
        }
    }

    package var file: String
    package var position: Position
    package var problem: String
    package var remedy: String

    /// `file:line:column: problem (remedy)`, one line.
    package var description: String {
        "\(Quoted.escaped(file)):\(position.line):\(position.column): \(problem) (\(remedy))"
    }
}

/// The mistakes of one file, as they are found.
struct MistakeList {
    /// More are counted, not kept: a file of 16 MiB can have a million.
    private static let most = 1000

    let file: String
    private var found: [Mistake] = []
    private var others = 0

    init(file: String) { self.file = file }

    var isEmpty: Bool { found.isEmpty }

    mutating func add(at position: Mistake.Position, _ problem: String, remedy: String) {
        guard found.count < Self.most else {
            others += 1
            return
        }
        let mistake = Mistake(file: file, position: position, problem: problem, remedy: remedy)
        // What an alias names is read with each of its aliases.
        guard !found.suffix(Self.most).contains(mistake) else { return }
        found.append(mistake)
    }

    /// In the order of the lines; the last tells of those that were not kept.
    var sorted: [Mistake] {
        var mistakes = found.sorted { $0.position < $1.position }
        if others > 0, let last = mistakes.last {
            mistakes.append(
                Mistake(
                    file: file, position: last.position,
                    problem: "there are \(others) more mistakes", remedy: "mend these first"))
        }
        return mistakes
    }
}
