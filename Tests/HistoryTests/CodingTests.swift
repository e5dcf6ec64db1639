import PageModel
import Testing

@testable import History

private let error = LoadError(phase: .tls, code: "certificateExpired", message: "ended \"today\"")

/// Every kind of event, with what is optional there and not there.
let everyEvent: [DurableEvent] =
    [
        .firstSeen(title: "A", url: "https://a/", previous: nil),
        .firstSeen(
            title: nil, url: "", previous: SeenTitle(title: "é\u{0}e\u{301}", time: at(-5))),
        .titleChanged(
            TitleChange(
                from: nil, to: "", url: "https://a/", initialURL: "https://b/", lastSeen: at(1),
                firstShown: at(2), fromURL: nil)),
        .titleChanged(
            TitleChange(
                from: "新", to: String(repeating: "x", count: 1000), url: "u", initialURL: "i",
                lastSeen: Timestamp(milliseconds: .min), firstShown: Timestamp(milliseconds: .max),
                fromURL: "https://old/")),
        .failing(error: error, status: nil, since: at(0)),
        .recovered(error: error, status: 503, since: at(0)),
        .oscillating(titles: ["A", nil, "", "B"]), .settled(titles: []), .unstable(titles: [nil]),
        .rebased(from: "A", to: nil, because: "url"),
        .encodingChanged(title: "A", encoding: "UTF-8", previousEncoding: "windows-1252"),
        .gap(since: at(1), until: at(2), reason: .asleep, targets: nil),
        .gap(since: at(1), until: at(2), reason: .stopped, targets: 100_000),
        .service(ServiceEvent(state: .started, version: "0.1.0")),
        .service(
            ServiceEvent(
                state: .reconfigured, version: "0.1.0", added: ["a", "b"], removed: ["c"],
                changed: [], message: "m")),
    ] + GapReason.allCases.map { .gap(since: at(0), until: at(1), reason: $0, targets: 1) }
    + ServiceEvent.State.allCases.map { .service(ServiceEvent(state: $0, version: "1")) }

@Suite struct `Bytes of an event` {
    @Test func `are all tried here`() {
        #expect(Set(everyEvent.map(\.name)) == Set(DurableEvent.Name.allCases))
    }

    @Test(arguments: everyEvent)
    func `read back as the same event, byte for byte`(event: DurableEvent) throws {
        let read = try DurableEvent(kind: event.name.rawValue, encoded: event.encoded)
        #expect(read == event)
        // String's == holds canonically equivalent titles for the same.
        #expect(read.encoded == event.encoded)
    }

    @Test(arguments: everyEvent)
    func `cut short are refused`(event: DurableEvent) {
        let bytes = event.encoded
        for count in bytes.indices {
            #expect(throws: ByteReader.Malformed.self) {
                try DurableEvent(kind: event.name.rawValue, encoded: Array(bytes[..<count]))
            }
        }
    }

    @Test(arguments: everyEvent)
    func `with any byte changed are another event or none, never a trap`(event: DurableEvent) {
        let bytes = event.encoded
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 2, 0x7F, 0x80, 0xFF] {
                var damaged = bytes
                damaged[index] = value
                _ = try? DurableEvent(kind: event.name.rawValue, encoded: damaged)
            }
        }
    }

    @Test func `of a later layout or kind are refused`() {
        var bytes = everyEvent[0].encoded
        #expect(throws: ByteReader.Malformed.self) {
            try DurableEvent(kind: "exploded", encoded: bytes)
        }
        bytes[0] += 2
        #expect(throws: ByteReader.Malformed.self) {
            try DurableEvent(kind: "firstSeen", encoded: bytes)
        }
    }
}

@Suite struct `Bytes of a target` {
    @Test(arguments: [0, 1, 2, 100], [0, -1, -99])
    func `hold the back-forward list and its place`(count: Int, step: Int) throws {
        var list = BackForwardList()
        for number in 0..<count {
            list.append(
                .init(
                    url: "https://\(number)/", initialURL: "https://\(number)/a",
                    title: number % 2 == 0 ? nil : "\(number)"))
        }
        list.go(to: step)
        list.entryURL = "https://entry/"
        #expect(Encoded.list(from: Encoded.list(list)) == list)
    }

    @Test func `hold a back-forward list of the first layout, which ends with its items`() {
        var list = BackForwardList()
        list.append(.init(url: "https://a/", initialURL: "https://b/", title: "A"))
        var bytes = Encoded.list(list)
        // The length of no URL behind the items.
        #expect(bytes.removeLast() == 0)
        bytes[0] = 2
        list.entryURL = "https://a/"
        #expect(Encoded.list(from: bytes) == list)
    }

    @Test func `hold the facts of a load`() {
        var record = LoadRecord(
            load: 7, started: at(1), ended: at(2), url: "https://a/", status: nil, title: nil,
            bytes: nil, error: error)
        #expect(Encoded.record(from: Encoded.record(record)) == record)
        record.status = 200
        record.title = ""
        record.bytes = 1 << 40
        record.error = nil
        #expect(Encoded.record(from: Encoded.record(record)) == record)
    }

    @Test func `are nothing when they are damaged`() {
        #expect(Encoded.list(from: []) == nil)
        for layout: UInt8 in [2, 4] {
            #expect(Encoded.list(from: [layout, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) == nil)
        }
        #expect(Encoded.list(from: [6, 0, 0, 0]) == nil)
        #expect(Encoded.record(from: [2, 1]) == nil)
    }
}
