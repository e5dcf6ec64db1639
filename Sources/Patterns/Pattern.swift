import CPCRE2

/// A regular expression of a user's, in PCRE2's dialect, searched anywhere in a text.
///
/// Letters, digits and word boundaries are Unicode's. The work of one search is bounded, so that
/// no pattern can hold up the loop: a search that would need more says so.
///
/// It keeps the memory of its searches, so one thread at a time may use it.
package final class Pattern {
    /// What a search came to.
    package enum Outcome: Equatable, Sendable {
        /// The first match: offsets into the text's UTF-8.
        case match(Range<Int>)
        case noMatch
        /// The bounds of one search were reached before there was an answer.
        case limitExceeded
    }

    /// Steps of one search. A step takes 13 ns, so the loop stands still for 13 ms at worst; two
    /// repeats that fight over a title of 1,000 characters need half of it.
    private static let mostSteps: UInt32 = 1_000_000
    /// Nested attempts, and the memory for them in KiB; PCRE2's own default is 20 GB.
    private static let mostDepth: UInt32 = 1_000_000
    private static let mostHeap: UInt32 = 64 << 10

    /// The pattern as written.
    package let source: String
    // Each is freed in deinit and nowhere else; nothing in C points back at this object.
    private let code: OpaquePointer
    private let matchData: OpaquePointer
    private let context: OpaquePointer

    /// Compiles a pattern.
    ///
    /// - Throws: ``PatternError`` with the place of the mistake.
    package init(_ source: String) throws(PatternError) {
        var number: CInt = 0
        var offset = 0
        var text = source
        let compiled = text.withUTF8 { bytes in
            // The forbidden \C could cut a scalar apart.
            pcre2_compile_8(
                bytes.baseAddress, bytes.count, PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C,
                &number, &offset, nil)
        }
        guard let compiled else {
            throw PatternError(source: source, number: number, byteOffset: offset)
        }
        guard let matchData = pcre2_match_data_create_8(1, nil) else {
            pcre2_code_free_8(compiled)
            throw PatternError(source: source, number: PatternError.noMemory, byteOffset: 0)
        }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_match_data_free_8(matchData)
            pcre2_code_free_8(compiled)
            throw PatternError(source: source, number: PatternError.noMemory, byteOffset: 0)
        }
        pcre2_set_match_limit_8(context, Self.mostSteps)
        pcre2_set_depth_limit_8(context, Self.mostDepth)
        pcre2_set_heap_limit_8(context, Self.mostHeap)
        self.source = source
        code = compiled
        self.matchData = matchData
        self.context = context
    }

    deinit {
        pcre2_match_context_free_8(context)
        pcre2_match_data_free_8(matchData)
        pcre2_code_free_8(code)
    }

    /// Searches `text` for the first match.
    ///
    /// - Parameter start: An offset into the text's UTF-8, on a scalar's first byte; what is before
    ///   it counts for anchors and for looking behind.
    package func firstMatch(in text: String, from start: Int = 0) -> Outcome {
        var text = text
        return text.withUTF8 { bytes in
            guard start >= 0, start <= bytes.count else { return .noMatch }
            let count = pcre2_match_8(
                code, bytes.baseAddress, bytes.count, start, 0, matchData, context)
            // 0 says that a group found no place in the match data, which holds the whole alone.
            if count >= 0, let pair = pcre2_get_ovector_pointer_8(matchData) {
                // \K inside a lookahead can put the start behind the end.
                return .match(min(pair[0], pair[1])..<max(pair[0], pair[1]))
            }
            // Swift's text is always valid UTF-8 and the arguments are ours, so all other errors
            // are bounds: steps, depth, memory, endless recursion.
            return count == PCRE2_ERROR_NOMATCH ? .noMatch : .limitExceeded
        }
    }
}
