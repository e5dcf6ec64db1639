import Glibc
import Reactor
import TestSupport
import Testing

/// A machine of a test's own: a real systemd in namespaces, with the real program and the real
/// units, as after the package was installed. `Machine/machine.py` boots it.
///
/// What a command does in it reaches nothing outside; `Machine/site.py` is its world.
final class Machine: Sendable {
    /// The project's folder. FILE is PROJECT/Tests/ServiceTests/Machine.swift.
    static let project = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let parts = "\(project)/Tests/ServiceTests/Machine"
    /// Where Debian has them.
    static let units = "/usr/lib/systemd/system"

    /// The manuals that the units name.
    private static let manuals = ["pagewatch.1", "pagewatch.yaml.5", "pagewatch.service.8"]
    /// Whether they are made, and there is a program to look for them.
    static let hasManuals =
        access("/usr/bin/man", X_OK) == 0
        && manuals.allSatisfy { access("\(project)/man/\($0)", R_OK) == 0 }

    private let process: RunningProgram
    /// Of its first process, seen from outside.
    private let number: String

    /// Boots it, and starts nothing yet.
    static func boot(_ configuration: String = "targets: {}\n") async throws -> Machine {
        let machine = try await Machine()
        try await machine.command("/srv/prepare")
        try machine.configure(configuration)
        return machine
    }

    /// Boots it, and starts the service.
    static func serving(_ configuration: String) async throws -> Machine {
        let machine = try await boot(configuration)
        try await machine.command("systemctl start pagewatch")
        return machine
    }

    private init() async throws {
        let copies: [String] = [
            "\(Self.project)/systemd/pagewatch.service:\(Self.units)/pagewatch.service",
            "\(Self.project)/systemd/pagewatch.socket:\(Self.units)/pagewatch.socket",
            "\(Self.project)/systemd/pagewatch-stop.target:\(Self.units)/pagewatch-stop.target",
            "\(Self.project)/systemd/pagewatch-check@.service"
                + ":\(Self.units)/pagewatch-check@.service",
            "\(Self.project)/systemd/pagewatch-check@.timer:\(Self.units)/pagewatch-check@.timer",
            "\(Self.project)/systemd/sysusers.d:/usr/lib/sysusers.d",
            "\(Self.project)/systemd/tmpfiles.d:/usr/lib/tmpfiles.d",
            "\(Self.project)/systemd/pagewatch.catalog"
                + ":/usr/lib/systemd/catalog/pagewatch.catalog",
            "\(Self.project)/systemd/pagewatch.service.d:/srv/drop-ins",
            "\(Self.parts)/site.service:\(Self.units)/site.service",
            "\(Self.parts)/site.py:/srv/site.py", "\(Self.parts)/hold.py:/srv/hold.py",
            "\(Self.parts)/prepare:/srv/prepare",
        ]
        let manuals: [String] =
            Self.hasManuals
            ? Self.manuals.map { name in
                let section = name.suffix(1)
                return "\(Self.project)/man/\(name):/usr/share/man/man\(section)/\(name)"
            } : []
        let binds = ["\(BuiltProducts.path("pagewatch")):/usr/bin/pagewatch"]
        var arguments = ["\(Self.parts)/machine.py"]
        for copy in copies + manuals { arguments += ["--copy", copy] }
        for bind in binds { arguments += ["--bind", bind] }
        var program = Program("/usr/bin/python3", arguments)
        program.timeLimit = .seconds(600)
        process = try program.start()
        for await line in process.lines {
            number = line.text
            return
        }
        throw Failed("boot", await process.outcome())
    }

    deinit {
        // It ends in order, and leaves nothing.
        process.send(signal: SIGTERM)
    }

    // MARK: Commands

    /// Runs a line of a shell as root.
    func run(_ line: String, terminal: Program.Terminal? = nil) async throws -> Program.Outcome {
        var program = Program(
            "/usr/bin/nsenter", ["--target", number, "--all", "--", "/bin/sh", "-c", line])
        program.environment["SYSTEMD_PAGER"] = "cat"
        program.environment["SYSTEMD_COLORS"] = "0"
        program.terminal = terminal
        return try await program.run()
    }

    /// Runs a line of a shell that has to go well; answers its standard output.
    @discardableResult
    func command(_ line: String) async throws -> String {
        let outcome = try await run(line)
        guard outcome.exitCode == 0 else { throw Failed(line, outcome) }
        return outcome.outputText
    }

    /// What systemd says of a unit's property.
    func property(_ name: String, of unit: String = "pagewatch") async throws -> String {
        let text = try await command("systemctl show --property \(name) --value \(unit)")
        return String(text.prefix { !$0.isNewline })
    }

    /// Whether systemd has started the service again so many times, and it is ready.
    func hasRestarted(_ times: Int) async throws -> Bool {
        let (restarts, state) = (
            try await property("NRestarts"), try await property("ActiveState")
        )
        return restarts == "\(times)" && state == "active"
    }

