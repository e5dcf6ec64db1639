import Events
import History
import PageModel
import Reactor
import WebAddress
import Watching

/// The service's API: what may be asked and wished for, over HTTP.
///
/// Input: requests from `Server/HTTPServer`. Output: the watcher's state and the history's, as JSON
/// or for people; wishes to the watcher; events to those who follow.
package final class API {
    /// What came of reading the configuration again.
    package struct Reconfigured: Sendable {
        /// What is wrong, a line each.
        package var mistakes: [String]
        package var changes: Watcher.TargetChanges

        package init(mistakes: [String], changes: Watcher.TargetChanges) {
            self.mistakes = mistakes
            self.changes = changes
        }
    }

    /// Has the configuration read again, by force or not, and calls back when that is done.
    package typealias Reconfigure = (Bool, @escaping (Reconfigured) -> Void) -> Void

    /// All endpoints.
    package static let routes: [Route] = [
        Route("GET", "/v1/status", API.status),
        Route("GET", "/v1/targets", API.targets),
        Route("GET", "/v1/targets/NAME", API.target),
        Route("GET", "/v1/targets/NAME/history", API.history),
        Route("POST", "/v1/targets/NAME/load", API.load),
        Route("POST", "/v1/targets/NAME/reload", API.reload),
        Route("POST", "/v1/targets/NAME/stop", API.stop),
        Route("POST", "/v1/targets/NAME/back", API.back),
        Route("POST", "/v1/targets/NAME/forward", API.forward),
        Route("POST", "/v1/targets/NAME/go", API.go),
        Route("POST", "/v1/targets/NAME/pause", API.pause),
        Route("POST", "/v1/targets/NAME/resume", API.resume),
        Route("POST", "/v1/targets/NAME/forget", API.forget),
        Route("POST", "/v1/reconfigure", API.reconfigure),
        Route("GET", "/v1/events", API.events),
        Route("GET", "/metrics", API.metrics),
    ]

    let watcher: Watcher
    let questions: HistoryQuestions
    let allRecords: AllTargetRecords
    let streams: EventStreams
    let readsConfiguration: Reconfigure
    /// The number of the first event of this run.
    let runStart: Int64
    /// How much of a processor the servers of the API have taken; for its metrics.
    package var processorTime: () -> Duration = { .zero }

    /// - Parameter reconfigure: What reads the configuration again.
    /// - Throws: ``SystemError`` if the system has no descriptors left.
    package init(
        loop: EventLoop, watcher: Watcher, store: HistoryStore, reconfigure: @escaping Reconfigure
    ) throws(SystemError) {
        self.watcher = watcher
        questions = try HistoryQuestions(store, loop: loop)
        allRecords = AllTargetRecords(questions, loop: loop)
        streams = EventStreams(loop: loop, ring: watcher.ring)
        readsConfiguration = reconfigure
        runStart = watcher.ring.next
    }

    /// There is a new event for those who follow.
    package func advanced() { streams.advanced() }

    /// Whether nobody follows, and so nobody waits for the last events.
    package var hasFollowers: Bool { streams.count > 0 }

    /// Has all who follow told what there is, and then ends their streams.
    package func finish() { streams.finish() }

    /// Answers a request.
    package func handle(_ request: Request, _ responder: Responder) {
        answer(request, responder, Self.routes)
    }

    /// Answers a request for the metrics alone, and refuses all else.
    package func handleMetrics(_ request: Request, _ responder: Responder) {
        answer(request, responder, Self.routes.filter { $0.path == "/metrics" })
    }

    private func answer(_ request: Request, _ responder: Responder, _ routes: [Route]) {
        var methods: [String] = []
        for route in routes {
            guard let values = route.match(request.path) else { continue }
            guard route.method == request.method else {
                methods.append(route.method)
                continue
            }
            let asked = APIRequest(request: request, values: values, responder: responder)
            do throws(Refusal) {
                try route.answer(self)(asked)
            } catch {
                responder.refuse(error)
            }
            return
        }
        guard methods.isEmpty else {
            let allowed = methods.joined(separator: ", ")
            let refusal = Refusal(
                status: 405, code: "methodNotAllowed", message: "only \(allowed) is understood here"
            )
            return responder.respond(
                status: 405, contentType: "application/json", body: refusal.body,
                headers: [("Allow", allowed)])
        }
        responder.refuse(
            Refusal(
                status: 404, code: "notFound",
                message: "nothing is there (docs/API.md lists what is)"))
    }
}
