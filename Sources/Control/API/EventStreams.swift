import Events
import Reactor

/// The readers that follow the ring.
///
/// Input: the word that there are new events. Output: readers that are asked to take them; what a
/// reader does not take keeps nobody waiting.
final class EventStreams {
    /// Readers hear of what came within this time, times their number, together: each costs a write
    /// to its socket, and few can be told at once what many can't. What comes alone is not held back.
    private static let gatheringOfOne = Duration.milliseconds(6)
    /// An eye sees no difference below; and nobody waits longer than the other.
    private static let gathering = Duration.milliseconds(20)...Duration.milliseconds(400)
    /// Between two comments on a quiet stream.
    private static let beat = Duration.seconds(15)
    /// For how long events are kept when the last reader has gone: it may only have lost its
    /// connection.
    private static let memory = Duration.seconds(60)

    private let loop: EventLoop
    private let ring: EventRing
    let lines: SharedLines
    private var lastDelivery = Duration.zero
    private var streams: [ObjectIdentifier: EventStream] = [:]
    private lazy var delivery = Deadline { [unowned self] in deliver() }
    private lazy var heartbeat = Deadline { [unowned self] in beat() }
    private lazy var rest = Deadline { [unowned self] in
        lines.rest()
        ring.rest()
    }
    private var isEnding = false

    init(loop: EventLoop, ring: EventRing) {
        self.loop = loop
        self.ring = ring
        lines = SharedLines(ring)
    }

    /// How many readers follow.
    var count: Int { streams.count }

    /// Has a stream hear of what comes; nothing if it is over.
    func add(_ stream: EventStream, _ handle: StreamHandle) {
        guard !stream.isOver else { return }
        stream.handle = handle
        streams[ObjectIdentifier(stream)] = stream
        loop.disarm(rest)
        if !heartbeat.isArmed { loop.arm(heartbeat, at: MonotonicClock.now() + Self.beat) }
        if isEnding { stream.finish() }
    }

    /// A stream has ended.
    func remove(_ stream: EventStream) {
        streams[ObjectIdentifier(stream)] = nil
        guard streams.isEmpty else { return }
        loop.disarm(heartbeat)
        loop.disarm(delivery)
        loop.arm(rest, at: MonotonicClock.now() + Self.memory)
    }

    /// There is a new event.
    func advanced() {
        guard !streams.isEmpty, !delivery.isArmed else { return }
        let wanted = Self.gatheringOfOne * streams.count
        let gathering = min(max(wanted, Self.gathering.lowerBound), Self.gathering.upperBound)
        // A load brings several events in one turn: these go together in any case.
        loop.arm(delivery, at: max(loop.now + .nanoseconds(1), lastDelivery + gathering))
    }

    /// Has all streams end when their readers have taken what there is.
    func finish() {
        isEnding = true
        for stream in streams.values { stream.finish() }
    }

    private func deliver() {
        lastDelivery = loop.now
        for stream in streams.values { stream.handle?.resume() }
    }

    private func beat() {
        for stream in streams.values { stream.beat() }
        loop.arm(heartbeat, at: MonotonicClock.now() + Self.beat)
    }
}
