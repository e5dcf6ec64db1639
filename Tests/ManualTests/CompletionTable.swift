import Configuration
import Events
import Titles

@testable import pagewatch

/// What can be completed in the arguments of each command, for the scripts of all shells.
struct CompletionTable {
    /// What a value or an operand is.
    enum Kind: Equatable {
        case file
        case folder
        /// A command of the shell.
        case program
        /// A target of the running service.
        case target
        case words([String])
        /// Nothing that could be guessed.
        case free
    }

    /// Something in the program's tables is unknown here.
    struct Unknown: Error {
        let word: String
    }

    struct Value {
        /// As in help: `FILE`.
        let name: String
        let kind: Kind
    }

    struct Option {
        let facts: OptionFacts
        /// Nil for a flag.
        let value: Value?
    }

    struct Entry {
        let name: String
        let summary: String
        let options: [Option]
        let operands: [Value]
        /// Whether the last operand may be given again.
        let isOpen: Bool
    }

    let entries: [Entry]
    /// Those of the configuration, each name once.
    let keys: [String]

    /// - Throws: ``Unknown`` for a placeholder that nobody has said how to complete.
    init(_ commands: [Command] = Program.commands) throws {
        var keys: [String] = []
        for name in KeyTables.sections.flatMap({ $0.keys.map(\.name) }) where !keys.contains(name) {
            keys.append(name)
        }
        self.keys = keys
        entries = try commands.map { command in
            let facts = command.sections.flatMap(\.options) + HelpText.common.options
            let options = try facts.map { facts in
                Option(
                    facts: facts,
                    value: try facts.placeholder.map {
                        Value(name: $0, kind: try Self.kind($0))
                    })
            }
            let operands = command.operands.split(separator: " ").map { word in
                String(word.filter { $0.isLetter })
            }
            return Entry(
                name: command.name, summary: command.summary, options: options,
                operands: try operands.map { Value(name: $0, kind: try Self.kind($0)) },
                isOpen: command.operands.contains("..."))
        }
    }

    /// How to complete what help calls by this word.
    private static func kind(_ placeholder: String) throws -> Kind {
        switch placeholder {
        case "FILE", "PATH": .file
        case "DIR": .folder
        case "CMD": .program
        case "TARGET", "NAME": .target
        case "KIND": .words(["durable", "all"] + EventKinds.names)
        case "LABEL": .words(Encoding.allCases.map { $0.rawValue.lowercased() }.sorted())
        case "T", "TIME": .words(["today", "yesterday", "now"])
        case "DUR", "N", "SIZE", "RE", "LINE", "TEXT", "URL", "INDEX", "NAME:PASSWORD",
            "HOST:PORT:ADDR":
            .free
        default: throw Unknown(word: placeholder)
        }
    }
}
