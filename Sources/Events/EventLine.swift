import PageModel

/// An event with its envelope: one line of `--events`, of a log, or of an answer.
///
/// This is the only place where an event turns into words; `docs/EVENTS.md` describes the outcome.
package struct EventLine: Equatable, Sendable {
    /// What happened.
    package enum Event: Equatable, Sendable {
        /// A step of one load.
        case page(PageEvent)
        /// What a watcher concludes; kept in the history.
        case durable(DurableEvent)
        /// This reader has lost so many events, the last of them with this number.
        case missed(count: Int64)
    }

    /// The number of the event in its stream, from 1.
    package var seq: Int64
    package var time: WallTime
    /// The target's name, or in `check` its URL; nil for the service itself.
    package var target: String?
    /// The number of the load among those of its target, from 1; nil when about none.
    package var load: Int64?
    package var event: Event

    package init(seq: Int64, time: WallTime, target: String?, load: Int64?, event: Event) {
        self.seq = seq
        self.time = time
        self.target = target
        self.load = load
        self.event = event
    }

    /// The line of a step of a load.
    package init(seq: Int64, time: WallTime, target: String, load: Int64, event: PageEvent) {
        self.init(seq: seq, time: time, target: target, load: load, event: .page(event))
    }

    /// The line of a durable event.
    package init(
        seq: Int64, time: WallTime, target: String?, load: Int64?, event: DurableEvent
    ) {
        self.init(seq: seq, time: time, target: target, load: load, event: .durable(event))
    }

    /// Appends one JSON object and a line break.
    package func appendJSON(to json: inout JSONWriter) {
        appendObject(to: &json)
        json.newline()
    }

    /// Appends one JSON object.
    package func appendObject(to json: inout JSONWriter) {
        json.object { json in
            json.key("seq")
            json.value(seq)
            json.key("time")
            json.value(time)
            json.key("target")
            json.value(target)
            json.key("load")
            json.value(load)
            json.key("event")
            switch event {
            case .page(let event):
                json.value(event.name.rawValue)
                event.appendMembers(to: &json)
            case .durable(let event):
                json.value(event.name.rawValue)
                event.appendMembers(to: &json)
            case .missed(let count):
                json.value("missed")
                json.key("count")
                json.value(count)
            }
        }
    }
}

extension PageEvent {
    /// Appends the keys that come with the event.
    fileprivate func appendMembers(to json: inout JSONWriter) {
        switch self {
        case .estimatedProgress(let progress):
            json.key("estimatedProgress")
            json.value(progress)
        case .url(let url):
            json.key("url")
            json.value(url)
        case .isLoading(let isLoading):
            json.key("isLoading")
            json.value(isLoading)
        case .title(let title):
            json.key("title")
            json.value(title)
        case .canGoForward(let canGoForward):
            json.key("canGoForward")
            json.value(canGoForward)
        case .canGoBack(let canGoBack):
            json.key("canGoBack")
            json.value(canGoBack)
        case .navigation(let step):
            json.key("state")
            step.appendMembers(to: &json)
        }
    }
}

extension NavigationEvent {
    /// Appends the value of `state`, and the keys that come with it.
    fileprivate func appendMembers(to json: inout JSONWriter) {
        switch self {
        case .started:
            json.value("started")
        case .redirected(let url, let status, let reason):
            json.value("redirected")
            json.key("url")
            json.value(url)
            json.key("status")
            json.value(status)
            json.key("reason")
            json.value(reason.rawValue)
        case .committed(let commit):
            json.value("committed")
            json.key("url")
            json.value(commit.url)
            json.key("status")
            json.value(commit.status)
            json.key("contentType")
            json.value(commit.contentType)
            json.key("encoding")
            json.value(commit.encoding)
            json.key("encodingSource")
            json.value(commit.encodingSource?.rawValue)
        case .finished(let status, let bytes, let timings):
            json.value("finished")
            json.key("status")
            json.value(status)
            json.key("bytes")
            json.value(bytes)
            json.key("timings")
            timings.appendJSON(to: &json)
        case .failed(let committed, let error):
            json.value("failed")
            json.key("committed")
            json.value(committed)
            json.key("error")
            error.appendJSON(to: &json)
        }
    }
}

extension LoadError {
    /// Appends `{phase, code, message}`: the form of every error in events, results and answers.
    package func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            json.key("phase")
            json.value(phase.rawValue)
            json.key("code")
            json.value(code)
            json.key("message")
            json.value(message)
        }
    }
}

extension Timings {
    /// Appends the length of each phase in seconds, to the microsecond: finer is noise.
    func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            json.key("resolve")
            json.value(resolve)
            json.key("connect")
            json.value(connect)
            json.key("tls")
            json.value(tls)
            json.key("firstByte")
            json.value(firstByte)
            json.key("total")
            json.value(total)
        }
    }
}
