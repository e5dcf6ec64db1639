import PageModel
import Testing

@testable import Events

/// An event as the 7th of a stream.
private func line(_ event: PageEvent) -> EventLine {
    EventLine(
        seq: 7, time: WallTime(milliseconds: 1_780_000_000_123), target: "https://example.com/",
        load: 2, event: event)
}

private let envelope =
    #"{"seq":7,"time":"2026-05-28T20:26:40.123Z","target":"https://example.com/","load":2,"#

@Suite struct `Event line` {
    @Test(
        arguments: [
            (.estimatedProgress(0.1), #""event":"estimatedProgress","estimatedProgress":0.1"#),
            (.url("https://example.com/a"), #""event":"url","url":"https://example.com/a""#),
            (.isLoading(true), #""event":"isLoading","isLoading":true"#),
            (.title("A"), #""event":"title","title":"A""#),
            (.title(""), #""event":"title","title":"""#),
            (.title(nil), #""event":"title","title":null"#),
            (.canGoBack(true), #""event":"canGoBack","canGoBack":true"#),
            (.canGoForward(false), #""event":"canGoForward","canGoForward":false"#),
            (.navigation(.started), #""event":"navigation","state":"started""#),
            (
                .navigation(.redirected(url: "https://b/", status: 301, reason: .http)),
                #""event":"navigation","state":"redirected","url":"https://b/","status":301,"#
                    + #""reason":"http""#
            ),
            (
                .navigation(.redirected(url: "https://b/", status: 200, reason: .refresh)),
                #""event":"navigation","state":"redirected","url":"https://b/","status":200,"#
                    + #""reason":"refresh""#
            ),
            (
                .navigation(
                    .committed(
                        Commit(
                            url: "https://b/", status: 200, contentType: "text/html",
                            encoding: "UTF-8", encodingSource: .default))),
                #""event":"navigation","state":"committed","url":"https://b/","status":200,"#
                    + #""contentType":"text/html","encoding":"UTF-8","encodingSource":"default""#
            ),
            (
                .navigation(
                    .committed(
                        Commit(
                            url: "https://b/", status: 200, contentType: nil, encoding: nil,
                            encodingSource: nil))),
                #""event":"navigation","state":"committed","url":"https://b/","status":200,"#
                    + #""contentType":null,"encoding":null,"encodingSource":null"#
            ),
            (
                .navigation(
                    .finished(
                        status: 200, bytes: 50_000,
                        timings: Timings(
                            resolve: 0.001, connect: 0.0000004, tls: 0, firstByte: 0.1 + 0.2,
                            total: 1.5))),
                #""event":"navigation","state":"finished","status":200,"bytes":50000,"#
                    + #""timings":{"resolve":0.001,"connect":0.0,"tls":0.0,"firstByte":0.3,"total":1.5}"#
            ),
            (
                .navigation(
                    .failed(
                        committed: false,
                        error: LoadError(
                            phase: .firstByte, code: "connectionClosed", message: "no \"answer\""))),
                #""event":"navigation","state":"failed","committed":false,"error":"#
                    + #"{"phase":"firstByte","code":"connectionClosed","message":"no \"answer\""}"#
            ),
        ] as [(PageEvent, String)])
    func `has the envelope's keys, then those of its event, in their order`(
        event: PageEvent, members: String
    ) {
        var json = JSONWriter()
        line(event).appendJSON(to: &json)
        #expect(String(decoding: json.bytes, as: UTF8.self) == envelope + members + "}\n")
    }

    @Test func `is one line, whatever the title holds`() {
        var json = JSONWriter()
        line(.title("a\nb\r\u{2028}c\u{85}")).appendJSON(to: &json)
        #expect(json.bytes.filter { $0 == 10 || $0 == 13 }.count == 1)
        #expect(json.bytes.last == 10)
    }

    @Test(
        arguments: [
            (.estimatedProgress(0.224444), "progress: 22.4 %"),
            (.url(""), "url: (none)"),
            (.isLoading(false), "loading: no"),
            (.title(nil), "title: (none)"),
            (.title("say \"hi\""), #"title: "say \"hi\"""#),
            (
                .title("evil\u{1B}[2J\nhttps://x/: title: \"forged\""),
                #"title: "evil\u001B[2J\u000Ahttps://x/: title: \"forged\"""#
            ),
            (.canGoBack(true), "can go back: yes"),
            (.navigation(.started), "started"),
            (
                .navigation(.redirected(url: "https://b/", status: 302, reason: .http)),
                "redirected: 302 -> https://b/"
            ),
            (
                .navigation(.redirected(url: "https://b/", status: 200, reason: .refresh)),
                "redirected: 200 refresh -> https://b/"
            ),
            (
                .navigation(
                    .committed(
                        Commit(
                            url: "https://b/", status: 200, contentType: "text/html", encoding: nil,
                            encodingSource: nil))),
                "committed: 200 text/html https://b/"
            ),
            (
                .navigation(.finished(status: 200, bytes: 48_800, timings: Timings(total: 0.123))),
                "finished: 200, 48.8 kB in 0.12 s"
            ),
            (
                .navigation(
                    .failed(
                        committed: true,
                        error: LoadError(
                            phase: .body, code: "bodyCutShort", message: "5 of 9 bytes"))),
                "failed: body: bodyCutShort: 5 of 9 bytes"
            ),
        ] as [(PageEvent, String)])
    func `reads as target, kind and text for people`(event: PageEvent, text: String) {
        #expect(line(event).text == "https://example.com/: " + text)
    }
}
