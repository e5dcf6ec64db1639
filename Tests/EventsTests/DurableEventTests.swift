import Glibc
import PageModel
import Testing

@testable import Events

private let noon = Timestamp(milliseconds: 1_780_056_000_123)
private let later = Timestamp(milliseconds: 1_780_059_600_000)
private let refused = LoadError(phase: .connect, code: "refused", message: "Connection refused")

private func line(_ event: DurableEvent) -> EventLine {
    if case .service = event {
        return EventLine(seq: 7, time: WallTime(noon), target: nil, load: nil, event: event)
    }
    return EventLine(seq: 7, time: WallTime(noon), target: "blog", load: 2, event: event)
}

private func change(from: String?, to: String?, fromURL: String? = nil) -> DurableEvent {
    .titleChanged(
        TitleChange(
            from: from, to: to, url: "https://b/", initialURL: "https://a/", lastSeen: noon,
            firstShown: later, fromURL: fromURL))
}

private let envelope = #"{"seq":7,"time":"2026-05-29T12:00:00.123Z","target":"blog","load":2,"#

@Suite struct `Durable event` {
    @Test(
        arguments: [
            (
                .firstSeen(title: "A", url: "https://a/", previous: nil),
                #""event":"firstSeen","title":"A","url":"https://a/""#
            ),
            (
                .firstSeen(
                    title: nil, url: "https://a/", previous: SeenTitle(title: "B", time: noon)),
                #""event":"firstSeen","title":null,"url":"https://a/","#
                    + #""previous":{"title":"B","time":"2026-05-29T12:00:00.123Z"}"#
            ),
            (
                change(from: "A", to: nil),
                #""event":"titleChanged","from":"A","to":null,"url":"https://b/","#
                    + #""initialURL":"https://a/","lastSeen":"2026-05-29T12:00:00.123Z","#
                    + #""firstShown":"2026-05-29T13:00:00.000Z""#
            ),
            (
                change(from: "", to: "B", fromURL: "https://c/"),
                #""event":"titleChanged","from":"","to":"B","url":"https://b/","#
                    + #""initialURL":"https://a/","lastSeen":"2026-05-29T12:00:00.123Z","#
                    + #""firstShown":"2026-05-29T13:00:00.000Z","fromURL":"https://c/""#
            ),
            (
                .failing(error: refused, status: nil, since: noon),
                #""event":"failing","error":{"phase":"connect","code":"refused","#
                    + #""message":"Connection refused"},"status":null,"#
                    + #""since":"2026-05-29T12:00:00.123Z""#
            ),
            (
                .recovered(error: refused, status: 503, since: noon),
                #""event":"recovered","error":{"phase":"connect","code":"refused","#
                    + #""message":"Connection refused"},"status":503,"#
                    + #""since":"2026-05-29T12:00:00.123Z""#
            ),
            (
                .oscillating(titles: ["A", nil]),
                #""event":"oscillating","titles":["A",null]"#
            ),
            (.settled(titles: ["A"]), #""event":"settled","titles":["A"]"#),
            (.unstable(titles: []), #""event":"unstable","titles":[]"#),
            (
                .rebased(from: "A", to: "B", because: "url"),
                #""event":"rebased","from":"A","to":"B","because":"url""#
            ),
            (
                .encodingChanged(title: "A", encoding: "UTF-8", previousEncoding: "windows-1252"),
                #""event":"encodingChanged","title":"A","encoding":"UTF-8","#
                    + #""previousEncoding":"windows-1252""#
            ),
            (
                .gap(since: noon, until: later, reason: .overrun, targets: nil),
                #""event":"gap","since":"2026-05-29T12:00:00.123Z","#
                    + #""until":"2026-05-29T13:00:00.000Z","reason":"overrun""#
            ),
            (
                .gap(since: noon, until: later, reason: .stopped, targets: 3),
                #""event":"gap","since":"2026-05-29T12:00:00.123Z","#
                    + #""until":"2026-05-29T13:00:00.000Z","reason":"stopped","targets":3"#
            ),
        ] as [(DurableEvent, String)])
    func `has the envelope's keys, then its own, in their order`(
        event: DurableEvent, members: String
    ) {
        var json = JSONWriter()
        line(event).appendJSON(to: &json)
        #expect(String(decoding: json.bytes, as: UTF8.self) == envelope + members + "}\n")
    }

    @Test(
        arguments: [
            (
                ServiceEvent(state: .started, version: "0.1.0"),
                #""state":"started","version":"0.1.0"}"#, "started: version 0.1.0"
            ),
            (
                ServiceEvent(state: .reconfigured, version: "0.1.0", added: ["a", "b"]),
                #""state":"reconfigured","version":"0.1.0","added":["a","b"],"removed":[],"#
                    + #""changed":[]}"#,
                "reconfigured: added a, b"
            ),
            (
                ServiceEvent(
                    state: .storeTrouble, version: "0.1.0", message: "the disk is full\nforged"),
                #""state":"storeTrouble","version":"0.1.0","#
                    + #""message":"the disk is full\u000Aforged"}"#,
                #"store trouble: the disk is full\u000Aforged"#
            ),
            (
                ServiceEvent(
                    state: .paused, version: "0.1.0",
                    changed: ["a", "b", "c", "d", "e", "f", "g"]),
                #""state":"paused","version":"0.1.0","#
                    + #""changed":["a","b","c","d","e","f","g"]}"#,
                "paused: changed a, b, c, d, e and 2 more"
            ),
        ])
    func `of the service has no target and no load`(
        event: ServiceEvent, members: String, text: String
    ) {
        var json = JSONWriter()
        line(.service(event)).appendJSON(to: &json)
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == #"{"seq":7,"time":"2026-05-29T12:00:00.123Z","target":null,"load":null,"#
                + #""event":"service","# + members + "\n")
        #expect(line(.service(event)).text(times: .utc) == "(service): " + text)
    }

    @Test(
        arguments: [
            (.firstSeen(title: "A", url: "u", previous: nil), #"first seen: "A""#),
            (
                .firstSeen(title: "A", url: "u", previous: SeenTitle(title: nil, time: noon)),
                #"first seen: "A" (was (none))"#
            ),
            (change(from: "A", to: "B"), #"title changed: "A" -> "B""#),
            (change(from: nil, to: ""), #"title changed: (none) -> """#),
            (
                change(from: "A\" -> \"B", to: "x\nblog: title changed: \"C\" -> \"D\""),
                #"title changed: "A\" -> \"B" -> "x\u000Ablog: title changed: \"C\" -> \"D\"""#
            ),
            (
                .failing(error: refused, status: nil, since: noon),
                "failing: connect: refused: Connection refused (since 2026-05-29T12:00:00Z)"
            ),
            (
                .recovered(error: refused, status: nil, since: noon),
                "recovered: failed since 2026-05-29T12:00:00Z: connect: refused: Connection refused"
            ),
            (.oscillating(titles: ["A", nil]), #"oscillating: "A", (none)"#),
            (.rebased(from: "A", to: "B", because: "url"), #"rebased: "A" -> "B" (url)"#),
            (
                .encodingChanged(title: "A", encoding: "UTF-8", previousEncoding: "windows-1252"),
                #"encoding changed: windows-1252 -> UTF-8: "A""#
            ),
            (
                .gap(since: noon, until: later, reason: .offline, targets: 3),
                "not watched: offline from 2026-05-29T12:00:00Z to 2026-05-29T13:00:00Z, 3 targets"
            ),
        ] as [(DurableEvent, String)])
    func `is one line for people`(event: DurableEvent, text: String) {
        #expect(line(event).text(times: .utc) == "blog: " + text)
    }

    @Test func `tells local times with their distance from UTC`() {
        // The zone of the machine is not known here; read back, it is the same time.
        let text = WallTime(noon).text(.local)
        let fields = text.split { !$0.isNumber }.compactMap { Int($0) }
        #expect(fields.count == 8)
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (Int32(fields[0] - 1900), Int32(fields[1] - 1))
        (parts.tm_mday, parts.tm_hour) = (Int32(fields[2]), Int32(fields[3]))
        (parts.tm_min, parts.tm_sec) = (Int32(fields[4]), Int32(fields[5]))
        let sign = text.dropFirst(19).hasPrefix("-") ? -1 : 1
        let offset = sign * (fields[6] * 3600 + fields[7] * 60)
        #expect(Int64(timegm(&parts) - offset) == noon.milliseconds / 1000)
        #expect(WallTime(milliseconds: -1).text(.utc) == "1969-12-31T23:59:59Z")
    }
}
