import Events
import History
import PageModel
import WebAddress
import Watching

/// What may be wished for. Each answers with the target as it is then
/// (a person gets a line of it); with `wait` set, once the load
/// has ended.
extension API {
    func load(_ asked: APIRequest) throws(Refusal) {
        var address: WebAddress?
        if let url = asked.request.parameter("url") {
            do throws(WebAddressError) {
                address = try WebAddress(url)
            } catch {
                throw Refusal(status: 400, code: error.code.rawValue, message: error.message)
            }
        }
        try wish(asked) { [watcher] name throws(Watcher.Refusal) in
            try watcher.load(address, in: name)
        }
    }

    func reload(_ asked: APIRequest) throws(Refusal) {
        try wish(asked) { [watcher] name throws(Watcher.Refusal) in try watcher.reload(name) }
    }

    func stop(_ asked: APIRequest) throws(Refusal) {
        try wish(asked) { [watcher] name throws(Watcher.Refusal) in
            try watcher.stopLoading(name)
        }
    }

    func back(_ asked: APIRequest) throws(Refusal) { try go(asked, to: -1) }

    func forward(_ asked: APIRequest) throws(Refusal) { try go(asked, to: 1) }

    func go(_ asked: APIRequest) throws(Refusal) {
        guard let offset = try asked.number("index", in: -100...100) else {
            throw .badParameter("index is missing (-1 is the page before, 1 the one after)")
        }
        try go(asked, to: Int(offset))
    }

    private func go(_ asked: APIRequest, to offset: Int) throws(Refusal) {
        try wish(asked) { [watcher] name throws(Watcher.Refusal) in
            try watcher.go(to: offset, in: name)
        }
    }

    func pause(_ asked: APIRequest) throws(Refusal) {
        let seconds = try asked.number("seconds", in: 1...366 * 86_400)
        try wish(asked) { [watcher] name throws(Watcher.Refusal) in
            try watcher.pause(name, for: seconds.map { .seconds($0) })
        }
    }

    func resume(_ asked: APIRequest) throws(Refusal) {
        try wish(asked) { [watcher] name throws(Watcher.Refusal) in try watcher.resume(name) }
    }

    func forget(_ asked: APIRequest) throws(Refusal) {
        let name = asked.target
        do throws(Watcher.Refusal) {
            try watcher.forget(name)
        } catch {
            throw refusal(error)
        }
        // Of one that is not defined there is nothing left to tell.
        if watcher.view(of: name) == nil {
            return asked.responder.respond(status: 204, contentType: Self.plainText, body: [])
        }
        try tell(name, to: asked, isWish: true)
    }

    /// Does what is wished for, and answers.
    private func wish(
        _ asked: APIRequest, _ body: (String) throws(Watcher.Refusal) -> Void
    ) throws(Refusal) {
        let name = asked.target
        do throws(Watcher.Refusal) {
            try body(name)
            if asked.isSet("wait") {
                return try watcher.whenLoaded(name) { [weak self] result in
                    self?.tellLater(name, to: asked, load: result)
                }
            }
        } catch {
            throw refusal(error)
        }
        try tell(name, to: asked, isWish: true)
    }

    private func refusal(_ refusal: Watcher.Refusal) -> Refusal {
        switch refusal {
        case .unknownTarget(let name): unknownTarget(name)
        case .noSuchItem(let offset):
            Refusal(
                status: 409, code: "noSuchItem",
                message: "the back-forward list has no item at \(offset)")
        case .notEnabled(let name):
            Refusal(
                status: 409, code: "notEnabled",
                message: "\(name) is not enabled in the configuration, so there is nothing to pause"
            )
        }
    }

    private func tellLater(_ name: String, to asked: APIRequest, load: LoadResult?) {
        do throws(Refusal) {
            try tell(name, to: asked, isWish: true, load: load)
        } catch {
            asked.responder.refuse(error)
        }
    }

    func reconfigure(_ asked: APIRequest) throws(Refusal) {
        readsConfiguration(asked.isSet("force")) { outcome in
            let isRefused = !outcome.mistakes.isEmpty
            if asked.wantsText {
                return asked.responder.respond(
                    status: isRefused ? 422 : 200, contentType: Self.plainText,
                    body: Array(outcome.text.utf8))
            }
            var json = JSONWriter()
            outcome.appendJSON(to: &json)
            asked.responder.respond(
                status: isRefused ? 422 : 200, contentType: "application/json", body: json.bytes)
        }
    }
}

extension API.Reconfigured {
    /// The mistakes, or what is in force now, a line each.
    fileprivate var text: String {
        guard mistakes.isEmpty else { return mistakes.map { escaped($0) + "\n" }.joined() }
        guard !changes.isEmpty else { return "no target changed\n" }
        return [
            ("added", changes.added), ("changed", changes.changed), ("removed", changes.removed),
        ]
        .filter { !$0.1.isEmpty }
        .map { "\($0.0) \($0.1.map(escaped).joined(separator: ", "))\n" }.joined()
    }

    fileprivate func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            if let first = mistakes.first {
                json.key("error")
                json.object { json in
                    json.key("code")
                    json.value("refused")
                    json.key("message")
                    json.value(first)
                }
            }
            json.key("mistakes")
            json.value(mistakes)
            json.key("added")
            json.value(changes.added)
            json.key("removed")
            json.value(changes.removed)
            json.key("changed")
            json.value(changes.changed)
        }
        json.newline()
    }
}
