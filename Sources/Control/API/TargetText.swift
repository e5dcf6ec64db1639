import Events
import History
import PageModel
import Watching

extension TargetAnswer {
    /// All there is to tell a person about the target, a fact a line.
    func text(_ zone: TimeZoneStyle, now: Timestamp) -> String {
        var facts: [(String, String)] = [("state", state(zone))]
        if let url = view.url { facts.append(("url", escaped(url))) }
        facts.append(("title", view.title.map { quoted($0.title) } ?? "not known yet"))
        if let seen = view.title { facts.append(("last seen", time(seen.time, zone, now))) }
        if let lastChange { facts.append(("last change", time(lastChange, zone, now))) }
        if let next = view.nextCheck { facts.append(("next check", time(next, zone, now))) }
        if let held = view.heldUntil {
            facts.append(
                ("held", "the server asked to be left alone until \(time(held, zone, now))"))
        }
        if !view.tags.isEmpty {
            facts.append(("tags", view.tags.map(escaped).joined(separator: ", ")))
        }
        facts += pageFacts()
        if let lastGood { facts.append(("last good", load(lastGood, zone, now))) }
        if let lastFailed { facts.append(("last failed", load(lastFailed, zone, now))) }
        if !view.explanation.isEmpty { facts.append(("decision", view.explanation)) }
        let width = facts.map(\.0.count).max() ?? 0
        let lines = facts.map { name, text in
            "  " + name + String(repeating: " ", count: width - name.count + 2) + text
        }
        return ([escaped(view.name)] + lines).joined(separator: "\n") + "\n"
    }

    /// What a wish came to: where the page is, and how it goes on.
    func line(_ zone: TimeZoneStyle, now: Timestamp) -> String {
        let page = view.page
        var what = escaped(page.url)
        if page.isLoading {
            what = "loading \(what) (\(Int((page.estimatedProgress * 100).rounded())) %)"
        } else if page.url.isEmpty {
            what = "no page is shown"
        } else {
            what = "\(quoted(page.title)) at \(what)"
        }
        let list = page.backForwardList
        if !list.backList.isEmpty { what += ", \(list.backList.count) back" }
        if !list.forwardList.isEmpty { what += ", \(list.forwardList.count) forward" }
        var next = ""
        if view.state == .paused {
            next = view.pausedUntil.map { "; paused until \(time($0, zone, now))" } ?? "; paused"
        } else if let check = view.nextCheck {
            next = "; next check in \(Span.text(check.milliseconds - now.milliseconds))"
        }
        return "\(escaped(view.name)): \(what)\(next)\n"
    }

    private func state(_ zone: TimeZoneStyle) -> String {
        var text = view.state.rawValue
        if view.state == .paused {
            text += view.pausedUntil.map { " until \(WallTime($0).text(zone))" } ?? ""
        }
        if let failing = view.failing {
            if view.state != .failing { text += ", failing" }
            text += " since \(WallTime(failing.since).text(zone)): \(failing.error.text)"
        } else if view.failedLoads > 0 {
            text +=
                ", the last \(view.failedLoads == 1 ? "load" : "\(view.failedLoads) loads") failed"
        }
        return text
    }

    private func pageFacts() -> [(String, String)] {
        let page = view.page
        let progress = Int((page.estimatedProgress * 100).rounded())
        var facts = [
            (
                "page",
                (page.url.isEmpty ? "none" : escaped(page.url))
                    + (page.isLoading ? ", loading (\(progress) %)" : "")
            ), ("page title", quoted(page.title)),
        ]
        let list = page.backForwardList
        // Nearest first, as in a browser's menu.
        for (offset, item) in list.backList.reversed().enumerated() {
            facts.append((offset == 0 ? "back" : "", "-\(offset + 1)  " + Self.text(item)))
        }
        for (offset, item) in list.forwardList.enumerated() {
            facts.append((offset == 0 ? "forward" : "", "+\(offset + 1)  " + Self.text(item)))
        }
        return facts
    }

    private static func text(_ item: BackForwardList.Item) -> String {
        escaped(item.url) + "  " + quoted(item.title)
    }

    private func load(_ record: LoadRecord, _ zone: TimeZoneStyle, _ now: Timestamp) -> String {
        let what =
            record.error?.text ?? "\(record.status ?? 0) \(quoted(record.title))"
        return "\(time(record.ended, zone, now)): \(what)"
    }

    /// `2026-05-28T22:26:40+02:00 (5 min ago)`.
    private func time(_ time: Timestamp, _ zone: TimeZoneStyle, _ now: Timestamp) -> String {
        let span = now.milliseconds - time.milliseconds
        return WallTime(time).text(zone)
            + (span >= 0 ? " (\(Span.text(span)) ago)" : " (in \(Span.text(-span)))")
    }
}
