import CLinux
import Events
import Glibc
import Testing

@testable import pagewatch

/// A frame without colours unless asked for.
private func frame(
    _ pages: [(String, Double)], columns: Int = 40, rows: Int = 24, color: Bool = false,
    unicode: Bool = true
) -> ProgressFrame {
    ProgressFrame(
        pages: pages.map { ProgressFrame.Page(url: $0.0, progress: $0.1) }, columns: columns,
        rows: rows, style: ProgressFrame.Style(hasColor: color, hasUnicode: unicode))
}

@Suite struct `Progress bars` {
    init() { setlocale(LC_CTYPE, "C.UTF-8") }

    @Test func `fill from left to right`() {
        #expect(
            frame([("https://a/", 0), ("https://b/", 0.5), ("https://c/", 1)]).lines == [
                "a/                ───────────────   0 %",
                "b/                ━━━━━━━────────  50 %",
                "c/                ━━━━━━━━━━━━━━━ 100 %",
            ])
    }

    @Test func `show no more than is done`() {
        #expect(frame([("https://a/", 0.999)]).lines[0].hasSuffix("━━─  99 %"))
        #expect(frame([("https://a/", .nan)]).lines[0].hasSuffix("─   0 %"))
        #expect(frame([("https://a/", 7)]).lines[0].hasSuffix("━ 100 %"))
        #expect(frame([("https://a/", -1)]).lines[0].hasSuffix("─   0 %"))
    }

    @Test(arguments: 0...200)
    func `never reach the last column, and never fail, at any width`(columns: Int) {
        let pages = [("https://例え.テスト/とても長い道/ページ.html?質問=1", 0.3), ("a", 1)]
        for line in frame(pages, columns: columns).lines {
            #expect(displayWidth(line) <= max(0, columns - 1), "\(line)")
        }
        if columns >= 7 { #expect(frame(pages, columns: columns).lines.count == 2) }
    }

    @Test func `cut a long URL by columns`() {
        #expect(
            frame([("https://例え.テスト/とても長い道", 0.5)]).lines
                == ["例え.…ても長い道  ━━━━━━━────────  50 %"])
    }

    @Test func `tell pages of one host apart`() {
        let pages = (1...9).map { ("http://127.0.0.1:44621/some/long/path/page/\($0)", 0.5) }
        let lines = frame(pages, columns: 60).lines
        #expect(Set(lines).count == 9)
        #expect(lines[0].hasPrefix("http://1…/long/path/page/1"))
    }

    @Test func `are as many as fit, and count the rest`() {
        let pages = (1...30).map { ("https://\($0)/", 0.5) }
        #expect(frame(pages, rows: 24).lines.count == 10)
        #expect(frame(pages, rows: 24).lines.last == "and 21 more pages")
        #expect(frame(pages, rows: 5).lines.count == 4)
        #expect(frame(pages, rows: 5).lines.last == "and 27 more pages")
        #expect(frame(pages, rows: 1).lines.count == 1)
        #expect(frame(Array(pages.prefix(10)), rows: 24).lines.last?.contains("10") == true)
    }

    @Test func `leave the usual scheme out and keep any other`() {
        #expect(frame([("http://a/", 0.5)]).lines[0].hasPrefix("http://a/  "))
    }

    @Test func `let no URL move the cursor`() {
        let line = frame([("https://a/\u{1B}[2J\u{9B}\u{202E}", 0.5)], columns: 200).lines[0]
        #expect(line.hasPrefix(#"a/\u001B[2J\u009B\u202E  "#))
        #expect(frame([("https://a/\n", 0.5)]).lines[0].hasPrefix(#"a/\u000A  "#))
    }

    @Test func `are plain ASCII where the terminal shows no more`() {
        let lines = frame([("https://ä/", 0.5)], unicode: false).lines
        #expect(lines == ["?/                =======--------  50 %"])
    }

    @Test func `are drawn in one write that leaves the cursor shown and lines wrapping`() {
        let one = String(decoding: frame([("a", 0.5)]).render(), as: UTF8.self)
        #expect(one.hasPrefix("\u{1B}[?25l\u{1B}[?7l\ra "))
        #expect(one.hasSuffix("50 %\u{1B}[J\r\u{1B}[?7h\u{1B}[?25h"))
        let two = String(decoding: frame([("a", 0.5), ("b", 0.5)]).render(), as: UTF8.self)
        #expect(two.contains("%\u{1B}[K\r\nb"))
        #expect(two.hasSuffix("%\u{1B}[J\r\u{1B}[1A\u{1B}[?7h\u{1B}[?25h"))
    }

    @Test func `are gone when nothing is running`() {
        #expect(frame([]).render() == Array("\r\u{1B}[K\u{1B}[C\u{1B}[J\r".utf8))
    }

    @Test func `are coloured unless that is unwanted`() {
        let line = frame([("a", 0.5)], color: true).lines[0]
        #expect(line.contains("\u{1B}[34m━━━━━━━\u{1B}[0;2m────────\u{1B}[0m"))
        let style = ProgressDisplay.style { $0 == "NO_COLOR" ? "1" : "" }
        #expect(!style.hasColor)
    }

    @Test(arguments: [
        (["LANG": "sv_SE.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "C"], false),
        ([:], false), (["LC_ALL": "C", "LANG": "C.UTF-8"], false),
        (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], true),
    ])
    func `are Unicode when the locale says so`(variables: [String: String], isUnicode: Bool) {
        #expect(ProgressDisplay.style { variables[$0] ?? "" }.hasUnicode == isUnicode)
    }

    @Test func `do nothing on what is no terminal`() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        let display = ProgressDisplay(isWanted: true, descriptor: ends[1])
        display.begin(1, url: "https://a/")
        display.update(1, progress: 0.5)
        display.draw()
        var ran = false
        display.printAbove { ran = true }
        display.restore()
        _ = close(ends[1])
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 0)
        #expect(ran && !display.isActive)
        _ = close(ends[0])
    }
}

