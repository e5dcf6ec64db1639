import PageModel
import Testing

@testable import Events

/// A ring, the numbers that its events get, and what it told.
private final class Stage {
    var next: Int64 = 1
    /// Whether durable events are on their way to the disk.
    var isWriting = false
    var told: [EventLine] = []
    private(set) lazy var ring = EventRing(
        next: 1, capacity: 8,
        takeNumbers: { [unowned self] count in
            guard !isWriting else { return nil }
            defer { next += count }
            return next
        }, tell: { [unowned self] in told.append($0) })

    func step(_ progress: Double) {
        ring.add(.estimatedProgress(progress), target: "t", load: 1)
    }

    /// A durable event with the next number.
    func durable() {
        ring.add(
            EventLine(
                seq: next, time: WallTime(milliseconds: 0), target: nil, load: nil,
                event: .durable(.service(ServiceEvent(state: .online, version: "1")))))
        next += 1
    }

    func kept() -> [Int64] { (ring.first..<ring.next).compactMap { ring.line($0)?.seq } }
}

@Suite struct `The ring of events` {
    private let stage = Stage()

    @Test func `tells every event once, in the order of its number`() {
        stage.step(0.1)
        stage.durable()
        stage.step(0.2)
        #expect(stage.told.map(\.seq) == [1, 2, 3])
        #expect(stage.ring.next == 4)
    }

    @Test func `holds steps back while durable events with lower numbers are on their way`() {
        stage.step(0.1)
        stage.isWriting = true
        stage.step(0.2)
        stage.step(0.3)
        #expect(stage.told.count == 1)
        stage.durable()
        stage.ring.settled()
        // They are being written again.
        #expect(stage.told.count == 2)
        stage.isWriting = false
        stage.ring.settled()
        stage.step(0.4)
        #expect(stage.told.map(\.seq) == [1, 2, 3, 4, 5])
        #expect(
            stage.told.map(\.event).filter { $0 != stage.told[1].event }
                == [0.1, 0.2, 0.3, 0.4].map {
                    .page(.estimatedProgress($0))
                })
    }

    @Test func `keeps nothing while nobody follows`() {
        stage.step(0.1)
        #expect(stage.kept() == [])
        stage.ring.follow()
        stage.step(0.2)
        #expect(stage.kept() == [2])
        stage.ring.unfollow()
        stage.step(0.3)
        #expect(stage.kept() == [2, 3])
        stage.ring.rest()
        #expect(stage.kept() == [] && stage.ring.first == 4)
    }

    @Test func `does not rest while one follows`() {
        stage.ring.follow()
        stage.ring.follow()
        stage.step(0.1)
        stage.ring.unfollow()
        stage.ring.rest()
        #expect(stage.kept() == [1])
    }

    @Test(arguments: [5, 8, 9, 30])
    func `keeps the last events, and says how many are gone`(count: Int64) {
        stage.ring.follow()
        for number in 1...count { stage.step(Double(number)) }
        #expect(stage.kept() == Array(max(1, count - 7)...count))
        let resumed = stage.ring.resume(from: 1)
        #expect(resumed.missed == max(0, count - 8))
        #expect(resumed.next == max(1, count - 7))
        #expect(stage.ring.line(count)?.event == .page(.estimatedProgress(Double(count))))
        #expect(stage.ring.line(count + 1) == nil)
    }

    @Test func `lets a reader go on where it was`() {
        stage.ring.follow()
        for _ in 1...4 { stage.step(0.5) }
        #expect(stage.ring.resume(from: 3) == (0, 3))
        #expect(stage.ring.resume(from: 5) == (0, 5))
    }

    @Test func `takes a number that it never gave for one of another folder`() {
        for _ in 1...4 { stage.step(0.5) }
        #expect(stage.ring.resume(from: 6) == (4, 5))
    }

    @Test func `counts steps that found no room to wait as missed`() {
        stage.ring.follow()
        stage.step(0.1)
        stage.isWriting = true
        for _ in 1...20 { stage.step(0.2) }
        stage.isWriting = false
        stage.ring.settled()
        #expect(stage.ring.next == 22)
        let (missed, next) = stage.ring.resume(from: 2)
        #expect(missed == next - 2 && missed > 0)
        #expect(stage.kept() == Array(next..<22))
    }

    @Test func `has a line once for all readers`() throws {
        stage.ring.follow()
        stage.step(0.5)
        let text = String(decoding: try #require(stage.ring.json(1)), as: UTF8.self)
        #expect(text.hasPrefix("{\"seq\":1,\"time\":\""))
        #expect(text.hasSuffix("\"event\":\"estimatedProgress\",\"estimatedProgress\":0.5}\n"))
        #expect(stage.ring.json(1) == Array(text.utf8))
        #expect(stage.ring.json(2) == nil)
    }
}
