import Events
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
        try await machine.command("systemctl stop pagewatch")
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
        let words = "the service can't start: /etc/pagewatch/pagewatch.yaml:1:1: "
        let message = try await machine.message(
            "_SYSTEMD_UNIT=pagewatch.service MESSAGE_ID=\(JournalKind.startFailed.id)")
        #expect(message["MESSAGE"]?.hasPrefix("(service): " + words) == true, "\(message)")
        #expect(message["PRIORITY"] == "3")
        // It is what is left of it.
        #expect(try await machine.property("StatusText").hasPrefix(words))
        // A command gets the mistake, as often as somebody asks, and nothing gives up.
        let socketAge = try await machine.socketAge()
        for _ in 1...25 {
            let asked = try await machine.run("pagewatch status")
            #expect(asked.exitCode == 3)
            #expect(
                asked.errorText.hasPrefix(
                    "pagewatch status: the service can't start: /etc/pagewatch/pagewatch.yaml:1:1: "
                ), "\(asked.errorText)")
        }
        #expect(try await machine.property("ActiveState", of: "pagewatch.socket") == "active")
        #expect(try await machine.socketAge() == socketAge)
        #expect(try await machine.property("NRestarts") == "0")
        // Mended, it starts at once, with the next command as well.
        try await machine.eventually("the end of the last try") {
            try await machine.property("ActiveState") == "failed"
        }
        try machine.configure("targets: {}\n")
        try await machine.command("pagewatch verify && pagewatch status")
        #expect(try await machine.property("ActiveState") == "active")
        try await machine.command("systemctl start pagewatch && systemctl stop pagewatch")
    }

    @Test func `is started by what finds it mended, though a command was just answered`()
        async throws
    {
        let machine = try await Machine.boot("interval: 5x\n")
        try await machine.command("systemctl start pagewatch.socket")
        for _ in 1...5 {
            let outcome = try await machine.run(
                """
                echo 'interval: 5x' >/etc/pagewatch/pagewatch.yaml
                pagewatch status; test $? = 3 || exit 9
                echo 'targets: {}' >/etc/pagewatch/pagewatch.yaml
                systemctl start pagewatch && pagewatch status && systemctl stop pagewatch \
                    && systemctl start pagewatch.socket
                """)
            #expect(outcome.exitCode == 0, "\(outcome.errorText)")
        }
    }

    @Test func `is tried once with an option that there is not, and answers with that`()
        async throws
    {
        let machine = try await Machine.boot()
        try await machine.change(
            "[Service]\nExecStart=\nExecStart=/usr/bin/pagewatch daemon --sockt x\n")
        #expect(try await machine.run("systemctl start pagewatch").exitCode == 1)
        let asked = try await machine.run("pagewatch status")
        #expect(asked.exitCode == 3)
        #expect(
            asked.errorText.contains("the service can't start: ")
                && asked.errorText.contains("--sockt"), "\(asked.errorText)")
        #expect(try await machine.property("NRestarts") == "0")
        #expect(try await machine.property("ActiveState", of: "pagewatch.socket") == "active")
    }

    @Test func `starts and is reloaded with a mistake of one character that fills pages`()
        async throws
    {
        let machine = try await Machine.boot()
        let interval = "9" + String(repeating: "\u{301}", count: 2100) + "x"
        try machine.write(
            "targets:\n  a: {url: \"http://x/\", interval: \"\(interval)\"}\n",
            to: "/etc/pagewatch/targets.d/b.yaml")
        try await machine.command("systemctl start pagewatch")
        let reload = try await machine.run("timeout 20 systemctl reload pagewatch")
        #expect(reload.exitCode == 1)
        #expect(try await machine.property("ActiveState") == "active")
        let status = try await machine.property("StatusText")
        #expect(status.hasPrefix("not in force: /etc/pagewatch/targets.d/b.yaml:"), "\(status)")
        // Of the start as of the reload, in the journal and in the history.
        try await machine.eventually("two messages") {
            try await machine.journal("MESSAGE_ID=\(JournalKind.refused.id)").count == 2
        }
        let history = try await machine.command(
            "pagewatch history --state /var/lib/pagewatch --json")
        #expect(history.ranges(of: #""state":"refused""#).count == 2, "\(history)")
    }

    @Test func `may be started and stopped again and again`() async throws {
        let machine = try await Machine.boot()
        // As installed: what nothing refers to is forgotten after each end, with how often it started.
        try await machine.command("systemctl enable pagewatch")
        for _ in 1...7 {
            try await machine.command("systemctl start pagewatch && systemctl stop pagewatch")
        }
    }

    @Test func `is asked at the socket of systemd, whatever else it was told`() async throws {
        let machine = try await Machine.boot()
        try machine.write("PAGEWATCH_SOCKET=/run/other.sock\n", to: "/etc/default/pagewatch")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("-p warning -u pagewatch -g 'names /run/other.sock'")
        try await machine.command("systemctl reload pagewatch && pagewatch status")
    }

    @Test func `tells a follower of a mistake that it waits, and is back for it once it is mended`()
        async throws
    {
        let machine = try await Machine.serving("targets: {}\n")
        try await machine.command("systemd-run --unit follower pagewatch tail --since -1h")
        try await machine.message("-u follower -g 'started: version'")
        try machine.configure("interval: 5x\n")
        _ = try await machine.run("systemctl restart pagewatch")
        try await machine.message("-u follower -g 'the service has gone'")
        #expect(try await machine.property("ActiveState", of: "pagewatch.socket") == "active")
        // Each time that it asks starts the service: that is seldom.
        #expect(try await machine.journal("-p err -t pagewatch").count < 5)
        try machine.configure("targets: {}\n")
        try await machine.command("systemctl start pagewatch")
        try await machine.eventually("the follower's next line") {
            try await machine.journal("-u follower -g 'started: version'").count == 2
        }
        try await machine.command("systemctl stop follower")
    }

    @Test func `is not ready before it has its history`() async throws {
        let machine = try await Machine.serving("targets: {}\n")
        try await machine.command("systemctl stop pagewatch")
        try machine.write(
            """
            import os, sqlite3, time
            database = sqlite3.connect("/var/lib/pagewatch/history.db", isolation_level=None)
            database.execute("BEGIN EXCLUSIVE")
            print("held", flush=True)
            while not os.path.exists("/srv/release"):
                time.sleep(0.01)

            """, to: "/srv/lock.py")
        try await machine.command("systemd-run --unit lock python3 /srv/lock.py")
        try await machine.message("-u lock MESSAGE=held")
        try await machine.command("systemctl start --no-block pagewatch")
        try await machine.eventually("its start") {
            try await machine.property("StatusText") == "opening the history"
        }
        #expect(try await machine.property("ActiveState") == "activating")
        #expect(try await machine.run("systemctl is-active pagewatch").outputText == "activating\n")
        // Who asks meanwhile waits.
        try await machine.command("systemd-run --unit asked pagewatch status")
        try machine.write("", to: "/srv/release")
        try await machine.eventually("the end of its start") {
            try await machine.property("ActiveState") == "active"
        }
        try await machine.message("-u asked -g '0 targets'")
    }

    @Test func `tries again for as long as the disk is full, and comes by itself`() async throws {
        let machine = try await Machine.boot("targets: {}\n")
        try await machine.command(
            """
            mkdir -p /var/lib/pagewatch
            mount -t tmpfs -o size=256k full /var/lib/pagewatch
            ! dd if=/dev/zero of=/var/lib/pagewatch/ballast bs=4k 2>/dev/null
            """)
        _ = try await machine.run("systemctl start pagewatch")
        // Who asks is told, and does not wait in vain.
        let asked = try await machine.run("pagewatch status")
        #expect(asked.exitCode == 3)
        #expect(
            asked.errorText.hasPrefix("pagewatch status: the service can't start now: ")
                && asked.errorText.contains("(it is tried again)"), "\(asked.errorText)")
        try await machine.eventually("another try") {
            try await machine.property("NRestarts") != "0"
        }
        try await machine.message("-u pagewatch -g 'exited.*status=75'")
        let told = try await machine.message("-p err -t pagewatch")
        #expect(
            told["MESSAGE"]?.contains("can't start now: can't use /var/lib/pagewatch/history.db: ")
                == true,
            "\(told)")
        try await machine.command(
            "rm /var/lib/pagewatch/ballast && mount -o remount,size=64m /var/lib/pagewatch")
        try await machine.eventually("its start") {
            try await machine.property("ActiveState") == "active"
        }
        try await machine.command("pagewatch status")
    }
}
