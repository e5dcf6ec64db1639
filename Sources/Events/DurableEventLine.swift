import PageModel

extension DurableEvent {
    /// Appends the keys that come with the event.
    func appendMembers(to json: inout JSONWriter) {
        switch self {
        case .firstSeen(let title, let url, let previous):
            json.key("title")
            json.value(title)
            json.key("url")
            json.value(url)
            if let previous {
                json.key("previous")
                previous.appendJSON(to: &json)
            }
        case .titleChanged(let change):
            change.appendMembers(to: &json)
        case .failing(let error, let status, let since),
            .recovered(let error, let status, let since):
            json.key("error")
            error.appendJSON(to: &json)
            json.key("status")
            json.value(status)
            json.key("since")
            json.value(WallTime(since))
        case .oscillating(let titles), .settled(let titles), .unstable(let titles):
            json.key("titles")
            json.value(titles)
        case .rebased(let from, let to, let because):
            json.key("from")
            json.value(from)
            json.key("to")
            json.value(to)
            json.key("because")
            json.value(because)
        case .encodingChanged(let title, let encoding, let previousEncoding):
            json.key("title")
            json.value(title)
            json.key("encoding")
            json.value(encoding)
            json.key("previousEncoding")
            json.value(previousEncoding)
        case .gap(let since, let until, let reason, let targets):
            json.key("since")
            json.value(WallTime(since))
            json.key("until")
            json.value(WallTime(until))
            json.key("reason")
            json.value(reason.rawValue)
            if let targets {
                json.key("targets")
                json.value(targets)
            }
        case .service(let event):
            event.appendMembers(to: &json)
        }
    }
}

extension TitleChange {
    fileprivate func appendMembers(to json: inout JSONWriter) {
        json.key("from")
        json.value(from)
        json.key("to")
        json.value(to)
        json.key("url")
        json.value(url)
        json.key("initialURL")
        json.value(initialURL)
        json.key("lastSeen")
        json.value(WallTime(lastSeen))
        json.key("firstShown")
        json.value(WallTime(firstShown))
        if let fromURL {
            json.key("fromURL")
            json.value(fromURL)
        }
    }
}

extension SeenTitle {
    /// Appends `{title, time}`.
    package func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            json.key("title")
            json.value(title)
            json.key("time")
            json.value(WallTime(time))
        }
    }
}

extension ServiceEvent {
    fileprivate func appendMembers(to json: inout JSONWriter) {
        json.key("state")
        json.value(state.rawValue)
        json.key("version")
        json.value(version)
        // A new configuration has all three, so that a script need not ask for each.
        let hasAll = state == .reconfigured
        if hasAll || !added.isEmpty {
            json.key("added")
            json.value(added)
        }
        if hasAll || !removed.isEmpty {
            json.key("removed")
            json.value(removed)
        }
        if hasAll || !changed.isEmpty {
            json.key("changed")
            json.value(changed)
        }
        if let message {
            json.key("message")
            json.value(message)
        }
    }
}

extension JSONWriter {
    /// An array of strings and nulls.
    package mutating func value(_ texts: [String?]) {
        array { json in
            for text in texts { json.value(text) }
        }
    }
}
