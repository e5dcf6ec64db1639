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
    /// Whether the file may be right, and only could not be read just now.
    package var isPassing = false

    /// `file:line:column: problem (remedy)`, one line.
    package var description: String {
        "\(Quoted.escaped(file)):\(position.line):\(position.column): \(problem) (\(remedy))"
    }
}
