import TestSupport

@testable import pagewatch

/// Where the project is.
let project = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

/// A page of the manual: a file of Markdown in `man`, into which sections of the documents and the
/// tables of the program are put.
///
/// A paragraph `{{commands}}` stands for all commands and their options, `{{docs/FILE.md}}` for the
/// opening of that document, and `{{docs/FILE.md: TITLE}}` for a section of it.
struct ManualPage: Sendable, CustomStringConvertible {
    /// Something in a page's source has no sense.
    struct Mistake: Error {
        let text: String
    }

    static let all = [
        ManualPage(name: "pagewatch", section: "1"),
        ManualPage(name: "pagewatch.yaml", section: "5"),
        ManualPage(name: "pagewatch-events", section: "7"),
        ManualPage(name: "pagewatch.service", section: "8"),
    ]

    let name: String
    let section: String

    var description: String { "\(name)(\(section))" }

    /// What is installed.
    var path: String { "\(project)/man/\(name).\(section)" }

    /// The page, put together anew.
    func written() throws -> String {
        let source = Markdown(try TextFile.read(path + ".md"))
        // # NAME(SECTION) DATE MANUAL
        guard case .heading(1, let title)? = source.blocks.first else {
            throw Mistake(text: "\(path).md has no title")
        }
        let words = title.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "\(name)(\(section))" else {
            throw Mistake(text: "\(path).md has the title \(title)")
        }
        var page = ManualText(
            name: name, section: section, date: String(words[1]),
            source: "pagewatch \(Version.number)", manual: String(words[2]))
        for block in source.blocks.dropFirst() { try add(block, to: &page) }
        return page.text
    }

    private func add(_ block: Markdown.Block, to page: inout ManualText) throws {
        guard case .paragraph(let text) = block, text.hasPrefix("{{"), text.hasSuffix("}}") else {
            return page.add(block)
        }
        let place = text.dropFirst(2).dropLast(2)
        if place == "commands" {
            for command in pagewatch.Program.commands { page.add(command) }
            return
        }
        let parts = place.split(separator: ":", maxSplits: 1)
        let document = Markdown(try TextFile.read("\(project)/\(parts[0])"))
        if parts.count == 1 { return document.opening.forEach { page.add($0) } }
        guard let section = document.section(trimmed(parts[1])) else {
            throw Mistake(text: "\(parts[0]) has no section \(parts[1])")
        }
        for block in section { page.add(block) }
    }
}

extension ManualText {
    /// What `pagewatch help COMMAND` tells.
    fileprivate mutating func add(_ command: Command) {
        heading("`pagewatch \(command.name)`", level: 3)
        entry(
            trimmed("`pagewatch \(command.name)` [*OPTION*...] \(Self.operands(command.operands))"),
            Self.plain(command.summary))
        for section in command.sections {
            paragraph(section.title + ":")
            for option in section.options { entry(option) }
        }
        for note in command.notes { paragraph(Self.plain(note)) }
        paragraph("Exit codes:")
        for (code, meaning) in command.exitCodes {
            entry("`\(code.rawValue)`", Self.plain(meaning))
        }
        if !command.examples.isEmpty { paragraph("Examples:") }
        for example in command.examples {
            paragraph(Self.plain(example.text) + ":")
            code([example.call])
        }
    }

    /// An option with its value.
    mutating func entry(_ option: OptionFacts) {
        let value = option.placeholder.map { " *\($0)*" } ?? ""
        entry(
            option.names.map { "`\($0)`" }.joined(separator: ", ") + value,
            Self.plain(option.words))
    }

    /// `TARGET [URL]` with its words marked.
    private static func operands(_ operands: String) -> String {
        operands.split(separator: " ").map { word in
            let name = word.drop { $0 == "[" }.prefix { $0.isLetter }
            return word.replacing(name, with: "*\(name)*")
        }.joined(separator: " ")
    }

    /// Text of the program's tables as Markdown: options, variables and paths are marked.
    private static func plain(_ text: String) -> String {
        text.split(separator: " ").map { word in
            let marks: Set<Character> = [",", ".", ";", ":", ")", "("]
            let inside = word.drop { marks.contains($0) }
            var core = inside
            while let last = core.last, marks.contains(last) { core.removeLast() }
            let beginnings = ["-", "$", "/", "docs/"]
            guard beginnings.contains(where: { core.hasPrefix($0) }), core.count > 1 else {
                return String(word).replacing("*", with: "`*`")
            }
            return word[..<inside.startIndex] + "`\(core)`" + word[core.endIndex...]
        }.joined(separator: " ")
    }
}
