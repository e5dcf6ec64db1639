import Glibc
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .needsMachine, .timeLimit(.minutes(10)))
struct `The service under systemd, when it ends,` {
    private func states(_ machine: Machine) async throws -> String {
        try await machine.run("systemctl is-active pagewatch.service pagewatch.socket").outputText
    }

    @Test func `stays stopped, though somebody follows it and a shell completes names`()
        async throws
    {
        let machine = try await Machine.serving("targets: {}\n")
        try await machine.command("systemd-run --unit follower pagewatch tail --since -1h")
        try await machine.message("-u follower -g 'started: version'")
        try await machine.command("systemctl stop pagewatch")
        // It has come back, and found nobody.
        try await machine.message("-u follower -g 'the service has gone'")
        #expect(try await machine.run("pagewatch status --names").exitCode == 3)
        #expect(try await states(machine) == "inactive\ninactive\n")
        #expect(try await machine.journal("-u pagewatch -g 'started: version'").count == 1)
        try await machine.command("systemctl start pagewatch")
        #expect(try await states(machine) == "active\nactive\n")
        try await machine.eventually("the follower's next line") {
            try await machine.journal("-u follower -g 'started: version'").count == 2
        }
        try await machine.command("systemctl stop follower")
    }

    @Test(arguments: [
        "systemctl start pagewatch.socket && pagewatch status",
        "systemctl start pagewatch && systemctl kill --signal KILL pagewatch",
        "echo 'interval: 5x' >/etc/pagewatch/pagewatch.yaml; systemctl start pagewatch; true",
    ]) func `is stopped with its socket, however it came or ended before`(before: String)
        async throws
    {
        let machine = try await Machine.boot("targets: {}\n")
        try await machine.command(before)
        try await machine.command("systemctl stop pagewatch")
        try await machine.eventually("the end of both") {
            !(try await states(machine).split(separator: "\n").contains("active"))
        }
        #expect(try await machine.run("pagewatch status").exitCode == 3)
    }

    @Test(arguments: [
        "systemctl restart pagewatch", "systemctl restart --no-block pagewatch",
        "systemctl kill --signal KILL pagewatch", "systemctl kill --signal TERM pagewatch",
    ]) func `leaves its socket when it only starts anew, and who asks meanwhile is answered`(
        end: String
    ) async throws {
        let machine = try await Machine.serving("targets: {}\n")
        let (age, process) = (try await machine.socketAge(), try await machine.property("MainPID"))
        let asked = try await machine.run("\(end); pagewatch status && pagewatch status")
        #expect(asked.exitCode == 0, "\(asked.errorText)")
        try await machine.eventually("another process") {
            let now = try await machine.property("MainPID")
            return now != "0" && now != process
        }
        #expect(try await machine.socketAge() == age)
    }

    @Test func `is started anew however often it crashes`() async throws {
        let machine = try await Machine.boot("targets: {}\n")
        try await machine.change("[Service]\nRestartSec=100ms\n")
        try await machine.command("systemctl start pagewatch")
        for crash in 1...8 {
            try await machine.command("systemctl kill --signal KILL pagewatch")
            try await machine.eventually("start \(crash)") {
                try await machine.hasRestarted(crash)
            }
        }
        try await machine.command("pagewatch status")
    }

    @Test func `ends at once while it still looks through its history, which stays whole`()
        async throws
    {
        let machine = try await Machine.serving("targets: {}\n")
        try await machine.command("systemctl stop pagewatch")
        let before = try await machine.command(
            "pagewatch history --state /var/lib/pagewatch --json")
        try await slowDown(machine)
        try await machine.command("systemctl start --no-block pagewatch")
        try await machine.eventually("its start") {
            try await machine.property("StatusText") == "opening the history"
        }
        let begin = MonotonicClock.now()
        try await machine.command("systemctl stop pagewatch")
        #expect(MonotonicClock.now() - begin < .seconds(3))
        #expect(try await machine.property("Result") == "success")
        #expect(try await machine.property("ExecMainStatus") == "0")
        let after = try await machine.command("pagewatch history --state /var/lib/pagewatch --json")
        #expect(after == before)
        let files = try await machine.command("ls /var/lib/pagewatch")
        #expect(!files.contains("damaged"), "\(files)")
    }

    @Test func `has more time for its start than the unit says, for as long as that goes on`()
        async throws
    {
        let machine = try await Machine.serving("targets: {}\n")
        try await machine.command("systemctl stop pagewatch")
        try await machine.change("[Service]\nTimeoutStartSec=8\n")
        try await slowDown(machine)
        try await machine.command("systemctl start pagewatch")
        let times = try await machine.command(
            """
            systemctl show --property InactiveExitTimestampMonotonic --value pagewatch
            systemctl show --property ActiveEnterTimestampMonotonic --value pagewatch
            """
        ).split(separator: "\n").compactMap { Int64($0) }
        try #require(times.count == 2)
        #expect(times[1] - times[0] > 8_000_000, "a start that is no test of it: \(times)")
        #expect(try await machine.property("NRestarts") == "0")
    }

    /// Gives the history a table of which each row takes a while to check.
    private func slowDown(_ machine: Machine) async throws {
        try machine.write(
            """
            import sqlite3
            database = sqlite3.connect("/var/lib/pagewatch/history.db")
            database.execute("PRAGMA ignore_check_constraints = ON")
            database.execute(
                "CREATE TABLE slow (n INTEGER CHECK (length(hex(zeroblob(10000 + n % 2))) > 0))")
            database.executemany("INSERT INTO slow VALUES (?)", ((n,) for n in range(600000)))
            database.commit()

            """, to: "/srv/slow.py")
        try await machine.command("python3 /srv/slow.py")
    }
}
