import CTestLinux
import Glibc
import Reactor

/// What the site is made of on its loop: listeners, scenarios, connections, and the book of what
/// was asked.
final class Stage {
    private static let backlog: CInt = 4096

    let loop: EventLoop
    let port: UInt16
    private(set) var scenarios: [Scenario]
    private(set) var requests: [Request] = []
    private(set) var accepted = 0
    private let listeners: [Listener]
    private var connections: [Int: Connection] = [:]
    private var gates: [String: Gate] = [:]
    /// How many requests each pattern and each route has had.
    private var asked: [String: Int] = [:]
    private var watchers: [Watcher] = []
    private var areListenersWatched = false

    private struct Gate {
        var isOpen = false
        var waiting: [Connection] = []
    }

    /// Somebody who waits until something is so.
    private struct Watcher {
        let isSo: (Stage) -> Bool
        let tell: () -> Void
    }

    init(
        scenarios: [Scenario], port: UInt16, alsoIPv6: Bool, executor: LoopExecutor
    ) throws(SystemError) {
        loop = try EventLoop(executor: executor)
        self.scenarios = scenarios
        let first = try Listener(port: port, isIPv6: false, backlog: Self.backlog)
        self.port = first.port
        var all = [first]
        if alsoIPv6 {
            all.append(try Listener(port: first.port, isIPv6: true, backlog: Self.backlog))
        }
        listeners = all
        try watchListeners()
    }

    /// Ends all connections and hears no new ones.
    func close() {
        unwatchListeners()
        for listener in listeners { listener.close() }
        for connection in connections.values { connection.close() }
        let waiting = watchers
        watchers = []
        for watcher in waiting { watcher.tell() }
    }

    // MARK: Connections

    private func watchListeners() throws(SystemError) {
        areListenersWatched = true
        for listener in listeners {
            try loop.watch(listener.raw, for: .readable) { [unowned self] _ in accept(listener) }
        }
    }

    private func unwatchListeners() {
        areListenersWatched = false
        for listener in listeners { loop.unwatch(listener.raw) }
    }

    private func accept(_ listener: Listener) {
        while true {
            let raw = accept4(
                listener.raw, nil, nil, CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
            guard raw >= 0 else {
                // Without a free descriptor, the next connection to end makes room.
                if errno == EMFILE || errno == ENFILE { unwatchListeners() }
                return
            }
            var on: CInt = 1
            setsockopt(
                raw, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
            accepted += 1
            let connection = Connection(number: accepted, socket: raw, loop: loop, stage: self)
            connections[accepted] = connection
            let greeting = scenarios.lazy.flatMap(\.routes).first { $0.pattern == .onAccept }
            do {
                try connection.start(greeting: greeting)
            } catch {
                forget(connection)
            }
            tellWatchers()
        }
    }

    /// Takes a connection that has ended off the book.
    func forget(_ connection: Connection) {
        connections[connection.number] = nil
        for name in gates.keys { gates[name]?.waiting.removeAll { $0 === connection } }
        tellWatchers()
        if !areListenersWatched, listeners.allSatisfy({ $0.raw >= 0 }) {
            // Fails only without memory, and then the next connection's end tries again.
            try? watchListeners()
        }
    }

    func isConnected(_ number: Int) -> Bool { connections[number] != nil }

    /// How many connections are open.
    var openConnections: Int { connections.count }

    // MARK: Scenarios

    /// Puts a scenario before the others.
    func add(_ scenario: Scenario) {
        scenarios.insert(scenario, at: 0)
    }

    /// Writes a request into the book and finds the route that answers it.
    func answer(
        to request: Request
    ) -> (route: Route, parameters: [String: String], count: Int) {
        requests.append(request)
        defer { tellWatchers() }
        var counted: Set<String> = []
        for (index, scenario) in scenarios.enumerated() {
            // Counts belong to a scenario; those of one that was put before the others begin
            // at zero.
            let key = "\(scenarios.count - index)"
            for (place, route) in scenario.routes.enumerated() {
                guard let parameters = route.match(request) else { continue }
                let pattern = "\(key) \(route.pattern.text)"
                if counted.insert(pattern).inserted { asked[pattern, default: 0] += 1 }
                let count = asked[pattern] ?? 1
                let own = "\(key).\(place)"
                guard route.isIts(turn: count, answered: asked[own] ?? 0) else { continue }
                asked[own, default: 0] += 1
                return (route, parameters, count)
            }
        }
        return (request.path == "/" ? IndexPage.route(scenarios) : IndexPage.notFound, [:], 1)
    }

    // MARK: Gates and watchers

    func isOpen(gate name: String) -> Bool { gates[name]?.isOpen == true }

    /// How many connections wait at a gate.
    func waiting(at name: String) -> Int { gates[name]?.waiting.count ?? 0 }

    func wait(_ connection: Connection, at name: String) {
        gates[name, default: Gate()].waiting.append(connection)
        tellWatchers()
    }

    /// Lets through who waits at a gate, and who comes later too if it stays open.
    func open(gate name: String, staysOpen: Bool) {
        let waiting = gates[name]?.waiting ?? []
        gates[name] = Gate(isOpen: staysOpen)
        for connection in waiting { connection.pass() }
    }

    /// Calls `tell` once, as soon as `isSo` holds or the site is closed.
    func when(_ isSo: @escaping (Stage) -> Bool, tell: @escaping () -> Void) {
        if isSo(self) { tell() } else { watchers.append(Watcher(isSo: isSo, tell: tell)) }
    }

    private func tellWatchers() {
        guard !watchers.isEmpty else { return }
        let all = watchers
        watchers = []
        for watcher in all {
            if watcher.isSo(self) { watcher.tell() } else { watchers.append(watcher) }
        }
    }
}

extension Route {
    /// The parameters of the path, if all that can be said of the request alone fits.
    fileprivate func match(_ request: Request) -> [String: String]? {
        guard pattern != .onAccept else { return nil }
        let parameters = pattern.text == "*" ? [:] : pattern.match(request.target)
        guard let parameters else { return nil }
        for condition in conditions {
            switch condition {
            case .header(let name, let text):
                guard request.has(name, containing: text) else { return nil }
            case .noHeader(let name, let text):
                guard !request.has(name, containing: text) else { return nil }
            case .method(let method):
                guard request.method == method else { return nil }
            case .times, .turn: break
            }
        }
        return parameters
    }

    /// Whether the counting conditions hold for the `turn`-th request of the pattern, of which
    /// this route has answered so many.
    fileprivate func isIts(turn: Int, answered: Int) -> Bool {
        conditions.allSatisfy { condition in
            switch condition {
            case .times(let times): answered < times
            case .turn(let own, let count): (turn - 1) % count == own - 1
            default: true
            }
        }
    }
}

extension Request {
    fileprivate func has(_ name: String, containing text: String) -> Bool {
        headers.contains { header in
            header.name.lowercased() == name.lowercased()
                && (text.isEmpty || header.value.contains(text))
        }
    }
}
