import PageModel
import Testing

/// How the bytes of one load arrive.
struct Arrival: Sendable {
    struct Block: Sendable {
        var bytes: Int
        /// Time after the one before.
        var gap: Duration
    }

    /// The length promised; nil for none.
    var length: Int64?
    var blocks: [Block]
    /// The block that brings the first body content.
    var bodyBlock: Int

    /// A few hundred loads of all kinds, the same in each run.
    static let many: [Arrival] = {
        var numbers = FixedNumbers(state: 20_25)
        return (0..<400).map { _ in
            let count = Int.random(in: 1...60, using: &numbers)
            let most = [1, 100, 9000, 100_000].randomElement(using: &numbers) ?? 1
            let blocks = (0..<count).map { _ in
                Block(
                    bytes: Int.random(in: 1...most, using: &numbers),
                    gap: .milliseconds(Int.random(in: 0...150, using: &numbers)))
            }
            let sum = Int64(blocks.reduce(0) { $0 + $1.bytes })
            // None, right, too short, too long, absurd.
            let length: Int64? =
                [nil, sum, sum / 3, sum * 2, 0, -1, .max]
                .randomElement(using: &numbers) ?? nil
            return Arrival(
                length: length, blocks: blocks,
                bodyBlock: Int.random(in: 0...min(3, count), using: &numbers))
        }
    }()
}

@Suite struct `Progress estimate` {
    /// After each block: the value, whether or not it is told.
    private func values(length: Int64?, blocks: [Int], bodyBlock: Int = 0) -> [Double] {
        var estimator = ProgressEstimator()
        estimator.responseStarted(expectedBytes: length)
        return blocks.enumerated().map { index, bytes in
            _ = estimator.received(
                bytes: bytes, hasBodyBegun: index >= bodyBlock, at: .zero)
            return estimator.value
        }
    }

    @Test func `starts at a tenth and stays there until a byte comes`() {
        var estimator = ProgressEstimator()
        #expect(estimator.value == 0.1)
        estimator.responseStarted(expectedBytes: 100)
        #expect(estimator.value == 0.1)
        #expect(estimator.received(bytes: 0, hasBodyBegun: true, at: .zero) == nil)
        #expect(estimator.value == 0.1)
    }

    @Test func `is linear after the first block when the length is known`() {
        let (length, first) = (40_000.0, 4000.0)
        let start = 0.1 + 0.4 * first / length
        let identity = (1...10).map { block in
            start + (0.9 - start) * (4000 * Double(block) - first) / (length - first)
        }
        let counted = values(length: 40_000, blocks: Array(repeating: 4000, count: 10))
        #expect(agree(counted, identity))
    }

    @Test func `keeps to a half until the block after the one that brings body content`() {
        let counted = values(length: 4000, blocks: [1000, 1000, 1000, 1000], bodyBlock: 1)
        // 0.1 + 0.1, then a third of the way to 0.5, and only then towards 0.9.
        #expect(agree(counted, [0.2, 0.3, 0.6, 0.9]))
    }

    @Test func `never passes a half for a page that is all head`() {
        let counted = values(length: nil, blocks: [1, 20_000, 300_000], bodyBlock: 9)
        #expect(counted.allSatisfy { $0 <= 0.5 })
    }

    @Test func `expects twice what has come once more comes than was promised`() {
        #expect(
            agree(
                values(length: 4000, blocks: [4000, 4000, 4000]),
                [0.5, 0.633333, 0.766667]))
    }

    @Test(arguments: [nil, -1, 16_384] as [Int64?])
    func `takes an unknown length for 16384 bytes`(length: Int64?) {
        #expect(agree(values(length: length, blocks: [4000]), [0.197656]))
    }

    @Test func `survives any length and any count`() {
        for length in [0, 1, .max, .min] as [Int64] {
            let counted = values(length: length, blocks: [.max, .max, 1, .max, 1])
            #expect(counted.allSatisfy { $0 >= 0.1 && $0 <= 0.9 })
        }
    }

    @Test func `tells the first block at once and later ones each 200 ms`() {
        var estimator = ProgressEstimator()
        estimator.responseStarted(expectedBytes: 10_000)
        let told = [0, 199, 200, 399, 400, 1000].map { time in
            estimator.received(
                bytes: 1000, hasBodyBegun: true, at: .milliseconds(time)) != nil
        }
        #expect(told == [true, false, true, false, true, true])
    }

    @Test func `does not tell a value again that has not changed`() {
        var estimator = ProgressEstimator()
        estimator.responseStarted(expectedBytes: 1000)
        #expect(estimator.received(bytes: 1000, hasBodyBegun: false, at: .zero) == 0.5)
        // The cap of a page without content: nothing can be added.
        #expect(estimator.received(bytes: 10, hasBodyBegun: false, at: .seconds(9)) == nil)
    }

    @Test(arguments: Arrival.many)
    func `never goes back, never ends early, and is told seldom enough`(arrival: Arrival) {
        var estimator = ProgressEstimator()
        estimator.responseStarted(expectedBytes: arrival.length)
        var now = Duration.seconds(77)
        var last = estimator.value
        var lastTold: (value: Double, time: Duration)?
        for (index, block) in arrival.blocks.enumerated() {
            now += block.gap
            let told = estimator.received(
                bytes: block.bytes, hasBodyBegun: index >= arrival.bodyBlock, at: now)
            #expect(estimator.value >= last)
            #expect(estimator.value <= (index > arrival.bodyBlock ? 0.9 : 0.5))
            last = estimator.value
            if let told {
                #expect(told == estimator.value)
                if let lastTold {
                    #expect(now - lastTold.time >= .milliseconds(200))
                    #expect(told > lastTold.value)
                }
                lastTold = (told, now)
            }
        }
    }

    @Test(arguments: 0..<100)
    func `does not depend on how the bytes after the first block are cut`(seed: Int) {
        var numbers = FixedNumbers(state: UInt64(seed))
        let first = Int.random(in: 1...5000, using: &numbers)
        let rest = Int.random(in: 1...200_000, using: &numbers)
        // What is promised may be more than comes, not less.
        let length = Int64(first + rest) + Int64.random(in: 0...9000, using: &numbers)
        var pieces: [Int] = []
        var left = rest
        while left > 0 {
            let piece = Int.random(in: 1...min(left, 20_000), using: &numbers)
            pieces.append(piece)
            left -= piece
        }
        let whole = values(length: length, blocks: [first, rest])
        let cut = values(length: length, blocks: [first] + pieces)
        #expect(agree([whole[1]], [cut[cut.count - 1]]))
    }
}
