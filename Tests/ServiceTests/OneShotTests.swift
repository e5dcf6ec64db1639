import TestSupport
import Testing

@Suite(.inTurns, .needsMachine, .timeLimit(.minutes(10))) struct `The check by a timer` {
    private func result(_ unit: String, _ machine: Machine) async throws -> String {
        try await machine.command(
            "systemctl show --property Result --property ExecMainStatus --value \(unit)"
        )
        .split(separator: "\n").joined(separator: " ")
    }

    @Test func `is a failure if a page fails, and none if a title has changed`() async throws {
        let machine = try await Machine.boot()
        try machine.write("http://www.site.test/title/a\n", to: "/etc/pagewatch/checks/press")
        try machine.write(
            "# two pages\nhttp://www.site.test/title/b\nhttp://www.site.test/broken\n",
            to: "/etc/pagewatch/checks/shops")
        try machine.show("A", on: "a")
        try machine.show("B", on: "b")
        // The first time there is nothing to compare with.
        try await machine.command("systemctl start pagewatch-check@press")
        try machine.show("Another", on: "a")
        try await machine.command("systemctl start pagewatch-check@press")
        #expect(
            try await machine.journal(#"-u pagewatch-check@press -g '"Another" .was "A".'"#).count
                == 1)
        // Only the unit takes that for a success.
        try await machine.change(
            "[Service]\nSuccessExitStatus=\n", of: "pagewatch-check@press.service")
        try machine.show("A third", on: "a")
        let changed = try await machine.run("systemctl start pagewatch-check@press")
        #expect(changed.exitCode == 1)
        #expect(try await result("pagewatch-check@press", machine) == "exit-code 1")
        // Each instance has pages and titles of its own.
        let shops = try await machine.run("systemctl start pagewatch-check@shops")
        #expect(shops.exitCode == 1)
        #expect(try await result("pagewatch-check@shops", machine) == "exit-code 2")
        let nothing = try await machine.run("systemctl start pagewatch-check@nothing")
        #expect(nothing.exitCode == 1)
        #expect(try await result("pagewatch-check@nothing", machine) == "exit-code 3")
        #expect(
            try await machine.command("ls /var/lib/pagewatch-check")
                == "press.titles\nshops.titles\n")
        // The journal has what was found, of one instance or of all.
        #expect(try await machine.journal("-u pagewatch-check@press -g Another").count >= 1)
        #expect(try await machine.journal("-u 'pagewatch-check@*' -g 'site.test'").count >= 3)
        // By what each matters: a first title, a change, a failure.
        func count(_ priority: Int, _ unit: String) async throws -> Int {
            try await machine.journal(
                "-u pagewatch-check@\(unit) -t pagewatch -p \(priority)..\(priority)"
            )
            .filter { $0["MESSAGE"]?.contains("site.test") == true }.count
        }
        #expect(try await count(6, "press") == 1)
        #expect(try await count(5, "press") == 2)
        #expect(try await count(4, "shops") == 1)
    }

    @Test func `runs when its timer is due, again and again`() async throws {
        let machine = try await Machine.boot()
        try machine.write("http://www.site.test/count/a\n", to: "/etc/pagewatch/checks/press")
        try await machine.change(
            "[Timer]\nOnCalendar=\nOnActiveSec=0\nOnUnitActiveSec=500ms\nRandomizedDelaySec=0\n"
                + "AccuracySec=10ms\n", of: "pagewatch-check@.timer")
        try await machine.command("systemctl enable --now pagewatch-check@press.timer")
        try await machine.eventually("three runs") {
            try await machine.journal("-u pagewatch-check@press -g 'www.site.test'").count >= 3
        }
        #expect(
            try await machine.property("ActiveState", of: "pagewatch-check@press.timer") == "active"
        )
        #expect(try await machine.property("Result", of: "pagewatch-check@press") == "success")
    }
}
