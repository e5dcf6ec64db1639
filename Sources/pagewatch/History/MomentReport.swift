import Events
import History
import PageModel

/// What was known of a target at a time, as lines for people or as a JSON object.
struct MomentReport {
    let target: String
    let moment: Moment
    let zone: TimeZoneStyle

    /// The title then, the loads around it, and whether anybody was watching: a line each.
    var text: String {
        var lines = ["\(told(moment.time)) \(escaped(target)): \(title)"]
        if let shown = moment.shown, let before = moment.loadBefore {
            lines.append("  load before: \(told(before)) \(quoted(shown.title))")
        } else {
            lines.append("  load before: (none)")
        }
        if let after = moment.loadAfter {
            lines.append("  load after: \(told(after)) \(quoted(titleAfter))")
        } else {
            lines.append("  load after: (none)")
        }
        lines.append("  watching: \(watching)")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Keys as `docs/EVENTS.md` lists them.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("time")
            json.value(WallTime(moment.time))
            json.key("target")
            json.value(target)
            json.key("title")
            json.value(moment.told?.title)
            json.key("since")
            time(moment.told?.time, to: &json)
            json.key("before")
            load(moment.loadBefore, moment.shown?.title, to: &json)
            json.key("after")
            load(moment.loadAfter, titleAfter, to: &json)
            json.key("watching")
            switch moment.watching {
            case .yes: json.value(true)
            case .no: json.value(false)
            case .unknown: json.null()
            }
            if case .no(let since, let until, let reason) = moment.watching {
                json.key("gap")
                json.object { json in
                    json.key("since")
                    json.value(WallTime(since))
                    json.key("until")
                    json.value(WallTime(until))
                    json.key("reason")
                    json.value(reason.rawValue)
                }
            }
        }
        json.newline()
        return json.bytes
    }

    private var title: String {
        guard let told = moment.told else { return "no title was confirmed yet" }
        return "\(quoted(told.title)) since \(self.told(told.time))"
    }

    /// What the first load behind the time showed: within a run, the same as before.
    private var titleAfter: String? {
        if let shown = moment.shown, shown.last > moment.time { return shown.title }
        return moment.next?.title
    }

    private var watching: String {
        switch moment.watching {
        case .yes: "yes"
        case .no(let since, let until, let reason):
            "no (\(reason.rawValue) from \(told(since)) to \(told(until)))"
        case .unknown: "unknown"
        }
    }

    private func told(_ time: Timestamp) -> String { WallTime(time).text(zone) }

    private func time(_ time: Timestamp?, to json: inout JSONWriter) {
        if let time { json.value(WallTime(time)) } else { json.null() }
    }

    private func load(_ time: Timestamp?, _ title: String?, to json: inout JSONWriter) {
        if let time {
            SeenTitle(title: title, time: time).appendJSON(to: &json)
        } else {
            json.null()
        }
    }
}
