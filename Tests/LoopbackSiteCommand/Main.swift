import CTestLinux
import Glibc
import LoopbackSite
import Reactor

/// The site as a program: for people who want to see pages load, and for scripts.
@main
struct Main {
    static func main() {
        do {
            exit(try run(try Options(CommandLine.arguments.dropFirst())))
        } catch {
            write("loopback-site: \(error)\(hint(on: error))\n", to: STDERR_FILENO)
            exit(3)
        }
    }

    private static func hint(on error: any Error) -> String {
        guard (error as? SystemError)?.code == EADDRINUSE else { return "" }
        return " (write another --port, or 0 for any that is free; \"make site PORT=8082\")"
    }

    private static func run(_ options: Options) throws -> CInt {
        if options.wantsHelp {
            write(Options.help, to: STDOUT_FILENO)
            return 0
        }
        let scenarios = try Scenario.all(inFolder: options.folder)
        // Before the site's thread starts, which inherits what is blocked.
        let signals = AwaitedSignals([SIGINT, SIGTERM])
        let site = try LoopbackSite(
            scenarios: scenarios, port: options.port, alsoIPv6: options.alsoIPv6)
        let demonstrations = scenarios.compactMap(\.demonstration).map { site.url($0) }
        if options.listsDemonstrations {
            write(demonstrations.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
            return 0
        }
        try site.run()
        if let command = options.command {
            return try ChildCommand(command, site: site.url(""), demonstrations).run(signals)
        }
        write(greeting(site, scenarios), to: STDOUT_FILENO)
        _ = signals.next()
        return 0
    }

    private static func greeting(_ site: LoopbackSite, _ scenarios: [Scenario]) -> String {
        var text = "listening on \(site.url())\n"
        for scenario in scenarios {
            text += "  \(scenario.entrance ?? "(\(scenario.name))")  \(scenario.summary)\n"
        }
        return text
    }

    private static func write(_ text: String, to descriptor: CInt) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
