import CYAML

/// The sole owner of a libyaml parser, which turns bytes into events.
///
/// libyaml keeps a pointer to its parser inside it, so the parser lives at an address of its own.
struct YAMLParser: ~Copyable {
    /// What libyaml could not read.
    struct Failure: Error {
        var problem: String
        /// What libyaml was in the middle of, and where that begins.
        var context: String?
        var contextPosition: Mistake.Position
        /// From 0.
        var line: Int
        var column: Int
        /// Where the byte is that can't stand in YAML; nil if the mistake is one of grammar.
        var byteOffset: Int?
    }

    private let raw: UnsafeMutablePointer<yaml_parser_t>

    /// Nil if there is no memory.
    ///
    /// - Parameter bytes: At least one; they stay where they are as long as the parser lives.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let raw = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        guard yaml_parser_initialize(raw) == 1 else {
            raw.deallocate()
            return nil
        }
        yaml_parser_set_encoding(raw, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(raw, bytes.baseAddress, bytes.count)
        self.raw = raw
    }

    deinit {
        yaml_parser_delete(raw)
        raw.deallocate()
    }

    /// Calls `body` with the next event, which is gone after.
    ///
    /// - Throws: Why there is none.
    borrowing func next<Answer>(
        _ body: (borrowing yaml_event_t) -> Answer
    ) throws(Failure) -> Answer {
        var event = yaml_event_t()
        guard yaml_parser_parse(raw, &event) == 1 else { throw failure }
        let answer = body(event)
        yaml_event_delete(&event)
        return answer
    }

    private var failure: Failure {
        let parser = raw.pointee
        let isGrammar = parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR
        return Failure(
            problem: parser.problem.map { String(cString: $0) } ?? "finds no memory",
            context: parser.context.map { String(cString: $0) },
            contextPosition: Mistake.Position(parser.context_mark),
            line: Int(parser.problem_mark.line), column: Int(parser.problem_mark.column),
            byteOffset: isGrammar ? nil : Int(parser.problem_offset))
    }
}

extension Mistake.Position {
    /// libyaml counts from 0.
    init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
