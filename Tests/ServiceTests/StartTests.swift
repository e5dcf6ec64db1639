import Glibc
import TestSupport
import Testing

@Suite(.inTurns, .needsMachine, .timeLimit(.minutes(10)))
struct `The service under systemd, when it starts,` {
    @Test func `is ready once it can be asked`() async throws {
        let machine = try await Machine.boot("targets: {}\n")
        // "start" returns when the service has said that it is ready.
        let outcome = try await machine.run(
            "systemctl start pagewatch && systemctl is-active pagewatch && pagewatch status")
        #expect(outcome.exitCode == 0, "\(outcome.errorText)")
        #expect(outcome.outputText.hasPrefix("active\npagewatch "))
        #expect(
            try await machine.property("StatusText")
                == "0 targets, 0 loading, 0 failing; no change yet")
        let started = try await machine.message("MESSAGE_ID=f23e7b656b9f45d28e29004ef5bf8098")
        #expect(started["_SYSTEMD_UNIT"] == "pagewatch.service")
        // What little is said is said once, and nothing is wrong.
        let messages = try await machine.journal("_SYSTEMD_UNIT=pagewatch.service")
        #expect(messages.map { $0["MESSAGE"] ?? "" }.count == 1, "\(messages)")
    }

    @Test func `has folders, a socket and a log for those who are to have them`() async throws {
        let machine = try await Machine.serving("targets: {}\n")
        func owner(_ path: String) async throws -> String {
            String(try await machine.command("stat -c '%A %U %G' \(path)").dropLast())
        }
        #expect(try await owner("/var/lib/pagewatch") == "drwxr-x--- pagewatch pagewatch")
        #expect(try await owner("/run/pagewatch/control.sock") == "srw-rw---- root pagewatch")
        #expect(try await owner("/var/log/pagewatch") == "drwxr-s--- pagewatch adm")
        #expect(
            try await owner("/var/log/pagewatch/events.jsonl") == "-rw-r----- pagewatch adm")
        let process = try await machine.property("MainPID")
        #expect(try await machine.command("stat -c %U /proc/\(process)") == "pagewatch\n")
        // Who is in the group may ask; others are told what to do.
        try await machine.command("useradd --groups pagewatch member && useradd stranger")
        let member = try await machine.run("runuser -u member -- pagewatch status")
        #expect(member.exitCode == 0, "\(member.errorText)")
        let stranger = try await machine.run("runuser -u stranger -- pagewatch status")
        #expect(stranger.exitCode == 3)
        #expect(stranger.errorText.contains("adduser USER pagewatch"), "\(stranger.errorText)")
    }

    @Test(arguments: ["pagewatch.socket pagewatch.service", "pagewatch.service pagewatch.socket"])
    func `may be started in any order with its socket`(units: String) async throws {
        let machine = try await Machine.boot()
        for unit in units.split(separator: " ") {
            try await machine.command("systemctl start \(unit)")
        }
        try await machine.command("pagewatch status")
        // Stopped with its socket it stays so.
        try await machine.command("systemctl stop pagewatch.socket pagewatch")
        let outcome = try await machine.run("pagewatch status")
        #expect(outcome.exitCode == 3)
        #expect(outcome.errorText.contains("systemctl start pagewatch"), "\(outcome.errorText)")
        #expect(try await machine.property("ActiveState") == "inactive")
        try await machine.command("systemctl start pagewatch && pagewatch status")
    }

    @Test func `comes with the first command that asks for it`() async throws {
        let machine = try await Machine.boot()
        try await machine.command("systemctl start pagewatch.socket")
        #expect(try await machine.property("ActiveState") == "inactive")
        try await machine.command("pagewatch status")
        #expect(try await machine.property("ActiveState") == "active")
    }

    @Test func `ends at a mistake in its configuration, without trying again`() async throws {
        let machine = try await Machine.boot("interval: 5x\n")
        let outcome = try await machine.run("systemctl start pagewatch")
        #expect(outcome.exitCode == 1)
        #expect(try await machine.property("Result") == "exit-code")
        #expect(try await machine.property("ExecMainStatus") == "78")
        #expect(try await machine.property("NRestarts") == "0")
        let message = try await machine.message("-p err -t pagewatch")
        #expect(
            message["MESSAGE"]?.hasPrefix("pagewatch daemon: /etc/pagewatch/pagewatch.yaml:1:1: ")
                == true, "\(message)")
        #expect(message["PRIORITY"] == "3")
        // A command finds the socket, and nobody behind it: it does not wait for ever.
        let asked = try await machine.run("pagewatch status")
        #expect(asked.exitCode == 3)
        #expect(asked.errorText.contains("systemctl status pagewatch"), "\(asked.errorText)")
        // Mended, it starts at once.
        try machine.configure("targets: {}\n")
        try await machine.command("pagewatch verify")
        try await machine.command("systemctl reset-failed pagewatch pagewatch.socket")
        try await machine.command("systemctl start pagewatch && pagewatch status")
    }
}
