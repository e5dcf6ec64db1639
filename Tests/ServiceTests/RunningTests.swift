import Glibc
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .needsMachine, .timeLimit(.minutes(10)))
struct `The service under systemd, while it runs,` {
    private static let settings = "defaults: {interval: 1s, confirm: 1, failures: 1}\ntargets:\n"
    private static let news = "  news: {url: \"http://www.site.test/title/news\"}\n"

    private static let rotation = """
        /var/log/pagewatch/*.jsonl {
            rotate 8
            missingok
            nocreate
            su pagewatch adm
            postrotate
                systemctl kill --kill-whom=main --signal=USR1 pagewatch.service
            endscript
        }

        """

    @Test func `tells in a line how it is`() async throws {
        let machine = try await Machine.boot(
            Self.settings + Self.news + """
                  shop: {url: "http://www.site.test/broken"}
                  slow: {url: "http://www.site.test/silent", timeout: 1h}

                """)
        try machine.show("One", on: "news")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("PAGEWATCH_EVENT=firstSeen")
        try machine.show("Two", on: "news")
        let line = #"3 targets, 1 loading, 1 failing; last change [-0-9:T]+\+00:00 \(news\)"#
        try await machine.eventually("the status") {
            try await machine.run(
                "systemctl show --property StatusText --value pagewatch | grep -Ex '\(line)'"
            ).exitCode == 0
        }
        #expect(
            try await machine.run("systemctl status pagewatch").outputText.contains("3 targets"))
        // The last change is known after a new start, too.
        try await machine.command("systemctl restart pagewatch")
        try await machine.eventually("the status after a new start") {
            try await machine.property("StatusText").hasSuffix("(news)")
        }
    }

    @Test func `takes another configuration in when it is reloaded`() async throws {
        let machine = try await Machine.serving(Self.settings + Self.news)
        try machine.configure(
            Self.settings + Self.news + "  more: {url: \"http://www.site.test/title/news\"}\n")
        let outcome = try await machine.run("systemctl reload pagewatch && pagewatch status more")
        #expect(outcome.exitCode == 0 || outcome.exitCode == 2, "\(outcome.errorText)")
        #expect(outcome.outputText.contains("more"))
        #expect(try await machine.property("StatusText").hasPrefix("2 targets,"))
        #expect(try await machine.property("ActiveState") == "active")
        let told = try await machine.message("MESSAGE_ID=9fb3ce6e3c2348e08a46108223de2755")
        #expect(told["MESSAGE"] == "(service): reconfigured: added more")
    }

    @Test func `goes on as before when it is reloaded with a mistake, and says what is wrong`()
        async throws
    {
        let machine = try await Machine.serving(Self.settings + Self.news)
        let process = try await machine.property("MainPID")
        let mistake = "/etc/pagewatch/pagewatch.yaml:1:1: \"intervall\" is not a key of the"
        try machine.configure("intervall: 1s\n")
        let reload = try await machine.run("systemctl reload pagewatch", terminal: .init())
        #expect(reload.exitCode == 1, "\(reload.terminalText)")
        #expect(reload.terminalText.contains("systemctl status pagewatch.service"))
        let status = try await machine.run("systemctl status pagewatch")
        #expect(status.exitCode == 0)
        // The first thing that it says, and among the last in the journal.
        #expect(
            status.outputText.contains("Status: \"not in force: \(mistake)"), "\(status.outputText)"
        )
        try await machine.eventually("the mistake in the journal") {
            try await machine.command("journalctl --no-pager -eu pagewatch -n 3").contains(mistake)
        }
        // Asked by hand, it answers with the mistake.
        let byHand = try await machine.run("pagewatch reconfigure", terminal: .init())
        #expect(byHand.exitCode == 3)
        #expect(byHand.terminalText.hasPrefix(mistake), "\(byHand.terminalText)")
        #expect(try await machine.property("MainPID") == process)
        #expect(try await machine.property("ActiveState") == "active")
        var refused: [[String: String]] = []
        try await machine.eventually("two messages") {
            refused = try await machine.journal("MESSAGE_ID=5e6d8a2b0c5b427b844675bfbc1187bd")
            return refused.count >= 2
        }
        #expect(refused.allSatisfy { $0["PRIORITY"] == "3" })
        // Once for each reload, not also by the command that systemd ran for it.
        #expect(try await machine.journal("-u pagewatch -g 'is not a key'").count == 2)
        try machine.configure(Self.settings + Self.news)
        try await machine.command("systemctl reload pagewatch")
        #expect(!(try await machine.property("StatusText").contains("not in force")))
    }

    @Test func `is killed and started anew when its loop hangs, and has lost nothing`()
        async throws
    {
        let machine = try await Machine.boot(Self.settings + Self.news)
        try await machine.change("[Service]\nWatchdogSec=4\nTimeoutAbortSec=1\n")
        try machine.show("One", on: "news")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("PAGEWATCH_EVENT=firstSeen")
        try machine.show("Two", on: "news")
        try await machine.message("PAGEWATCH_EVENT=titleChanged")
        // It lives on for as long as its loop does.
        try await Task.sleep(for: .seconds(6))
        #expect(try await machine.property("NRestarts") == "0")
        let before = try await machine.command("pagewatch history news --json")
        let socketAge = try await machine.socketAge()
        let process = try await machine.property("MainPID")
        // The other threads run on: the sign of life must be the loop's own.
        _ = try await machine.run("python3 /srv/hold.py \(process)")
        try await machine.eventually("a new start") {
            try await machine.hasRestarted(1)
        }
        #expect(try await machine.journal("-u pagewatch -g 'Watchdog timeout'").count == 1)
        #expect(try await machine.socketAge() == socketAge)
        let after = try await machine.command("pagewatch history news --json")
        #expect(after.hasPrefix(before))
        try machine.show("Three", on: "news")
        try await machine.message("PAGEWATCH_TITLE=Three")
    }

    @Test func `has a whole history after it was killed in the middle of writing`() async throws {
        let targets = (0..<20).map { "  n\($0): {url: \"http://www.site.test/count/n\($0)\"}\n" }
        let machine = try await Machine.boot(Self.settings + targets.joined())
        try await machine.change("[Service]\nRestartSec=100ms\n")
        try await machine.command("systemctl start pagewatch")
        var before = ""
        for round in 1...4 {
            try await machine.eventually("changes in round \(round)") {
                try await machine.journal("PAGEWATCH_EVENT=titleChanged").count >= round * 30
            }
            // What the journal had told before is in the history.
            before = try await machine.command("pagewatch history n1 --json")
            try await machine.command("systemctl kill --signal KILL --kill-who main pagewatch")
            try await machine.eventually("start \(round)") {
                try await machine.hasRestarted(round)
            }
            let after = try await machine.command("pagewatch history n1 --json")
            #expect(after.hasPrefix(before))
        }
        let lost = try await machine.command(
            """
            journalctl --sync
            journalctl -o cat --output-fields=PAGEWATCH_SEQ PAGEWATCH_EVENT=titleChanged | sort -n >/tmp/told
            for n in $(seq 0 19); do pagewatch history n$n --json; done |
                grep -F '"titleChanged"' | sed 's/^{"seq":\\([0-9]*\\).*/\\1/' | sort -n >/tmp/kept
            comm -23 /tmp/told /tmp/kept | wc -l
            """)
        #expect(lost == "0\n")
        try await machine.command("systemctl stop pagewatch")
        let check = """
            python3 -c 'import sqlite3; print(sqlite3.connect("/var/lib/pagewatch/history.db")
                .execute("PRAGMA integrity_check").fetchall())'
            """
        #expect(try await machine.command(check) == "[('ok',)]\n")
    }

    @Test func `ends within two seconds, though a page does not come`() async throws {
        let machine = try await Machine.boot(
            Self.settings + Self.news
                + "  slow: {url: \"http://www.site.test/silent\", timeout: 1h}\n")
        try machine.show("One", on: "news")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("PAGEWATCH_EVENT=firstSeen")
        // A reader that follows is no reason to wait either.
        try await machine.command("systemd-run --unit follower pagewatch tail")
        try await machine.command("systemctl stop pagewatch")
        // By the journal's clock: commands of a busy machine take their own time.
        let stopping = try await machine.message("-u pagewatch -g '^Stopping'")
        let stopped = try await machine.message("-u pagewatch -g '^Stopped'")
        let times = [stopping, stopped].compactMap {
            $0["__MONOTONIC_TIMESTAMP"].flatMap { Int64($0) }
        }
        try #require(times.count == 2)
        #expect(times[1] - times[0] < 2_000_000, "\(times)")
        #expect(try await machine.property("Result") == "success")
        #expect(try await machine.property("ExecMainStatus") == "0")
        try await machine.message("MESSAGE_ID=4af82565f770494183e2029559c1b8d6")
        let last = try await machine.command("pagewatch history --state /var/lib/pagewatch --json")
        #expect(last.split(separator: "\n").last?.contains(#""state":"stopping""#) == true)
        try await machine.command("systemctl stop follower")
    }

    @Test func `answers what it is asked while it is started anew`() async throws {
        let machine = try await Machine.serving(Self.settings + Self.news)
        for _ in 1...3 {
            let process = try await machine.property("MainPID")
            let outcome = try await machine.run(
                """
                systemctl restart --no-block pagewatch
                for n in $(seq 20); do pagewatch status >/dev/null || exit 1; done
                """)
            #expect(outcome.exitCode == 0, "\(outcome.errorText)")
            try await machine.eventually("another process") {
                try await machine.property("MainPID") != process
            }
        }
    }

    @Test(.needsLogrotate) func `opens its log anew when that was rotated`() async throws {
        let machine = try await Machine.boot(Self.settings + Self.news)
        try machine.show("One", on: "news")
        // The package's own, where that is made.
        let settings = try? TextFile.read(
            "\(Machine.project)/packaging/debian/pagewatch.logrotate")
        try machine.write(settings ?? Self.rotation, to: "/etc/logrotate.d/pagewatch")
        try await machine.command("systemctl start pagewatch")
        let log = "/var/log/pagewatch/events.jsonl"
        try await machine.eventually("the first event") {
            try machine.read(log).contains("firstSeen")
        }
        try await machine.command("logrotate --force /etc/logrotate.d/pagewatch")
        try machine.show("Two", on: "news")
        try await machine.eventually("the change") {
            try machine.read(log).contains("titleChanged")
        }
        #expect(!(try machine.read(log).contains("firstSeen")))
        #expect(try machine.read(log + ".1").contains("firstSeen"))
        #expect(
            try await machine.command("stat -c '%A %U %G' \(log)")
                == "-rw-r----- pagewatch adm\n")
        #expect(try await machine.property("NRestarts") == "0")
    }

    @Test func `reads secrets that only root may read, and stays in networks that are allowed`()
        async throws
    {
        let machine = try await Machine.boot(
            Self.settings + """
                  news:
                    url: "http://www.site.test/title/news"
                    headers: {Authorization: {credential: token}}
                  barred: {url: "http://198.51.100.8/", connect_timeout: 1s}

                """)
        try machine.show("One", on: "news")
        try machine.write("Bearer secret\n", to: "/etc/pagewatch-token")
        try await machine.change(
            """
            [Service]
            LoadCredential=token:/etc/pagewatch-token
            IPAddressDeny=any
            IPAddressAllow=localhost 198.51.100.7/32

            """)
        try await machine.command("systemctl start pagewatch")
        try await machine.message("PAGEWATCH_EVENT=firstSeen PAGEWATCH_TARGET=news")
        let barred = try await machine.message("PAGEWATCH_EVENT=failing")
        #expect(barred["PAGEWATCH_TARGET"] == "barred")
    }
}
