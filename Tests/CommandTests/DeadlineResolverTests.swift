import Glibc
import LoopbackSite
import TestSupport
import Testing

/// A network of a run's own, in which nobody answers for names.
///
/// Nothing but loopback is up in it, and the only resolver is 127.0.0.1, where `server` listens.
private enum LonelyNetwork {
    static let isPossible: Bool = {
        let needed: [String] = ["/usr/bin/unshare", "/usr/sbin/ip", "/usr/bin/python3"]
        guard geteuid() == 0, needed.allSatisfy({ access($0, X_OK) == 0 }) else { return false }
        // Root in a container may lack what it takes.
        return system("unshare --net --mount /bin/true 2>/dev/null") == 0
    }()

    static let skipReason = "needs root that may unshare networks and mounts, ip and python3"

    /// Bounds what a program may map; a sanitizer's shadow alone is more than any such bound.
    static let memoryLimit = Program.isSanitized ? "" : "ulimit -v 6000000"

    /// Reads questions and never answers; writes a line once it listens.
    static let silent = """
        import socket, sys
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 53))
        print("ready", flush=True)
        while True: s.recv(4096)
        """

    /// Answers every question with SERVFAIL.
    static let failing = """
        import socket, sys
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 53))
        print("ready", flush=True)
        while True:
            q, a = s.recvfrom(4096)
            s.sendto(q[:2] + bytes([0x81, 0x82]) + q[4:], a)
        """

    /// Runs `pagewatch check --json` in it, beside a resolver (if there is one) and a site; in the
    /// arguments, `{site}` is the site's URL.
    ///
    /// - Parameter limit: A command of the shell that bounds what the program may use.
    static func run(
        _ arguments: [String], resolver: String?, limit: String = ""
    ) async throws -> CheckRun {
        let folder = try TemporaryFolder()
        try folder.write("nameserver 127.0.0.1\noptions timeout:30 attempts:5\n", to: "resolv.conf")
        try folder.write(resolver ?? "", to: "resolver.py")
        try folder.write(
            "serve /page\nhead 200 text/html\ntext <title>Good</title>\n", to: "page.scenario")
        let beside = """
            mkfifo "$1/ready"
            /usr/bin/python3 "$1/resolver.py" > "$1/ready" &
            trap "kill $!" EXIT
            read line < "$1/ready"

            """
        let script = """
            set -e
            /usr/sbin/ip link set lo up
            mount --bind "$1/resolv.conf" /etc/resolv.conf
            \(resolver == nil ? "" : beside)
            shift
            \(limit)
            "$@"
            """
        let program = Program(
            "/usr/bin/unshare",
            [
                "--net", "--mount", "/bin/sh", "-c", script, "sh", folder.path,
                BuiltProducts.path("loopback-site"), "--scenarios", folder.path, "--run",
                BuiltProducts.path("pagewatch"), "check", "--json",
            ] + arguments)
        return CheckRun(try await program.run())
    }
}

@Suite(.inTurns, .enabled(if: LonelyNetwork.isPossible, "\(LonelyNetwork.skipReason)"))
struct `A resolver` {
    @Test func `that never answers holds up neither the others nor the end of the program`()
        async throws
    {
        let lost = (1...20).map { "http://name\($0).example/" }
        let good = (1...40).map { "{site}/page?\($0)" }
        let run = try await LonelyNetwork.run(
            lost + good + ["--timeout", "2s"],
            resolver: LonelyNetwork.silent)
        for url in lost {
            let result = try #require(run.result(of: url))
            #expect(result.error == "resolve: timedOut")
            #expect(result.seconds("total") >= 2 && result.seconds("total") < 3.5)
            #expect(result.seconds("resolve") > 1.9)
        }
        #expect(run.results.prefix(40).allSatisfy { $0.title == "Good" })
        #expect(run.results.prefix(40).allSatisfy { $0.seconds("total") < 2 })
        #expect(run.results.count == 60)
        #expect(run.exitCode == 2)
        // The resolver's threads would wait for 150 s: nobody joins them.
        #expect(run.outcome.wall < .seconds(20))
    }

    /// A look-up's thread stays until the resolver gives up, also when nobody waits for it: with
    /// 8 MiB of addresses each, hundreds of them had used up what the program may have.
    @Test func `that never answers is not asked by ever more threads`() async throws {
        let names = (1...1500).map { "http://name\($0).example/" }
        let good = (1...20).map { "{site}/page?\($0)" }
        let run = try await LonelyNetwork.run(
            names + good + [
                "--concurrency", "700", "--resolve-timeout", "400ms", "--connect-timeout", "5s",
            ], resolver: LonelyNetwork.silent, limit: LonelyNetwork.memoryLimit)
        #expect(run.outcome.ending == .exited(2))
        // Told by their errors, so that a failure says what else came.
        let failures = Dictionary(grouping: run.results.compactMap(\.error)) { $0 }
        #expect(failures.mapValues(\.count) == ["resolve: timedOut": 1500])
        #expect(run.results.count { $0.title == "Good" } == 20)
        #expect(run.results.allSatisfy { $0.seconds("total") < 3 })
    }

    @Test func `has a time of its own`() async throws {
        let run = try await LonelyNetwork.run(
            ["http://name.example/", "--resolve-timeout", "700ms"],
            resolver: LonelyNetwork.silent)
        #expect(run.result?.error == "resolve: timedOut")
        #expect(run.result.map { $0.seconds("total") < 3 } == true)
        #expect(run.exitCode == 2)
        #expect(run.outcome.wall < .seconds(20))
    }

    @Test func `that fails, or is not there, is told at once`() async throws {
        let failing = try await LonelyNetwork.run(
            ["http://name.example/"], resolver: LonelyNetwork.failing)
        #expect(failing.result?.error?.hasPrefix("resolve: ") == true)
        #expect(failing.exitCode == 2)
        let missing = try await LonelyNetwork.run(["http://name.invalid/"], resolver: nil)
        #expect(missing.result?.error?.hasPrefix("resolve: ") == true)
        #expect(missing.exitCode == 2)
        #expect(missing.outcome.wall < .seconds(3))
    }

    @Test func `is not asked for what leads nowhere`() async throws {
        // Only loopback is up: no way to the address at all.
        let run = try await LonelyNetwork.run(["http://192.0.2.1/"], resolver: nil)
        #expect(run.result?.error == "connect: unreachable")
        #expect(run.exitCode == 2)
    }
}
