@testable import Control
import CTestLinux
import Glibc
import Reactor
import TestSupport
import Testing

@Suite struct `Search for the service` {
    @Test(
        arguments: [
            ("/a", ["PAGEWATCH_SOCKET": "/b"], ["/a"]),
            (nil, ["PAGEWATCH_SOCKET": "/b", "XDG_RUNTIME_DIR": "/c"], ["/b"]),
            (
                nil, ["PAGEWATCH_SOCKET": "", "XDG_RUNTIME_DIR": "/c"],
                ["/run/pagewatch/control.sock", "/c/pagewatch/control.sock"]
            ),
            (nil, [:], ["/run/pagewatch/control.sock"]),
        ] as [(String?, [String: String], [String])])
    func `tries what was named, or else the usual places`(
        named: String?, variables: [String: String], paths: [String]
    ) {
        #expect(ServiceSearch.candidates(named: named) { variables[$0] } == paths)
    }

    @Test func `takes the first place that is served, or tells why none is`() throws {
        let folder = try TemporaryFolder()
        let (gone, file, served) = (
            folder.file("gone"), try folder.write("", to: "file"), folder.file("served")
        )
        let socket = try ListeningSocket(path: served)
        #expect(try ServiceSearch.served([gone, file, served]) == served)
        let error = #expect(throws: NoService.self) {
            try ServiceSearch.served([gone, file])
        }
        #expect(
            error?.description
                == "no service at \(gone) (no such file), \(file) (nobody listens): start it"
                + " (systemctl start pagewatch, or pagewatch daemon) or name its --socket")
        _ = consume socket
    }

    @Test func `tells who may not ask how to be let in`() {
        let path = "/run/pagewatch/control.sock"
        let error = NoService(attempts: [NoService.Attempt(path: path, code: EACCES)])
        #expect(
            error.description
                == "no service at \(path) (permission denied): join the group of its socket"
                + " (adduser USER pagewatch, then log in again), or run this as root")
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15)))
struct `Client of the service` {
    @Test func `sends a request and hands over the answer`() async throws {
        let service = try await Service.start()
        var text: [UInt8] = []
        let reply = try ServiceClient(path: service.path).send(
            "POST", "/echo/\(ServiceClient.escaped("a b/ä"))?x=1", headers: [("X-Test", "yes")],
            body: Array("body".utf8)
        ) {
            text += $0; return true
        }
        #expect(reply.status == 200 && !reply.wasStopped && reply.errorBody.isEmpty)
        #expect(String(decoding: text, as: UTF8.self) == "POST echo|a b/ä ?x=1 yes body\n")
        await service.stop()
    }

    @Test func `keeps an error apart from answers`() async throws {
        let service = try await Service.start()
        let reply = try ServiceClient(path: service.path).send("GET", "/forget") { _ in
            Issue.record("an error was handed over")
            return true
        }
        #expect(reply.status == 500)
        #expect(
            String(decoding: reply.errorBody, as: UTF8.self)
                .hasPrefix(#"{"error":{"code":"unanswered""#))
        await service.stop()
    }

    @Test func `stops an endless answer when it has enough`() async throws {
        let service = try await Service.start()
        var count = 0
        let reply = try ServiceClient(path: service.path).send("GET", "/flood") { bytes in
            count += bytes.count
            return count < 1_000_000
        }
        #expect(reply.wasStopped)
        await service.wait { $0.connections == 0 }
        await service.stop()
    }

    @Test func `says which service it can't reach`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: ServiceClient.Failure.self) {
            try ServiceClient(path: folder.file("gone")).send("GET", "/") { _ in true }
        }
        #expect(error?.description.hasPrefix("\(folder.file("gone")): ") == true)
    }
}
