/// What `pagewatch verify` was asked to do.
struct VerifyOptions: Equatable, Sendable {
    /// The main file; nil leaves it to the environment and the usual places.
    var config: String?

    /// The table of the options of `verify`.
    static let groups = [
        OptionGroup<VerifyOptions>(
            title: "Configuration",
            options: [
                .text(
                    "config", "FILE",
                    "the main file; targets.d/*.yaml beside it are read too (default"
                        + " $PAGEWATCH_CONFIG, or else /etc/pagewatch/pagewatch.yaml)",
                    example: "pagewatch.yaml"
                ) { $0.config = $1 }
            ])
    ]
}

extension Command {
    /// `pagewatch verify`.
    static let verify = Command(
        name: "verify",
        summary: "Reads the configuration as the service would, and tells every mistake in it.",
        operands: "",
        groups: VerifyOptions.groups,
        notes: [
            "A mistake is told as file:line:column: problem (remedy). Credentials of the service"
                + " are looked up only where $CREDENTIALS_DIRECTORY is set."
        ],
        exitCodes: [
            (.fine, "the configuration is good"),
            (.unusable, "there are mistakes, or bad usage"),
        ],
        examples: [
            Example(
                text: "Before a reconfigure",
                call: "pagewatch verify && pagewatch reconfigure"),
            Example(
                text: "In a repository of configurations",
                call: "pagewatch verify --config pagewatch.yaml"),
        ],
        initial: VerifyOptions(),
        operand: { options, operand throws(UsageError) in
            throw UsageError(
                "takes no operand (write \"pagewatch verify --config FILE\")")
        },
        finish: { _ in },
        run: VerifyCommand.run)
}
