import Control
import Glibc
import Reactor
import TestSupport
import Testing

@Suite(.inTurns) struct `A socket whose service can't run` {
    private let refusal = Refusal.cannotStart("can't start: /etc/a.yaml:1:1: \"x\"")

    @Test func `answers all who wait there, and waits for nobody who asks nothing`() async throws {
        let folder = try TemporaryFolder()
        let socket = try ListeningSocket(path: folder.file("control.sock"))
        let path = socket.place
        do { _ = try RawConnection(path: path) }
        let silent = try RawConnection(path: path)
        let asking = try (1...20).map { _ in try RawConnection(path: path) }
        for client in asking { client.get("/v1/status") }
        let begin = MonotonicClock.now()
        ClosedDoor.answer(refusal, at: socket)
        #expect(MonotonicClock.now() - begin < .seconds(2))
        let body =
            #"{"error":{"code":"cannotStart","message":"can't start: /etc/a.yaml:1:1: \"x\""}}"#
        for client in asking {
            let answer = try await client.receive()
            #expect(answer.text.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
            #expect(answer.text.contains("\r\nContent-Length: \(body.utf8.count + 1)\r\n"))
            #expect(answer.text.hasSuffix("\r\n\r\n" + body + "\n"))
        }
        #expect(try await silent.receive().text == "")
    }
}
