/// Finds the first title of a page in tree order while its tags go by.
///
/// Tree order is the order of the tags, except where something is moved before the table that it
/// stands in: such a title may come before one that was read earlier, inside that table.
struct TitleSearch {
    /// Where a title stands.
    struct Place {
        /// The innermost table around it, or 0.
        var table: UInt32 = 0
        /// It is moved before that table.
        var isBeforeTable = false
    }

    /// The text of the title that is first by now.
    var text = TitleText()
    private(set) var isReading = false
    private(set) var isFound = false
    private(set) var isInBody = false
    /// Grows with each title that takes the place of another.
    private(set) var version = 0
    /// Nothing more will come.
    private var isOver = false
    private var tables: UInt32 = 0
    /// Tables with a number up to this one, while they are open, are around the title found.
    private var tablesAround: UInt32 = 0

    /// The first title was read to its end, or there is none.
    var isKnown: Bool { isOver || isFound && !isReading }

    /// The title, once known.
    var title: String? { isKnown && isFound ? text.value : nil }

    /// Numbers a table that is opened.
    mutating func beginTable() -> UInt32 {
        tables &+= 1
        return tables
    }

    /// Takes the start of a title.
    ///
    /// - Returns: Whether it is first by now, so that its text counts.
    mutating func begin(at place: Place, isInBody: Bool) -> Bool {
        if isFound, !(place.isBeforeTable && place.table <= tablesAround) { return false }
        version += 1
        isFound = true
        isReading = true
        self.isInBody = isInBody
        tablesAround = place.isBeforeTable ? place.table - 1 : tables
        text.clear()
        return true
    }

    /// Takes the end of a title, or of anything else.
    mutating func end() { isReading = false }

    /// Takes the end of all that could hold a title.
    mutating func finish() {
        isReading = false
        isOver = true
    }

    /// Whether a later title could still come before the one found, as the outermost open table
    /// (its number, or 0) is around it.
    func canBePreceded(outermostTable: UInt32) -> Bool {
        outermostTable != 0 && outermostTable <= tablesAround
    }

    /// Takes back a title in a body that a frameset replaces.
    mutating func dropBody() {
        guard isInBody else { return }
        version += 1
        isFound = false
        isReading = false
        text.clear()
    }
}
