/// What is wrong with the arguments, and what would be right: one line for people.
struct UsageError: Error, Equatable, Sendable {
    /// Without the program's name; what the user wrote is quoted and escaped in it.
    let message: String

    init(_ message: String) { self.message = message }
}
