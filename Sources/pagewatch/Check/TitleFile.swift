import Events
import Glibc

/// The titles that `check --changed FILE` compares with, and keeps for the next run.
///
/// The file is text: a first line that says what it is, then a line a page, the URL as it was
/// given, a tab, and the title in quotes as JSON writes it, or `null`:
///
/// ```
/// # pagewatch titles 1
/// https://example.com/	"Example Domain"
/// https://example.com/data.json	null
/// ```
///
/// Lines of pages that are not in a run stay as they are. The file is read whole at the beginning,
/// and at the end read again, changed and replaced, so that runs side by side do not undo each
/// other's titles. A file with a damaged line is refused and left alone.
struct TitleFile {
    /// What a title is beside the one that was kept.
    enum Comparison: Equatable {
        /// No title was kept for this page.
        case first
        case same
        case changed(from: String?)
    }

    /// The file's name as the user gave it.
    private let path: String
    private var titles: TitleTable
    /// What this run found, to be put into the file.
    private var found = TitleTable()

    /// Reads the titles; a file that is not there, or is empty, holds none.
    ///
    /// - Throws: What is wrong with the file, or why it can't be read, or written later on.
    init(path: String) throws(TitleFileError) {
        self.path = path
        titles = try TitleStorage(path: path).read()
    }

    /// Compares a page's title with the one kept for it, and keeps this one from now on.
    ///
    /// A page that failed has no title to compare: leave it out, and the old one stays.
    mutating func compare(_ title: String?, for initialURL: String) -> Comparison {
        defer { found.set(title, for: initialURL) }
        // A page given twice in a run is compared with what was kept before the run.
        guard let kept = titles.title(for: initialURL) else { return .first }
        return TitleTable.areSame(kept, title) ? .same : .changed(from: kept)
    }

    /// Does all that ``save()`` does but the replacing itself.
    ///
    /// - Throws: Why the file can't be replaced.
    func rehearse() throws(TitleFileError) {
        try TitleStorage(path: path).replace(isRehearsal: true, change)
    }

    /// Replaces the file by one with the new titles; never leaves half a file.
    ///
    /// - Throws: Why that failed; the old file is then untouched.
    func save() throws(TitleFileError) {
        try TitleStorage(path: path).replace(change)
    }

    private func change(_ table: inout TitleTable) {
        for (url, title) in found.entries { table.set(title, for: url) }
    }
}

/// What is wrong with a title file, and the way out: one line for people.
struct TitleFileError: Error, Equatable {
    let message: String
}

/// Titles by URL, in the order in which they came.
struct TitleTable: Equatable {
    private(set) var entries: [(url: String, title: String?)] = []
    /// By the URL's bytes: String's == hides canonical differences.
    private var places: [[UInt8]: Int] = [:]

    /// The title kept for a URL: nil if there is none, and nil within for a page without one.
    func title(for url: String) -> String?? {
        places[Array(url.utf8)].map { entries[$0].title }
    }

    /// Keeps a title for a URL, in the place of the one before.
    mutating func set(_ title: String?, for url: String) {
        let key = Array(url.utf8)
        if let place = places[key] {
            entries[place].title = title
        } else {
            places[key] = entries.count
            entries.append((url, title))
        }
    }

    /// Whether two titles have the same bytes; none and an empty one differ.
    static func areSame(_ one: String?, _ other: String?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
        default: false
        }
    }

    static func == (one: TitleTable, other: TitleTable) -> Bool {
        one.entries.count == other.entries.count
            && zip(one.entries, other.entries).allSatisfy {
                areSame($0.url, $1.url) && areSame($0.title, $1.title)
            }
    }
}

/// The form of a title file: bytes from titles, titles from bytes.
enum TitleFormat {
    /// The first line. A later version of the format will have another number.
    static let head = "# pagewatch titles 1"

    /// The whole file.
    static func bytes(of table: TitleTable) -> [UInt8] {
        var bytes = Array("\(head)\n".utf8)
        for (url, title) in table.entries {
            bytes.append(contentsOf: escapedURL(url).utf8)
            bytes.append(UInt8(ascii: "\t"))
            bytes.append(contentsOf: (title == nil ? "null" : quoted(title)).utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// What is wrong with a line of the file.
    struct Damage: Error, Equatable {
        let line: Int
        let problem: String
    }

    /// The titles of a whole file; an empty one has none.
    static func table(from bytes: [UInt8]) throws(Damage) -> TitleTable {
        var table = TitleTable()
        guard !bytes.isEmpty else { return table }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The last line break ends a line and begins none.
        let isWhole = lines.last?.isEmpty ?? false
        if isWhole { lines.removeLast() }
        for (index, line) in lines.enumerated() {
            let number = index + 1
            if number == 1 {
                guard line.elementsEqual(head.utf8) else {
                    throw Damage(line: 1, problem: "this is not a file of pagewatch's titles")
                }
                continue
            }
            guard isWhole || number < lines.count else {
                throw Damage(line: number, problem: "the line is cut off")
            }
            guard let (url, title) = entry(from: line) else {
                throw Damage(line: number, problem: "this is not a URL, a tab and a title")
            }
            guard table.title(for: url) == nil else {
                throw Damage(line: number, problem: "this URL has a line already")
            }
            table.set(title, for: url)
        }
        return table
    }

    private static func entry(from line: ArraySlice<UInt8>) -> (url: String, title: String?)? {
        guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
        guard let url = unescaped(line[..<tab]), !url.isEmpty else { return nil }
        var title = line[(tab + 1)...]
        if title.elementsEqual("null".utf8) { return (url, nil) }
        guard title.count >= 2, title.popFirst() == UInt8(ascii: "\""),
            title.popLast() == UInt8(ascii: "\"")
        else { return nil }
        return unescaped(title).map { (url, $0) }
    }

    /// A URL holds no quotes of ours around it, so it is a quoted text without them.
    private static func escapedURL(_ url: String) -> String {
        String(quoted(url).dropFirst().dropLast())
    }

    /// Undoes what `quoted` does inside its quotes; nil if it never does so.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
        var output: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") || byte < 0x20 { return nil }
            guard byte == UInt8(ascii: "\\") else {
                output.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\""): output.append(UInt8(ascii: "\""))
            case UInt8(ascii: "\\"): output.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "u"):
                guard rest.count >= 4,
                    let digits = String(validating: rest.prefix(4), as: UTF8.self),
                    let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value)
                else { return nil }
                rest = rest.dropFirst(4)
                output.append(contentsOf: String(scalar).utf8)
            default: return nil
            }
        }
        return String(validating: output, as: UTF8.self)
    }
}
