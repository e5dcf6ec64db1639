/// An option of a command: the parser, `--help` and the manual all read it here.
///
/// `Options` is the value that the command's arguments fill in.
struct Option<Options>: Sendable {
    /// What is there to be told about an option, whatever it fills in.
    let facts: OptionFacts
    /// Puts the value (for a flag: "") in its place, or says what is wrong with it.
    let apply: @Sendable (inout Options, String) throws(UsageError) -> Void
}

/// An option as people see it.
struct OptionFacts: Sendable {
    /// Without its dashes.
    let long: String
    /// Without its dash.
    let short: Character?
    /// What stands for the value in help; nil for a flag.
    let placeholder: String?
    /// A few words in lower case, without a full stop.
    let help: String
    /// The value without the option, where there is one to be told.
    let defaultValue: String?
    /// A value that is right, for those who wrote a wrong one.
    let example: String
    let isRepeatable: Bool

    /// `-m` and `--timeout` as they are written.
    var names: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + long] }

    /// All that is to be told of it: whether it may be repeated, and its default, too.
    var words: String {
        help + (isRepeatable ? "; may be repeated" : "")
            + (defaultValue.map { " (default \($0))" } ?? "")
    }
}

/// Options that belong together, under a heading of the help.
struct OptionGroup<Options>: Sendable {
    let title: String
    let options: [Option<Options>]
}

extension Option {
    /// An option without a value.
    static func flag(
        _ long: String, short: Character? = nil, _ help: String,
        set: @escaping @Sendable (inout Options) -> Void
    ) -> Option {
        Option(
            facts: OptionFacts(
                long: long, short: short, placeholder: nil, help: help, defaultValue: nil,
                example: "", isRepeatable: false)
        ) { options, _ throws(UsageError) in set(&options) }
    }

    /// An option with a text that `check` looks at before it is put in its place.
    static func text(
        _ long: String, short: Character? = nil, _ placeholder: String, _ help: String,
        example: String, isRepeatable: Bool = false,
        check: @escaping @Sendable (String) throws(UsageError) -> Void = { _ throws(UsageError) in
        },
        set: @escaping @Sendable (inout Options, String) -> Void
    ) -> Option {
        Option(
            facts: OptionFacts(
                long: long, short: short, placeholder: placeholder, help: help, defaultValue: nil,
                example: example, isRepeatable: isRepeatable)
        ) { options, value throws(UsageError) in
            guard !value.isEmpty else { throw UsageError("is empty (write --\(long) \(example))") }
            try check(value)
            set(&options, value)
        }
    }

    /// An option with a length of time above zero.
    static func duration(
        _ long: String, short: Character? = nil, _ help: String, default text: String? = nil,
        example: String? = nil, set: @escaping @Sendable (inout Options, Duration) -> Void
    ) -> Option {
        Option(
            facts: OptionFacts(
                long: long, short: short, placeholder: "DUR", help: help, defaultValue: text,
                example: example ?? text ?? "10s", isRepeatable: false)
        ) { options, value throws(UsageError) in set(&options, try parsedDuration(value)) }
    }

    /// An option with a whole number within `range`.
    static func count(
        _ long: String, _ help: String, in range: ClosedRange<Int>, default text: String,
        set: @escaping @Sendable (inout Options, Int) -> Void
    ) -> Option {
        Option(
            facts: OptionFacts(
                long: long, short: nil, placeholder: "N", help: help, defaultValue: text,
                example: text, isRepeatable: false)
        ) { options, value throws(UsageError) in
            set(&options, try parsedCount(value, in: range))
        }
    }

    /// An option with a number of bytes above zero.
    static func size(
        _ long: String, _ help: String, default text: String,
        set: @escaping @Sendable (inout Options, Int64) -> Void
    ) -> Option {
        Option(
            facts: OptionFacts(
                long: long, short: nil, placeholder: "SIZE", help: help, defaultValue: text,
                example: text, isRepeatable: false)
        ) { options, value throws(UsageError) in set(&options, try parsedSize(value)) }
    }
}
