import LoopbackSite

/// What the command line asks for.
struct Options {
    private(set) var port: UInt16 = 0
    private(set) var folder = Scenario.folder
    private(set) var alsoIPv6 = false
    private(set) var listsDemonstrations = false
    private(set) var wantsHelp = false
    /// The words after `--run`.
    private(set) var command: [String]?

    static let help = """
        usage: loopback-site [--port N] [--scenarios DIR] [--ipv6] [--list-demo]
               loopback-site [--port N] [--scenarios DIR] [--ipv6] --run COMMAND [ARGUMENT...]

        An HTTP server on 127.0.0.1 that answers as slowly and as oddly as its scenarios say.
        Without --run it serves until Ctrl-C.

          --port N         listen on this port (any that is free)
          --scenarios DIR  play the *.scenario files of DIR
          --ipv6           listen on [::1] too
          --list-demo      print the URLs that are nice to watch, and end
          --run COMMAND    run COMMAND beside the site, and end with its exit code. In its
                           arguments, {site} becomes the site's URL (without a slash at its end),
                           {demo} the name of a file with the URLs that are nice to watch, and
                           an argument that is just {demo-urls} becomes those URLs
          -h, --help       print this

        """

    /// - Throws: ``UsageError`` for a word that is not understood.
    init(_ arguments: ArraySlice<String>) throws(UsageError) {
        var rest = arguments
        while let word = rest.popFirst() {
            switch word {
            case "-h", "--help": wantsHelp = true
            case "--ipv6": alsoIPv6 = true
            case "--list-demo": listsDemonstrations = true
            case "--port":
                let text = try Self.value(of: word, &rest)
                guard let port = UInt16(text) else {
                    throw UsageError(description: "\"\(text)\" is not a port (0 to 65535)")
                }
                self.port = port
            case "--scenarios": folder = try Self.value(of: word, &rest)
            case "--run":
                guard !rest.isEmpty else {
                    throw UsageError(description: "--run needs a command (see --help)")
                }
                command = Array(rest)
                rest = []
            default:
                throw UsageError(description: "unknown option \"\(word)\" (see --help)")
            }
        }
    }

    private static func value(
        of option: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let value = rest.popFirst() else {
            throw UsageError(description: "\(option) needs a value (see --help)")
        }
        return value
    }
}

/// A command line that is not understood.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
