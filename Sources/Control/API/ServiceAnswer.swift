import Events
import History
import PageModel
import Watching

extension ServiceView {
    /// Appends one JSON object: `GET /v1/status`.
    ///
    /// - Parameter followers: How many readers follow the events.
    func appendJSON(to json: inout JSONWriter, followers: Int) {
        json.object { json in
            json.key("version")
            json.value(version)
            json.key("started")
            json.value(started)
            json.key("states")
            json.array { json in
                for state in TargetView.State.allCases where state != .retired {
                    json.object { json in
                        json.key("state")
                        json.value(state.rawValue)
                        json.key("count")
                        json.value(targets[state] ?? 0)
                    }
                }
            }
            json.key("running")
            json.value(running)
            json.key("waiting")
            json.value(waiting)
            json.key("offline")
            json.value(isOffline)
            json.key("nextEvent")
            json.value(nextEvent)
            json.key("followers")
            json.value(followers)
            json.key("store")
            json.object { json in
                json.key("bytes")
                json.value(store.databaseBytes)
                json.key("unwritten")
                json.value(store.waitingItems)
                json.key("dropped")
                json.value(store.droppedRows)
                json.key("trouble")
                json.value(store.waitingBecause)
            }
        }
        json.newline()
    }

    /// `pagewatch 0.1.0, up 3 h: 12 targets, 1 failing, 2 loading`.
    func text(now: Timestamp) -> String {
        let count = targets.values.reduce(0, +)
        var parts = [count == 1 ? "1 target" : "\(count) targets"]
        for state in TargetView.State.allCases where state != .fine {
            if let count = targets[state], count > 0 { parts.append("\(count) \(state.rawValue)") }
        }
        if running > 0 { parts.append("\(running) loading") }
        if waiting > 0 { parts.append("\(waiting) waiting to load") }
        var text = "pagewatch \(version)"
        if let started { text += ", up " + Span.text(now.milliseconds - started.milliseconds) }
        text += ": " + parts.joined(separator: ", ")
        if isOffline { text += "\nThis machine seems to be offline: failures do not count." }
        if let trouble = store.waitingBecause {
            text += "\nThe history can't be written: " + escaped(trouble)
        }
        return text
    }
}

/// Lengths of time for people, in one unit.
enum Span {
    private static let units: [(milliseconds: Int64, name: String)] = [
        (86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"),
    ]

    /// `34 s`, `5 min`, `3 h`, `12 d`; rounded down, `0 s` for less than one.
    static func text(_ milliseconds: Int64) -> String {
        let span = max(0, milliseconds)
        let unit = units.first { span >= $0.milliseconds } ?? (1000, "s")
        return "\(span / unit.milliseconds) \(unit.name)"
    }
}
