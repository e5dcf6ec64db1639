import CTestLinux
import Glibc
import Reactor

/// An HTTP server on loopback that answers exactly as slowly and as oddly as its scenarios say.
///
/// Lives on a thread of its own; every connection is served independently of the others.
package actor LoopbackSite: LoopActor {
    package nonisolated let executor: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }
    package var loop: EventLoop { stage.loop }
    package private(set) var isDone = false

    /// The port that it listens on.
    package nonisolated let port: UInt16
    private let stage: Stage

    /// Listens, but does not answer before ``run()``.
    ///
    /// - Parameters:
    ///   - scenarios: What is played; the first route that fits a request answers it.
    ///   - port: 0 for any that is free.
    ///   - alsoIPv6: Whether it listens on `[::1]` too, on the same port.
    /// - Throws: ``SystemError`` if the port is taken.
    package init(
        scenarios: [Scenario], port: UInt16 = 0, alsoIPv6: Bool = false
    ) throws {
        executor = try LoopExecutor()
        stage = try Stage(
            scenarios: scenarios, port: port, alsoIPv6: alsoIPv6, executor: executor)
        self.port = stage.port
    }

    /// Starts the thread that answers.
    package nonisolated func run() throws {
        try LoopThread.start(self)
    }

    /// A running site. It plays the scenarios of the folder beside the sources if none are given,
    /// and before them the one that is written in `text`.
    ///
    /// - Throws: ``ScenarioError`` for a mistake in a scenario, ``SystemError`` if the port is taken.
    package static func start(
        scenarios: [Scenario]? = nil, text: String? = nil, port: UInt16 = 0,
        alsoIPv6: Bool = false
    ) async throws -> LoopbackSite {
        var all = try scenarios ?? Scenario.own.get()
        if let text { all.insert(try Scenario(text: text), at: 0) }
        let site = try LoopbackSite(scenarios: all, port: port, alsoIPv6: alsoIPv6)
        try site.run()
        return site
    }

    /// Closes every connection and the listener, and ends the thread.
    package func stop() {
        guard !isDone else { return }
        stage.close()
        isDone = true
    }

    /// The URL of a path (and query) on this site.
    package nonisolated func url(_ path: String = "/") -> String {
        "http://127.0.0.1:\(port)\(path)"
    }

    /// The URLs that are nice to watch.
    package func demonstrations() -> [String] {
        stage.scenarios.sorted { $0.name < $1.name }.compactMap(\.demonstration).map { url($0) }
    }

    /// Adds a scenario before the others.
    ///
    /// - Throws: ``ScenarioError`` for the first mistake in the text.
    package func add(_ text: String) throws {
        stage.add(try Scenario(text: text))
    }

    // MARK: What was asked

    /// All requests so far, or those for one path (or target with its query), in their order.
    package func requests(for target: String? = nil) -> [Request] {
        guard let target else { return stage.requests }
        return stage.requests.filter { $0.fits(target) }
    }

    /// How many connections were accepted so far.
    package var acceptedConnections: Int { stage.accepted }

    /// How many connections are open.
    package var openConnections: Int { stage.openConnections }

    /// Waits for the n-th request for a path (or target with its query).
    ///
    /// - Throws: ``SiteStopped`` if the site ends before.
    @discardableResult
    package func waitForRequest(_ target: String, number: Int = 1) async throws -> Request {
        await wait { stage in stage.requests.lazy.filter { $0.fits(target) }.count >= number }
        let all = requests(for: target)
        guard all.count >= number else { throw SiteStopped() }
        return all[number - 1]
    }

    /// Waits until so many requests have come in all.
    package func waitForRequests(number: Int) async {
        await wait { $0.requests.count >= number }
    }

    /// Waits until so many connections have been accepted in all.
    package func waitForConnection(number: Int = 1) async {
        await wait { $0.accepted >= number }
    }

    /// Waits until a connection has ended, by either side.
    package func waitForEnd(ofConnection number: Int) async {
        await wait { $0.accepted >= number && !$0.isConnected(number) }
    }

    /// Waits until an answer has come to a `gate` step.
    package func waitForGate(_ name: String, count: Int = 1) async {
        await wait { $0.waiting(at: name) >= count }
    }

    /// Lets the answers that wait at a gate go on, and those that come later too if it stays open.
    package func open(gate name: String, staysOpen: Bool = false) {
        stage.open(gate: name, staysOpen: staysOpen)
    }

    private func wait(until isSo: @escaping (Stage) -> Bool) async {
        await withCheckedContinuation { continuation in
            if isDone {
                continuation.resume()
            } else {
                stage.when(isSo) { continuation.resume() }
            }
        }
    }
}

/// The site was stopped while somebody waited for a request.
package struct SiteStopped: Error {
    package init() {}
}

extension Request {
    /// Whether it is for that path, or that whole target if one with a query is given.
    func fits(_ target: String) -> Bool {
        self.target == target || path == target
    }
}