    /// Since when its socket listens; another time if it was closed meanwhile.
    func socketAge() async throws -> String {
        try await property("InactiveExitTimestampMonotonic", of: "pagewatch.socket")
    }

    /// Looks again and again until something holds.
    func eventually(
        _ what: String, within limit: Duration = .seconds(30), _ holds: () async throws -> Bool
    ) async throws {
        let end = MonotonicClock.now() + limit
        while true {
            if (try? await holds()) == true { return }
            guard MonotonicClock.now() < end else {
                let journal = try await run("journalctl --no-pager --lines 60").outputText
                throw Unmet("\(what); the journal:\n\(journal)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    // MARK: Files

    /// The configuration of the service.
    func configure(_ text: String) throws { try write(text, to: "/etc/pagewatch/pagewatch.yaml") }

    /// The title that `/title/NAME` shows from now on.
    func show(_ title: String, on name: String) throws {
        try write(title, to: "/srv/site/\(name).new")
        // At once, so that no request sees half of it.
        rename(outside("/srv/site/\(name).new"), outside("/srv/site/\(name)"))
    }

    /// Settings for a unit beside its own.
    func change(
        _ settings: String, of unit: String = "pagewatch.service"
    ) async throws {
        try write(settings, to: "/etc/systemd/system/\(unit).d/test.conf")
        try await command("systemctl daemon-reload")
    }

    /// Writes a file, and makes the folders that it is in.
    func write(_ text: String, to path: String) throws {
        var folder = outside("")
        for name in path.split(separator: "/").dropLast() {
            folder += "/" + name
            mkdir(folder, 0o755)
        }
        try TextFile.write(text, to: outside(path))
    }

    /// The text of a file.
    func read(_ path: String) throws -> String { try TextFile.read(outside(path)) }

    private func outside(_ path: String) -> String { "/proc/\(number)/root\(path)" }

    // MARK: The journal

    /// The messages that match, oldest first, each with its fields.
    func journal(_ matches: String = "") async throws -> [[String: String]] {
        try await command("journalctl --sync")
        let query = "journalctl --quiet --no-pager --output export --all \(matches)"
        let outcome = try await run(query)
        // With -g it ends with 1 where nothing matches.
        guard outcome.errors.isEmpty else { throw Failed(query, outcome) }
        return outcome.outputText.split(separator: "\n\n").map { entry in
            var fields: [String: String] = [:]
            for line in entry.split(separator: "\n") {
                guard let equals = line.firstIndex(of: "=") else { continue }
                fields[String(line[..<equals])] = String(line[line.index(after: equals)...])
            }
            return fields
        }
    }

    /// Waits for a message that matches, and answers it.
    @discardableResult
    func message(_ matches: String) async throws -> [String: String] {
        var found: [[String: String]] = []
        try await eventually("a message with \(matches)") {
            found = try await journal(matches)
            return !found.isEmpty
        }
        return found[0]
    }
}

/// What did not come.
struct Unmet: Error, CustomStringConvertible {
    let description: String
    init(_ what: String) { description = "waited in vain for \(what)" }
}

/// A command that has not gone well.
struct Failed: Error, CustomStringConvertible {
    let description: String

    init(_ command: String, _ outcome: Program.Outcome) {
        description =
            "\(command): \(outcome.ending): \(outcome.outputText)\(outcome.errorText)"
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where no systemd can be booted.
    static var needsMachine: Self {
        .enabled(if: missing == nil, Comment(rawValue: "needs \(missing ?? "nothing")"))
    }

    /// Skips a test where there is no logrotate either.
    static var needsLogrotate: Self {
        .enabled(
            if: access("/usr/sbin/logrotate", X_OK) == 0,
            "needs logrotate, beside a systemd to boot")
    }

    /// What is missing for that.
    private static var missing: String? {
        if geteuid() != 0 { return "root, to boot a systemd" }
        if access("/lib/systemd/systemd", X_OK) != 0 { return "systemd, to boot it" }
        let mounts = (try? TextFile.read("/proc/self/mounts")) ?? ""
        let groups = mounts.split(separator: "\n").map { $0.split(separator: " ") }
            .first { $0.dropFirst(2).first == "cgroup2" }
        guard let groups, access(String(groups[1]), W_OK) == 0 else {
            return "a cgroup v2 hierarchy that can be written, to boot a systemd"
        }
        if !mayMount { return "the right to mount (CAP_SYS_ADMIN), to boot a systemd" }
        if Program.isSanitized { return "a program without sanitizers, which the sandbox bars" }
        return nil
    }

    /// The root of a container often may not.
    private static var mayMount: Bool {
        let status = (try? TextFile.read("/proc/self/status")) ?? ""
        let effective = status.split(separator: "\n").first { $0.hasPrefix("CapEff:\t") }
        let rights = effective.flatMap { UInt64($0.dropFirst("CapEff:\t".count), radix: 16) } ?? 0
        return rights & 1 << 21 != 0
    }
}
