import PageModel
import Testing

@testable import Events

private let finished = LoadResult(
    initialURL: "http://example.com/", url: "https://example.com/", title: "Example",
    outcome: .finished, status: 200, contentType: "text/html", encoding: "UTF-8",
    encodingSource: .meta,
    redirects: [.init(url: "http://example.com/", status: 301)], bytes: 48_800,
    timings: Timings(resolve: 0.01, connect: 0.02, tls: 0.03, firstByte: 0.04, total: 0.123))

private let refused = LoadResult(
    initialURL: "https://localhost:1/", url: "https://localhost:1/", outcome: .failed,
    timings: Timings(total: 0.0312),
    error: LoadError(phase: .connect, code: "refused", message: "Connection refused"))

private func json(
    _ result: LoadResult, _ findings: [Finding] = [], expectsTitle: Bool = false
) -> String {
    var json = JSONWriter()
    result.appendJSON(to: &json, findings: findings, expectsTitle: expectsTitle)
    return String(decoding: json.bytes, as: UTF8.self)
}

@Suite struct `Result object` {
    @Test func `has every key in its order, and no error when it finished`() {
        #expect(
            json(finished)
                == #"{"initialURL":"http://example.com/","url":"https://example.com/","#
                + #""title":"Example","outcome":"finished","status":200,"#
                + #""contentType":"text/html","encoding":"UTF-8","encodingSource":"meta","#
                + #""redirects":[{"url":"http://example.com/","status":301}],"bytes":48800,"#
                + #""timings":{"resolve":0.01,"connect":0.02,"tls":0.03,"firstByte":0.04,"#
                + #""total":0.123}}"# + "\n")
    }

    @Test func `tells null for what a failed load does not know`() {
        let result = LoadResult(
            initialURL: "x", outcome: .failed,
            error: LoadError(phase: .request, code: "malformedURL", message: "no scheme"))
        #expect(
            json(result)
                == #"{"initialURL":"x","url":null,"title":null,"outcome":"failed","status":null,"#
                + #""contentType":null,"encoding":null,"encodingSource":null,"redirects":[],"#
                + #""bytes":null,"timings":null,"error":{"phase":"request","#
                + #""code":"malformedURL","message":"no scheme"}}"# + "\n")
    }

    @Test func `tells at its end what a run found out about the title`() {
        let none = Finding.titleChanged(from: nil)
        let differs = Finding.titleNotExpected(pattern: "x")
        #expect(json(finished, [none]).hasSuffix(#"},"previousTitle":null}"# + "\n"))
        #expect(
            json(finished, [.titleChanged(from: "A"), differs], expectsTitle: true)
                .hasSuffix(#"},"previousTitle":"A","titleMatches":false}"# + "\n"))
        #expect(json(finished, expectsTitle: true).hasSuffix(#"},"titleMatches":true}"# + "\n"))
        #expect(
            json(finished, [.patternTooSlow(pattern: "x")], expectsTitle: true)
                .hasSuffix(#"},"titleMatches":null}"# + "\n"))
        #expect(json(refused, expectsTitle: true).hasSuffix(#""},"titleMatches":null}"# + "\n"))
    }

    @Test func `tells a refresh that was not followed between redirects and bytes`() {
        var result = finished
        result.refresh = .init(delay: 5, url: "https://example.com/next")
        #expect(
            json(result).contains(
                #"}],"refresh":{"delay":5,"url":"https://example.com/next"},"bytes":48800"#))
    }
}

@Suite struct `Result line` {
    @Test func `shows status, time, bytes, title and URL in columns`() {
        var result = finished
        result.initialURL = "https://example.com/"
        #expect(
            ResultLine(result).text
                == #"200      0.12 s   48.8 kB  "Example"  https://example.com/"#)
    }

    @Test func `shows where a redirect led as its last word`() {
        #expect(ResultLine(finished).text.hasSuffix("http://example.com/ -> https://example.com/"))
    }

    @Test func `shows what failed and why`() {
        #expect(
            ResultLine(refused).text
                == "failed   0.03 s  connect: refused: Connection refused  https://localhost:1/")
    }

    @Test func `says behind the title what is not right about it`() {
        let line = ResultLine(
            finished, findings: [.titleChanged(from: nil), .titleNotExpected(pattern: "^S\"")])
        #expect(line.text.contains(#""Example" (was (none)) (does not match "^S\"")  http:"#))
    }

    @Test func `shows a refresh that was not followed`() {
        var result = finished
        result.refresh = .init(delay: 5, url: "https://example.com/next")
        #expect(
            ResultLine(result).text.contains(
                #""Example" (refreshes after 5 s to https://example.com/next)  http:"#))
    }

    @Test func `cannot be forged by a title, a message or a URL`() {
        var result = finished
        result.title = "x\"\n200  0.01 s\u{9B}2J\u{202E}"
        result.url = "https://e/\u{1B}]0;"
        let text = ResultLine(result).text
        #expect(text.contains(#""x\"\u000A200  0.01 s\u009B2J\u202E""#))
        #expect(text.hasSuffix(#"https://e/\u001B]0;"#))
        result = refused
        result.error?.message = "a\rb"
        #expect(ResultLine(result).text.contains(#"refused: a\u000Db"#))
    }

    @Test func `counts a status of 400 or more as a failure, though the page is shown`() {
        var result = finished
        #expect(!result.isFailure)
        result.status = 404
        #expect(result.isFailure)
        #expect(ResultLine(result).text.hasPrefix("404  "))
        #expect(refused.isFailure)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (48_849, "48.8 kB"), (999_949, "999.9 kB"),
        (999_950, "1.0 MB"), (1_234_567_890, "1.2 GB"), (Int64.max, "9.2 EB"),
    ])
    func `tells sizes in units of a thousand`(bytes: Int64, text: String) {
        #expect(Figures.size(bytes) == text)
    }

    @Test(arguments: [
        (0.0, "0.00 s"), (0.005, "0.01 s"), (0.999, "1.00 s"), (12.3, "12.30 s"),
        (.nan, "0.00 s"), (-1, "0.00 s"), (.infinity, "0.00 s"),
    ])
    func `tells times in hundredths`(seconds: Double, text: String) {
        #expect(Figures.seconds(seconds) == text)
    }
}

@Suite struct `Title cut` {
    @Test func `leaves a title alone that fits`() {
        #expect(cut("abc", utf16Limit: 3) == "abc")
        #expect(cut("ééé", utf16Limit: 3) == "ééé")
        #expect(cut("", utf16Limit: 1) == "")
    }

    @Test func `counts UTF-16 units and never parts a surrogate pair`() {
        #expect(cut("a😀b", utf16Limit: 1) == "a")
        #expect(cut("a😀b", utf16Limit: 2) == "a")
        #expect(cut("a😀b", utf16Limit: 3) == "a😀")
    }

    @Test func `may part an accent from its letter, as WebKit does`() {
        #expect(cut("e\u{301}", utf16Limit: 1).unicodeScalars.map(\.value) == [0x65])
    }

    @Test func `keeps all when the limit is 0`() {
        let title = String(repeating: "long ", count: 1000)
        #expect(cut(title, utf16Limit: 0) == title)
    }
}
