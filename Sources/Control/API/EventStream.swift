import Events
import History
import PageModel
import Watching

/// The events for one reader, from wherever it wants to begin.
///
/// Input: the ring, and for what that no longer has, the history. Output: lines to the reader, when
/// its socket takes some. It holds a cursor, and the lines of one look into the history at most.
final class EventStream: StreamSource {
    /// How lines are written.
    enum Form {
        /// For programs: JSON, one object a line, or Server-Sent Events (the HTML standard's) with
        /// only `id` and `data`.
        case json(SharedLines.Framing)
        /// For people, each with its time in this zone before it; and before that, if so asked, its
        /// number and a blank, for a reader that wants to go on from there.
        case text(TimeZoneStyle, isNumbered: Bool)
    }

    /// Events of one look into the history.
    private static let chunk = 500

    private let ring: EventRing
    private let lines: SharedLines
    private let history: HistoryQuestions
    private let filter: EventFilter
    private let form: Form
    /// The number of the first event of this run of the service: what comes before is of another.
    private let runStart: Int64
    private let onEnd: (EventStream) -> Void
    /// The next event for the reader.
    private var cursor: Int64
    /// While it is behind what the ring has.
    private var catchUp: CatchUp?
    private var isAsking = false
    private var isEnding = false
    private(set) var hasSentSinceBeat = false
    /// Whether nobody reads it any more: a client may go before its stream has begun.
    private(set) var isOver = false
    private var isBeatDue = false
    var handle: StreamHandle?
    let needsProgress = false

    /// - Parameters:
    ///   - cursor: The number of the first event that is wanted; one beyond the ring's next is of
    ///     another state folder.
    ///   - onEnd: Called once, when nothing more is wanted.
    init(
        ring: EventRing, lines: SharedLines, history: HistoryQuestions, filter: EventFilter,
        form: Form,
        from cursor: Int64, runStart: Int64, onEnd: @escaping (EventStream) -> Void
    ) {
        self.ring = ring
        self.lines = lines
        self.history = history
        self.filter = filter
        self.form = form
        self.cursor = cursor
        self.runStart = runStart
        self.onEnd = onEnd
        ring.follow()
    }

    // MARK: The reader takes

    /// The next lines, about as much as the socket takes.
    func nextBytes(atMost count: Int) -> StreamChunk {
        var bytes = nextOfAll(atMost: count)
        while bytes.count < count, let line = nextLine() {
            if filter.includes(line) { append(line, to: &bytes) }
        }
        if bytes.isEmpty, isBeatDue { bytes = Array(":\n\n".utf8) }
        isBeatDue = false
        guard bytes.isEmpty else {
            hasSentSinceBeat = true
            return .bytes(bytes)
        }
        return isEnding && !isAsking ? .end : .none
    }

    /// The next lines, if the reader wants all and the ring has them: they are made already, unless
    /// it is the first to come there.
    private func nextOfAll(atMost count: Int) -> [UInt8] {
        guard filter.isEmpty, case .json(let framing) = form, catchUp == nil, !isAsking,
            let block = lines.block(from: cursor, framing, atMost: count)
        else { return [] }
        cursor = block.end
        return block.bytes
    }

    /// The reader has gone, or all is told.
    func streamEnded() {
        isOver = true
        ring.unfollow()
        onEnd(self)
    }

    /// Ends once all that there is has been taken.
    func finish() {
        isEnding = true
        handle?.resume()
    }

    /// Sends a comment if nothing else was sent since the last time: readers and what is between
    /// are to see that the connection lives.
    func beat() {
        guard case .json(.serverSent) = form else { return }
        isBeatDue = !hasSentSinceBeat
        hasSentSinceBeat = false
        if isBeatDue { handle?.resume() }
    }

    private func append(_ line: EventLine, to bytes: inout [UInt8]) {
        switch form {
        case .text(let zone, let isNumbered):
            if isNumbered { bytes += "\(line.seq) ".utf8 }
            bytes += (line.time.text(zone) + " " + line.text(times: zone) + "\n").utf8
        case .json(let framing):
            SharedLines.append(json(line), seq: line.seq, framing, to: &bytes)
        }
    }

