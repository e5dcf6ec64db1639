import PageModel

extension EventLine {
    /// The event for people: `TARGET: KIND: text` without a line break.
    ///
    /// For the service itself, `(service)` stands in the target's place: no target is named so.
    package var text: String { text(times: .local) }

    /// As ``text``; times within it are told in this zone.
    package func text(times zone: TimeZoneStyle) -> String {
        let (kind, detail) =
            switch event {
            case .page(let event): (event.kind, event.detail)
            case .durable(let event): (event.kind, event.detail(zone))
            case .missed(let count): ("missed", "\(count == 1 ? "1 event" : "\(count) events")")
            }
        let head = (target.map(escaped) ?? "(service)") + ": " + kind
        return detail.isEmpty ? head : head + ": " + detail
    }
}

extension PageEvent {
    /// What happened, in a word or two.
    fileprivate var kind: String {
        switch self {
        case .estimatedProgress: "progress"
        case .url: "url"
        case .isLoading: "loading"
        case .title: "title"
        case .canGoForward: "can go forward"
        case .canGoBack: "can go back"
        case .navigation(.started): "started"
        case .navigation(.redirected): "redirected"
        case .navigation(.committed): "committed"
        case .navigation(.finished): "finished"
        case .navigation(.failed): "failed"
        }
    }

    /// What there is to tell beside the kind; no control characters.
    fileprivate var detail: String {
        switch self {
        case .estimatedProgress(let progress): Figures.decimal(progress * 100, digits: 1) + " %"
        case .url(let url): url.isEmpty ? "(none)" : escaped(url)
        case .isLoading(let truth), .canGoForward(let truth), .canGoBack(let truth):
            truth ? "yes" : "no"
        case .title(let title): quoted(title)
        case .navigation(let step): step.detail
        }
    }
}

extension NavigationEvent {
    fileprivate var detail: String {
        switch self {
        case .started: ""
        case .redirected(let url, let status, .http): "\(status) -> \(escaped(url))"
        case .redirected(let url, let status, .refresh): "\(status) refresh -> \(escaped(url))"
        case .committed(let commit): commit.text
        case .finished(let status, let bytes, let timings):
            "\(status), \(Figures.size(bytes)) in \(Figures.seconds(timings.total))"
        case .failed(_, let error): error.text
        }
    }
}

extension Commit {
    /// `200 text/html https://final/`.
    fileprivate var text: String {
        var text = "\(status) "
        if let contentType, !contentType.isEmpty { text += escaped(contentType) + " " }
        return text + escaped(url)
    }
}

extension LoadError {
    /// `connect: refused: Connection refused`.
    package var text: String {
        "\(phase.rawValue): \(escaped(code))" + (message.isEmpty ? "" : ": \(escaped(message))")
    }
}
