import Events

/// The lines that readers of all events get, made once for those who are at the same place.
///
/// Input: the ring. Output: the next lines, as bytes that the readers share. Readers that keep up are
/// all at the same place, so each costs a copy and not a walk from event to event.
final class SharedLines {
    /// How a line is framed.
    enum Framing {
        case jsonLines, serverSent
    }

    /// Lines in a row.
    struct Block {
        fileprivate let framing: Framing
        fileprivate let start: Int64
        /// The number after the last event's.
        let end: Int64
        let bytes: [UInt8]
    }

    private let ring: EventRing
    private var last: Block?

    init(_ ring: EventRing) { self.ring = ring }

    /// The next lines from an event on, about as many as asked for; nil if the ring does not have
    /// that event.
    func block(from start: Int64, _ framing: Framing, atMost count: Int) -> Block? {
        // An event has one number for ever, so what was made of it holds.
        if let last, last.start == start, last.framing == framing { return last }
        var (bytes, next) = ([UInt8](), start)
        while bytes.count < count, let json = ring.json(next) {
            Self.append(json, seq: next, framing, to: &bytes)
            next += 1
        }
        guard next > start else { return nil }
        let block = Block(framing: framing, start: start, end: next, bytes: bytes)
        last = block
        return block
    }

    /// Nobody reads any more.
    func rest() { last = nil }

    static func append(
        _ json: [UInt8], seq: Int64, _ framing: Framing, to bytes: inout [UInt8]
    ) {
        switch framing {
        case .jsonLines: bytes += json
        case .serverSent:
            bytes += "id: \(seq)\ndata: ".utf8
            bytes += json
            bytes.append(UInt8(ascii: "\n"))
        }
    }
}
