import Testing

@testable import Fetching

private func head(_ lines: String...) -> ResponseHead {
    var head = ResponseHead()
    for line in lines {
        Array((line + "\r\n").utf8).withUnsafeBytes { head.read(line: $0) }
    }
    return head
}

@Suite struct `The head of an answer` {
    @Test func `is read whatever the case of its names, without white space around values`() {
        let head = head("CONTENT-type: \t text/html \t", "content-LENGTH:  12", "reFRESH: 5")
        #expect(head.contentType == "text/html")
        #expect(head.contentLength == 12)
        #expect(head.refresh == "5")
    }

    @Test func `has no length when the body is chunked, in whatever order they come`() {
        #expect(head("Content-Length: 5", "Transfer-Encoding: chunked").contentLength == nil)
        #expect(head("Transfer-Encoding: chunked", "Content-Length: 5").contentLength == nil)
    }

    @Test(arguments: ["-1", "5x", "", "99999999999999999999"])
    func `has no length that is no number`(value: String) {
        #expect(head("Content-Length: \(value)").contentLength == nil)
    }

    @Test func `keeps the first Location, byte for byte`() {
        #expect(head("Location: /ü", "Location: /b").location == Array("/ü".utf8))
    }

    @Test func `lists codings in the order in which they were applied`() {
        #expect(
            head("Content-Encoding: GZip , br", "Content-Encoding: identity,zstd")
                .contentEncodings == ["gzip", "br", "zstd"])
    }

    @Test func `is not confused by lines that are no headers`() {
        let head = head("nonsense", ":", "content-typ: x", "content-typeX: y", "content_type: z")
        #expect(head.contentType == nil)
    }

    @Test(arguments: [
        (301, true), (302, true), (303, true), (307, true), (308, true), (300, false),
        (304, false), (200, false),
    ])
    func `is a redirect by the statuses that browsers follow`(status: Int, isRedirect: Bool) {
        var head = ResponseHead()
        head.status = status
        #expect(head.isRedirect == isRedirect)
    }
}

/// A clock that has entered the phases at those seconds, and which of them it took.
private func clock(
    _ steps: [(TransferError.Phase, Int)]
) -> (clock: HopClock, taken: [Bool]) {
    var clock = HopClock(at: .zero)
    let taken = steps.map { clock.enter($0.0, at: .seconds($0.1)) }
    return (clock, taken)
}

@Suite struct `A hop's clock` {
    @Test func `adds up each phase and ignores steps back`() {
        var (clock, taken) = clock([
            (.resolve, 10), (.connect, 11), (.connect, 12), (.resolve, 12), (.tls, 13),
            (.firstByte, 16), (.body, 20),
        ])
        #expect(taken == [true, true, false, false, true, true, true])
        clock.stop(at: .seconds(30))
        let durations = clock.durations(at: .seconds(99))
        #expect(durations.resolve == .seconds(1))
        #expect(durations.connect == .seconds(2))
        #expect(durations.tls == .seconds(3))
        #expect(durations.firstByte == .seconds(4))
    }

    @Test func `counts a phase that has not ended, up to when the hop stopped`() {
        var clock = clock([(.connect, 1)]).clock
        #expect(clock.durations(at: .seconds(5)).connect == .seconds(4))
        clock.stop(at: .seconds(6))
        #expect(clock.durations(at: .seconds(9)).connect == .seconds(5))
    }
}
