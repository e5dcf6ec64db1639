import Glibc
import TestSupport
import Testing

@testable import Configuration
@testable import pagewatch

/// Whether the files are to be written anew instead of being compared: `make man`.
private let isToWrite = getenv("PAGEWATCH_WRITE_MANUAL") != nil

/// Holds a file against what it should be, or writes it.
func compare(_ path: String, with text: String) throws {
    if isToWrite { return try TextFile.write(text, to: path) }
    let found = try? TextFile.read(path)
    #expect(found?.utf8.elementsEqual(text.utf8) == true, "\(path) is of old (run \"make man\")")
}

@Suite struct `The manual` {
    @Test(arguments: ManualPage.all)
    func `is made from the tables as they are`(page: ManualPage) throws {
        try compare(page.path, with: try page.written())
    }
}

@Suite struct `The completions` {
    private let table: CompletionTable

    init() throws { table = try CompletionTable() }

    @Test func `are made from the tables as they are`() throws {
        try compare("\(project)/completions/pagewatch.bash", with: BashCompletion(table).text)
        try compare("\(project)/completions/pagewatch.zsh", with: ZshCompletion(table).text)
        try compare("\(project)/completions/pagewatch.fish", with: FishCompletion(table).text)
    }
}