    private func json(_ line: EventLine) -> [UInt8] {
        // What is lost is lost for this reader alone; its number is not the ring's to know.
        if case .missed = line.event {} else if let known = ring.json(line.seq) { return known }
        var writer = JSONWriter()
        line.appendJSON(to: &writer)
        return writer.bytes
    }

    // MARK: What comes next

    private func nextLine() -> EventLine? {
        guard !isAsking else { return nil }
        if catchUp != nil { return nextOfCatchUp() }
        let (missed, next) = ring.resume(from: cursor)
        if cursor > next {
            cursor = next
            return Self.missed(missed, last: next - 1)
        }
        if missed > 0 {
            plan(cursor..<next)
            return nil
        }
        guard let line = ring.line(cursor) else { return nil }
        cursor += 1
        return line
    }

    private func nextOfCatchUp() -> EventLine? {
        guard let catchUp else { return nil }
        let next = catchUp.backlog.first
        if catchUp.lost > 0, next.map({ $0.seq > catchUp.lastLost }) ?? catchUp.isAllRead {
            self.catchUp?.lost = 0
            cursor = max(cursor, catchUp.lastLost + 1)
            return Self.missed(catchUp.lost, last: catchUp.lastLost)
        }
        if let next {
            self.catchUp?.backlog.removeFirst()
            cursor = next.seq + 1
            return next
        }
        guard catchUp.isAllRead else {
            readOn(before: catchUp.end)
            return nil
        }
        cursor = catchUp.end
        self.catchUp = nil
        return nextLine()
    }

    private static func missed(_ count: Int64, last: Int64) -> EventLine {
        EventLine(
            seq: last, time: .now(), target: nil, load: nil, event: .missed(count: count))
    }

    // MARK: Behind the ring

    /// Events that the ring no longer has: the stored ones of them are told, the rest is lost.
    private struct CatchUp {
        /// The first number that the ring has.
        let end: Int64
        /// To be told when the reader has all stored events up to the last that is lost.
        var lost: Int64
        let lastLost: Int64
        var backlog: ArraySlice<EventLine> = []
        var isAllRead = false
    }

    /// What the history says of a range of numbers.
    private struct Facts: Sendable {
        var stored: Int64
        /// Stored ones at the end of the range, in a row.
        var tail: Int64
        /// The highest stored number of the runs before this one. After a crash there were higher
        /// ones, but nobody knows how many.
        var lastBefore: Int64
    }

    private func plan(_ range: Range<Int64>) {
        isAsking = true
        let runStart = runStart
        history.ask { reader in
            Facts(
                stored: try reader.countEvents(
                    after: range.lowerBound - 1, before: range.upperBound
                )
                .count,
                tail: try reader.countTail(before: range.upperBound),
                lastBefore: try reader.countEvents(after: 0, before: runStart).last ?? 0)
        } done: { [weak self] (facts: Facts?) in
            self?.begin(range, facts)
        }
    }

    private func begin(_ range: Range<Int64>, _ facts: Facts?) {
        isAsking = false
        defer { handle?.resume() }
        guard let facts else {
            // A history that can't be read is no reason to hold back what comes.
            catchUp = CatchUp(
                end: range.upperBound, lost: Int64(range.count), lastLost: range.upperBound - 1,
                isAllRead: true)
            return
        }
        let before = max(0, min(range.upperBound, facts.lastBefore + 1) - range.lowerBound)
        let since = max(0, range.upperBound - max(range.lowerBound, runStart))
        let tail = min(facts.tail, Int64(range.count) - 1)
        catchUp = CatchUp(
            end: range.upperBound,
            lost: filter.isOfHistory ? 0 : max(0, before + since - facts.stored),
            lastLost: range.upperBound - 1 - tail)
    }

    private func readOn(before end: Int64) {
        isAsking = true
        let after = cursor - 1
        history.ask { reader in
            try reader.events(after: after, before: end, limit: Self.chunk)
        } done: { [weak self] (events: [StoredEvent]?) in
            guard let self else { return }
            isAsking = false
            catchUp?.backlog = (events ?? []).map { EventLine($0) }[...]
            catchUp?.isAllRead = (events?.count ?? 0) < Self.chunk
            handle?.resume()
        }
    }
}
