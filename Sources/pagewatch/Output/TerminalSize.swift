import CLinux

/// How much a terminal shows.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int

    /// Nil for what is no terminal, and for one that does not say.
    static func of(_ descriptor: CInt) -> TerminalSize? {
        let columns = Int(pw_terminal_columns(descriptor))
        let rows = Int(pw_terminal_rows(descriptor))
        return columns > 0 && rows > 0 ? TerminalSize(columns: columns, rows: rows) : nil
    }
}
