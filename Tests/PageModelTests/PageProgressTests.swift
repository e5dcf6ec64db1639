import PageModel
import Testing

/// One load as the formula's test vectors give it: what comes, and the values that are told.
struct Vector: Sendable, CustomTestStringConvertible {
    enum End: Sendable { case finished, cutOff }

    var testDescription: String
    var length: Int64?
    var blocks: [Int]
    var intervalMs = 250
    var redirects = 0
    var end = End.finished
    var told: [Double]

    static let all: [Vector] = [
        Vector(
            testDescription: "V1: length known, ten blocks", length: 40_000,
            blocks: Array(repeating: 4000, count: 10),
            told: [
                0.1, 0.14, 0.224444, 0.308889, 0.393333, 0.477778, 0.562222, 0.646667,
                0.731111, 0.815556, 0.9, 1.0,
            ]),
        Vector(
            testDescription: "V2: length known, one block", length: 1000, blocks: [1000],
            told: [0.1, 0.5, 1.0]),
        Vector(
            testDescription: "V3: length unknown, beyond the guess",
            blocks: Array(repeating: 4000, count: 10),
            told: [
                0.1, 0.197656, 0.424511, 0.651367, 0.878222, 0.881852, 0.885481, 0.889111,
                0.892741, 0.896370, 0.9, 1.0,
            ]),
        Vector(
            testDescription: "V4: length unknown, within the guess",
            blocks: Array(repeating: 1000, count: 8),
            told: [
                0.1, 0.124414, 0.174829, 0.225244, 0.275659, 0.326074, 0.376490, 0.426905,
                0.477320, 1.0,
            ]),
        Vector(
            testDescription: "V5: length unknown, one block", blocks: [5000],
            told: [0.1, 0.222070, 1.0]),
        Vector(
            testDescription: "V6: blocks come fast, then a reset", length: 10_000,
            blocks: Array(repeating: 1000, count: 5), intervalMs: 100, end: .cutOff,
            told: [0.1, 0.14, 0.308889, 0.477778, 1.0]),
        Vector(
            testDescription: "V7: more comes than was promised", length: 4000,
            blocks: [4000, 4000, 4000], told: [0.1, 0.5, 0.633333, 0.766667, 1.0]),
        Vector(
            testDescription: "V8: an empty body", length: 0, blocks: [], told: [0.1, 1.0]),
        Vector(
            testDescription: "V10: three redirects, then V2", length: 1000, blocks: [1000],
            redirects: 3, told: [0.1, 0.5, 1.0]),
    ]
}

@Suite struct `Progress of a page` {
    @Test(arguments: Vector.all)
    func `is told with WebKit's values`(vector: Vector) {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        for number in 0..<vector.redirects {
            page.redirected(to: "\(pageURL)/\(number)", status: 301)
        }
        page.responseStarted(expectedBytes: vector.length)
        for (index, bytes) in vector.blocks.enumerated() {
            page.receive(bytes, atMs: index * vector.intervalMs)
        }
        if vector.blocks.isEmpty { page.commitEmpty(commit()) }
        switch vector.end {
        case .finished: page.finish()
        case .cutOff: page.failed(refusal)
        }
        let told = page.toldProgress()
        #expect(agree(told, vector.told), "\(told)")
    }

    @Test func `goes from a tenth to the end when nothing can be loaded (V9)`() {
        var page = Page()
        page.startLoad(.load, url: pageURL)
        page.failed(refusal)
        #expect(page.toldProgress() == [0.1, 1.0])
        #expect(page.estimatedProgress == 1)
    }

    @Test func `can be read at any moment, also when it is not told`() {
        var page = Page()
        #expect(page.estimatedProgress == 0)
        page.startLoad(.load, url: pageURL)
        page.responseStarted(expectedBytes: 10_000)
        page.receive(1000, atMs: 0)
        page.receive(1000, atMs: 100)
        #expect(agree([page.estimatedProgress], [0.224444]))
        #expect(agree(page.toldProgress(), [0.1, 0.14]))
    }

    @Test(arguments: Arrival.many)
    func `grows in each load and reaches 1 once, at its end`(arrival: Arrival) {
        var page = Page()
        var now = 0
        // Twice, so that the second begins where the first one ended; one finishes, one fails.
        for isFailing in [false, true] {
            page.startLoad(.reload, url: pageURL)
            page.responseStarted(expectedBytes: arrival.length)
            for (index, block) in arrival.blocks.enumerated() {
                now += Int(block.gap / .milliseconds(1))
                page.receive(
                    block.bytes, hasBodyBegun: index >= arrival.bodyBlock, atMs: now)
                #expect(page.estimatedProgress >= 0.1 && page.estimatedProgress <= 0.9)
            }
            if isFailing { page.failed(refusal) } else { page.finish() }
            let told = page.toldProgress()
            #expect(told.first == 0.1 && told.last == 1)
            #expect(told.filter { $0 == 1 }.count == 1)
            #expect(zip(told, told.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
