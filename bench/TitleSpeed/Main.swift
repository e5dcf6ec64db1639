import Glibc
import Titles

/// Measures how fast titles are found, beside libxml2's HTML push parser, in one process.
///
/// Input: the paths of UTF-8 pages, one a line, on standard input. With the argument `real` only they
/// are read, without any only the pages that never end. Ends with 1 if a bound does not hold.
@main
enum TitleSpeed {
    /// What the tokenizer and the decoder are to reach on real pages, in MB/s.
    private static let leastSpeed = 400.0
    /// How many times as fast as libxml2 they are to be.
    private static let leastRatio = 6.0
    /// How much more a byte may cost when ten times as many of them come.
    private static let mostGrowth = 1.5

    static func main() {
        var pages: [[UInt8]] = []
        while let path = readLine() { pages.append(bytes(ofFile: path)) }
        var holds = true
        if !pages.isEmpty { holds = compare(pages) }
        if !CommandLine.arguments.contains("real") { holds = readEndlessPages() && holds }
        exit(holds ? EXIT_SUCCESS : EXIT_FAILURE)
    }

    // MARK: Real pages

    private static func compare(_ pages: [[UInt8]]) -> Bool {
        let untitled = pages.map(withoutTitle)
        let total = pages.reduce(0) { $0 + $1.count }
        print(
            "\(pages.count) pages, \(total) bytes; MB/s of CPU time, median of \(Rounds.count) rounds"
        )
        print(row("", "pagewatch", "libxml2", "ratio"))
        let declared = "text/html; charset=utf-8"
        let sought = Rounds.run(untitled, contentType: declared)
        show("no title: sought to the page's end", sought)
        show("the same, encoding to be found too", Rounds.run(untitled, contentType: "text/html"))
        show("as they are, read until all is known", Rounds.run(pages, contentType: declared))
        let isFast = sought.pagewatch >= leastSpeed && sought.ratio >= leastRatio
        print(
            "bound on the first row: \(leastSpeed) MB/s and \(leastRatio) times libxml2: "
                + (isFast ? "holds" : "DOES NOT HOLD"))
        return isFast
    }

    /// The page with its title elements renamed, so that the title is sought to the end.
    private static func withoutTitle(_ page: [UInt8]) -> [UInt8] {
        let word = Array("title".utf8)
        var page = page
        var at = 1
        while at + word.count < page.count {
            let isTag = page[at - 1] == UInt8(ascii: "<") || page[at - 1] == UInt8(ascii: "/")
            if isTag, zip(word, page[at...]).allSatisfy({ $0 == $1 | 0x20 }) {
                page[at + word.count - 1] = UInt8(ascii: "a")
            }
            at += 1
        }
        return page
    }

    private static func show(_ name: String, _ speed: Rounds.Speed) {
        print(row(name, rounded(speed.pagewatch), rounded(speed.libxml2), rounded(speed.ratio)))
    }

    // MARK: Pages that never end

    private static func readEndlessPages() -> Bool {
        print("\npages that never end: nanoseconds of CPU time a byte")
        print(row("", "10 MB", "100 MB", "growth"))
        var holds = true
        for page in EndlessPage.all {
            let short = page.nanosecondsPerByte(size: 10_000_000)
            let long = page.nanosecondsPerByte(size: 100_000_000)
            let isLinear = long <= short * mostGrowth
            holds = holds && isLinear
            let growth = rounded(long / short) + (isLinear ? "" : "  NOT LINEAR")
            print(row(page.name, rounded(short), rounded(long), growth))
            // A table that goes to a file or a pipe is to be seen as it grows.
            fflush(nil)
        }
        return holds
    }

    // MARK: Reading and writing

    private static func bytes(ofFile path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            perror(path)
            exit(EXIT_FAILURE)
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }

    private static func row(_ name: String, _ values: String...) -> String {
        name + String(repeating: " ", count: max(0, 42 - name.count))
            + values.map { String(repeating: " ", count: max(0, 11 - $0.count)) + $0 }.joined()
    }

    private static func rounded(_ value: Double) -> String {
        if value >= 100 { return String(Int(value.rounded())) }
        return String((value * 100).rounded() / 100)
    }
}
