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

private let stopping = String(decoding: Refusal.stopping.body, as: UTF8.self)
private let stopped = String(decoding: Refusal.stopped.body, as: UTF8.self)

/// Answers the requests that come to a socket, one each, until there is no answer more, or nobody comes.
///
/// - Returns: How many were answered.
private func answer(_ answers: [String], at path: String) throws -> Int {
    let socket = try ListeningSocket(path: path)
    var count = 0
    while count < answers.count {
        var wanted = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 2000) == 1 else { break }
        let client = FileDescriptor(owning: accept(socket.raw, nil, nil))
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.suffix(4) != Array("\r\n\r\n".utf8)[...] {
            let count = read(client.raw, &buffer, buffer.count)
            guard count > 0 else { break }
            head += buffer[..<count]
        }
        // A look whether somebody listens has no request.
        guard !head.isEmpty else { continue }
        let text = answers[count]
        count += 1
        // It goes without a word.
        guard !text.isEmpty else { continue }
        let status = text.hasPrefix("{") ? "503 Service Unavailable" : "200 OK"
        let bytes = Array(
            "HTTP/1.1 \(status)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
        _ = write(client.raw, bytes, bytes.count)
    }
    return count
}

@Suite(.inTurns, .timeLimit(.minutes(15)))
struct `Client of the service` {
    @Test(arguments: [
        ("POST", [stopping, "yes"], 200, "yes"), ("POST", [stopping], 503, stopping),
        ("GET", [stopping, stopping, "yes"], 503, stopping), ("GET", [stopped, "yes"], 200, "yes"),
        ("POST", [stopped], 503, stopped), ("GET", ["", "yes"], 200, "yes"),
    ])
    func `asks once more if the service ended and no harm can come of it`(
        method: String, answers: [String], status: Int, text: String
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("control.sock")
        async let answered = OwnThread.run { try answer(answers, at: path) }
        while (try? ServiceSearch.served([path])) == nil {
            try await Task.sleep(for: .milliseconds(5))
        }
        let reply = try await OwnThread.run {
            var body: [UInt8] = []
            let reply = try ServiceClient(path: path).send(method, "/v1/status") {
                body += $0
                return true
            }
            return (reply.status, String(decoding: body + reply.errorBody, as: UTF8.self))
        }
        #expect(reply == (status, text))
        #expect(try await answered == min(answers.count, 2))
    }

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
