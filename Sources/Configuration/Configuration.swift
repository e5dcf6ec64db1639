/// What the service was told to do: the main file and the drop-ins behind it, as values.
///
/// Each property has the default that holds without its key; `KeyTables` has the keys.
package struct Configuration: Equatable, Sendable {
    /// How much is done at a time.
    package struct Limits: Equatable, Sendable {
        /// Loads under way, over all targets.
        package var concurrency = 256
        /// Of these, to one host and port.
        package var perHost = 6
        /// How old a kept connection may grow.
        package var connectionAge = Duration.seconds(60)
    }

    /// The file that is there for tailing.
    package struct Log: Equatable, Sendable {
        /// Nil means `events.jsonl` in `$LOGS_DIRECTORY`, and no file where that is not set.
        package var file: String?
        /// Names of event kinds; `durable` stands for those that the history keeps, `all` for all.
        package var events = ["durable"]
    }

    /// The API beside the Unix socket, which is always there.
    package struct API: Equatable, Sendable {
        /// `HOST:PORT` to listen on; nil means nowhere.
        package var listen: String?
        /// Whether nothing but `/metrics` is served there.
        package var isMetricsOnly = true
    }

    /// What the history keeps.
    package struct Retention: Equatable, Sendable {
        /// Rows of one target.
        package var rows = 1000
        /// How old a row may grow.
        package var age = Duration.seconds(400 * 86_400)
        /// Rows of a target that are kept whatever their age.
        package var newest = 20
        /// Bytes of the whole store.
        package var size: Int64 = 1 << 30
    }

    package var limits = Limits()
    package var log = Log()
    package var api = API()
    package var retention = Retention()
    /// The state folder; nil leaves it to the command line and the environment, which go first.
    package var state: String?
    /// What holds for a target that does not say otherwise; drop-ins may add to it for their own.
    package var defaults = TargetSettings()
    /// In the order of the files and of the lines in them; no name occurs twice.
    package var targets: [TargetDefinition] = []

    /// What holds without a file: all defaults and no targets.
    package init() {}
}
