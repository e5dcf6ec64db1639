import Events
import Fetching
import Glibc
import PageLoading
import Reactor
import Titles
import WebAddress

/// `pagewatch check`: loads each page once.
enum CheckCommand {
    /// Connections that are kept for later pages, beside those in use.
    private static let spareConnections = 64

    /// Runs the check to its end.
    static func run(_ options: CheckOptions) -> ExitCode {
        do {
            if let target = options.target {
                return try TargetCheck(options, target: target).run()
            }
            if let file = options.caFile { try CertificateFile.check(file) }
            let check = try Check(fitted(options))
            return check.run()
        } catch {
            return refused((error as? UsageError)?.message ?? "\(error)", options)
        }
    }

    /// The options with no more loads at a time than there are descriptors for.
    private static func fitted(_ options: CheckOptions) -> CheckOptions {
        let descriptors = DescriptorLimit.current
        let loads = DescriptorLimit.loads(within: descriptors)
        guard options.concurrency > loads else { return options }
        StandardError.write(
            "pagewatch check: \(loads) pages load at a time, not \(options.concurrency): only"
                + " \(descriptors) files may be open (raise \"ulimit -n\")\n")
        var fitted = options
        fitted.concurrency = loads
        return fitted
    }

    /// Says why nothing is loaded. A monitoring system reads standard output and nothing else.
    private static func refused(_ problem: String, _ options: CheckOptions) -> ExitCode {
        guard options.form == .plugin else {
            StandardError.write("pagewatch check: \(problem)\n")
            return .unusable
        }
        var report = PluginReport()
        report.add(problem: problem)
        let output = StandardOutput()
        output.write(report.line + "\n")
        return output.finish().combined(with: .unusable)
    }

    /// The options of every load, from those of the command.
    static func loadOptions(_ options: CheckOptions) -> LoadOptions {
        let load = LoadOptions()
        load.timeout = options.timeouts.load
        load.maxRedirects = options.maxRedirects
        load.followsRefresh = options.followsRefresh
        load.titleLimit = options.titleLimit
        load.encoding = options.encoding.flatMap { Encoding(label: $0) }
        load.transfer = transferOptions(options)
        return load
    }

    private static func transferOptions(_ options: CheckOptions) -> TransferOptions {
        let transfer = TransferOptions()
        transfer.userAgent = options.userAgent ?? Version.userAgent
        transfer.headers = options.headers
        transfer.credentials = options.credentials.map { credentials in
            let parts = credentials.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return .init(user: String(parts[0]), password: parts.count > 1 ? String(parts[1]) : "")
        }
        transfer.isInsecure = options.isInsecure
        transfer.caFile = options.caFile
        transfer.resolve = options.resolve
        transfer.addressFamily =
            switch options.addressFamily {
            case .any: .any
            case .ipv4: .ipv4
            case .ipv6: .ipv6
            }
        transfer.proxy = options.proxy
        transfer.usesHTTP2PriorKnowledge = options.usesHTTP2PriorKnowledge
        transfer.maxBytes = options.maxBytes
        transfer.timeouts.resolve = options.timeouts.resolve
        transfer.timeouts.connect = options.timeouts.connect
        transfer.timeouts.tls = options.timeouts.tls
        transfer.timeouts.firstByte = options.timeouts.firstByte
        transfer.timeouts.stall = options.timeouts.stall
        return transfer
    }

    /// How many connections the pool keeps.
    static func connections(_ options: CheckOptions) -> Int {
        options.concurrency
            + min(
                spareConnections,
                DescriptorLimit.spareConnections(
                    within: DescriptorLimit.current, loads: options.concurrency))
    }
}