@Suite struct `Display width` {
    init() { setlocale(LC_CTYPE, "C.UTF-8") }

    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("😀", 2), ("\u{200B}", 0),
        ("\u{10FFFF}", 1),
    ])
    func `counts columns`(text: String, width: Int) {
        #expect(displayWidth(text) == width)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"), ("abc", 1, "…"), ("abc", 0, ""), ("ééé", 3, "ééé"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ])
    func `cuts by columns and says so`(text: String, columns: Int, fit: String) {
        #expect(fitted(text, into: columns).utf8.elementsEqual(fit.utf8))
    }
}

/// A terminal of our own: what is written to it can be read back.
private final class Terminal {
    /// The terminal's side, where a program writes.
    let program: CInt
    /// The side where a person would look.
    private let person: CInt

    init() throws {
        var (person, program): (CInt, CInt) = (-1, -1)
        try #require(openpty(&person, &program, nil, nil, nil) == 0)
        (self.person, self.program) = (person, program)
    }

    deinit {
        _ = close(program)
        _ = close(person)
    }

    /// What was written since the last call: all that comes before a mark written behind it.
    func shown() -> String {
        let mark = Array("END".utf8)
        _ = write(program, mark, mark.count)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !bytes.suffix(mark.count).elementsEqual(mark) {
            let count = read(person, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return String(decoding: bytes.dropLast(mark.count), as: UTF8.self)
    }
}

@Suite(.serialized) struct `Progress on a terminal` {
    private let erasure = "\r\u{1B}[K\u{1B}[C\u{1B}[J\r"

    init() {
        setlocale(LC_CTYPE, "C.UTF-8")
        setenv("TERM", "xterm", 1)
    }

    @Test func `draws what has changed and nothing else`() throws {
        let terminal = try Terminal()
        let display = ProgressDisplay(isWanted: true, descriptor: terminal.program)
        #expect(display.isActive)
        display.draw()
        #expect(terminal.shown() == "")
        display.begin(1, url: "https://a/")
        display.draw()
        #expect(terminal.shown().contains("a/  "))
        display.draw()
        #expect(terminal.shown() == "")
        display.update(1, progress: 0.5)
        display.draw()
        #expect(terminal.shown().contains("  50 %"))
        display.end(1)
        display.draw()
        #expect(terminal.shown() == erasure)
        display.draw()
        #expect(terminal.shown() == "")
    }

    @Test func `lets lines pass above the bars`() throws {
        let terminal = try Terminal()
        let display = ProgressDisplay(isWanted: true, descriptor: terminal.program)
        display.begin(1, url: "https://a/")
        display.draw()
        _ = terminal.shown()
        display.printAbove {
            StandardError.write(bytes: Array("line\n".utf8), to: terminal.program)
        }
        let shown = terminal.shown()
        #expect(shown.hasPrefix(erasure + "line\r\n"))
        #expect(shown.contains("a/  "))
    }

    @Test func `never waits for a terminal that takes nothing`() throws {
        let terminal = try Terminal()
        let display = ProgressDisplay(isWanted: true, descriptor: terminal.program)
        display.begin(1, url: "https://a/")
        // Nobody reads: far more than any terminal holds.
        for number in 0..<1000 {
            display.update(1, progress: Double(number) / 1000)
            display.printAbove { display.send([UInt8](repeating: 0x78, count: 1000)) }
        }
        #expect(!display.isReady)
        let output = StandardOutput(descriptor: terminal.program)
        output.write("held\n")
        output.flush()
        #expect(output.held == 5)
        output.abandon()
    }

    @Test func `leaves nothing behind when the program ends early`() throws {
        let terminal = try Terminal()
        let display = ProgressDisplay(isWanted: true, descriptor: terminal.program)
        display.begin(1, url: "https://a/")
        display.draw()
        #expect(terminal.shown().hasSuffix("\u{1B}[?25h"))
        display.restore()
        #expect(terminal.shown() == erasure)
        display.draw()
        #expect(terminal.shown() == "")
    }

    @Test func `is silent when it is unwanted or the terminal is dumb`() throws {
        let terminal = try Terminal()
        #expect(!ProgressDisplay(isWanted: false, descriptor: terminal.program).isActive)
        setenv("TERM", "dumb", 1)
        #expect(!ProgressDisplay(isWanted: true, descriptor: terminal.program).isActive)
        setenv("TERM", "xterm", 1)
    }
}
