import PageModel

/// The last events of the service, numbered, for any number of readers.
///
/// Input: steps of loads as they happen, and durable events that are on the disk, from the watcher.
/// Output: every event once, in the order of its number, to the logs; and to each reader, from
/// wherever it has come to. A reader that is slow keeps nothing: it is told how many it missed.
///
/// Nothing is kept while nobody follows: a service at rest is to be small.
package final class EventRing {
    /// Events that are kept while somebody follows: about 6 MB, and ten seconds of a busy service.
    package static let usualCapacity = 1 << 15

    /// A step of a load that waits for its number.
    private struct Waiting {
        var time: WallTime
        var target: String
        var load: Int64
        var event: PageEvent
    }

    private struct Entry {
        let line: EventLine
        /// Made for the first reader that asks, and the same for all.
        var json: [UInt8]?
    }

    private let capacity: Int
    private let takeNumbers: (Int64) -> Int64?
    private let tell: (EventLine) -> Void
    /// A circle, once it is full; their numbers have no holes.
    private var entries: [Entry] = []
    private var start = 0
    private var waiting: [Waiting] = []
    /// Steps that found no room to wait.
    private var dropped: Int64 = 0
    private var followers = 0
    private var isRecording = false

    /// The number after that of the last event; what a reader goes on from that wants to know only
    /// what is to come.
    package private(set) var next: Int64

    /// - Parameters:
    ///   - next: The number of the first event to come.
    ///   - takeNumbers: Gives so many numbers in a row, the first of them; nil while durable events
    ///     with lower ones are on their way, after which ``settled()`` must follow.
    ///   - tell: Hears of every event.
    package init(
        next: Int64, capacity: Int = usualCapacity, takeNumbers: @escaping (Int64) -> Int64?,
        tell: @escaping (EventLine) -> Void
    ) {
        self.next = next
        self.capacity = max(1, capacity)
        self.takeNumbers = takeNumbers
        self.tell = tell
    }

    // MARK: Events come

    /// Takes a step of a load.
    package func add(_ event: PageEvent, target: String, load: Int64) {
        let step = Waiting(time: .now(), target: target, load: load, event: event)
        if waiting.isEmpty, let seq = takeNumbers(1) {
            append(step, seq)
        } else {
            // As many as the ring would keep, then the oldest go.
            if waiting.count == capacity {
                waiting.removeFirst(capacity / 8 + 1)
                dropped += Int64(capacity / 8 + 1)
            }
            waiting.append(step)
        }
    }

    /// Takes a durable event, which is on the disk, and has a higher number than all before it.
    package func add(_ line: EventLine) { append(line) }

    /// Gives numbers to what waited for them: the events with lower ones are here.
    package func settled() {
        guard !waiting.isEmpty, let first = takeNumbers(dropped + Int64(waiting.count)) else {
            return
        }
        var seq = first + dropped
        let steps = waiting
        waiting = []
        dropped = 0
        for step in steps {
            append(step, seq)
            seq += 1
        }
    }

    private func append(_ step: Waiting, _ seq: Int64) {
        append(
            EventLine(
                seq: seq, time: step.time, target: step.target, load: step.load,
                event: .page(step.event)))
    }

    private func append(_ line: EventLine) {
        // Numbers that nobody got are as good as events that are gone.
        if line.seq != next { removeAll() }
        next = line.seq + 1
        if isRecording {
            if entries.count < capacity {
                entries.append(Entry(line: line))
            } else {
                entries[start] = Entry(line: line)
                start = (start + 1) % capacity
            }
        }
        tell(line)
    }

    // MARK: Readers

    /// The number of the oldest event that is kept; ``next`` if none is.
    package var first: Int64 { next - Int64(entries.count) }

    /// Keeps events from now on, until ``unfollow()`` and then ``rest()``.
    package func follow() {
        followers += 1
        isRecording = true
    }

    /// A reader has gone.
    package func unfollow() { followers -= 1 }

    /// Keeps nothing any more, unless somebody follows. Not to be called at once when the last
    /// reader goes: it may only have lost its connection.
    package func rest() {
        guard followers == 0 else { return }
        isRecording = false
        removeAll()
    }

    private func removeAll() {
        entries = []
        start = 0
    }

    /// The event of that number; nil if it is not kept.
    package func line(_ seq: Int64) -> EventLine? { index(of: seq).map { entries[$0].line } }

    /// The same as ``EventLine/appendJSON(to:)`` writes it.
    package func json(_ seq: Int64) -> [UInt8]? {
        guard let index = index(of: seq) else { return nil }
        if let json = entries[index].json { return json }
        var writer = JSONWriter()
        entries[index].line.appendJSON(to: &writer)
        entries[index].json = writer.bytes
        return writer.bytes
    }

    private func index(of seq: Int64) -> Int? {
        guard seq >= first, seq < next else { return nil }
        return (start + Int(seq - first)) % entries.count
    }

    /// How many events a reader has missed that goes on from `seq`, and where it can go on.
    ///
    /// - Parameter seq: The number of the next event it wants; one beyond ``next`` is of another
    ///   state folder, of whose events it has seen none.
    package func resume(from seq: Int64) -> (missed: Int64, next: Int64) {
        if seq > next { return (next - 1, next) }
        return seq < first ? (first - seq, first) : (0, seq)
    }
}
