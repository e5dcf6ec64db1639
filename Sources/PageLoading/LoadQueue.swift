/// Loads that wait for their turn: at most so many at a time, and at most so many to one host.
///
/// They start in the order in which they came, but for those whose host is busy, which let others
/// pass. None is dropped. The owner says when a load has ended.
package final class LoadQueue {
    private struct Entry {
        let order: Int
        let host: String
        let start: () -> Bool
    }

    private struct Host {
        var running = 0
        /// In order.
        var waiting = WaitingLine<Entry>()
    }

    private var concurrency: Int
    private var perHost: Int
    private var hosts: [String: Host] = [:]
    /// In order; their hosts had room when they came in here, and may have lost it since.
    private var ready = WaitingLine<Entry>()
    private var next = 0
    package private(set) var running = 0
    /// Loads that have not started.
    package private(set) var waiting = 0

    /// - Parameters:
    ///   - concurrency: At least 1; over all hosts.
    ///   - perHost: At least 1; a host is a name and a port.
    package init(concurrency: Int, perHost: Int) {
        self.concurrency = max(1, concurrency)
        self.perHost = max(1, perHost)
    }

    /// Sets other bounds. Loads that run beyond a lower one run on.
    package func change(concurrency: Int, perHost: Int) {
        self.concurrency = max(1, concurrency)
        self.perHost = max(1, perHost)
        for (name, host) in hosts {
            for _ in host.running..<max(host.running, self.perHost) { readyNext(of: name) }
        }
        startReady()
    }

    /// Runs `start` now or as soon as there is room. It answers whether a load has begun, and then
    /// ``ended(host:)`` must follow once; if nobody wants the load any more, nothing follows.
    package func add(host: String, start: @escaping () -> Bool) {
        let entry = Entry(order: next, host: host, start: start)
        next += 1
        waiting += 1
        if hosts[host, default: Host()].running >= perHost {
            hosts[host]?.waiting.append(entry)
        } else {
            ready.append(entry)
        }
        startReady()
    }

    /// A load that was started has ended.
    package func ended(host: String) {
        release(host)
        startReady()
    }

    private func release(_ host: String) {
        running -= 1
        hosts[host]?.running -= 1
        if !readyNext(of: host), hosts[host]?.running == 0 { hosts[host] = nil }
    }

    /// Lets the first that waits for a host in; false if none does.
    @discardableResult
    private func readyNext(of host: String) -> Bool {
        guard let entry = hosts[host]?.waiting.popFirst() else { return false }
        ready.insert(entry) { $0.order > entry.order }
        return true
    }

    /// Drops all that has not started.
    package func removeWaiting() {
        ready = WaitingLine()
        waiting = 0
        for host in hosts.keys { hosts[host]?.waiting = WaitingLine() }
    }

    private func startReady() {
        while running < concurrency, let entry = ready.popFirst() {
            guard hosts[entry.host, default: Host()].running < perHost else {
                // Its place is before all that came after it.
                hosts[entry.host]?.waiting.insert(entry) { $0.order > entry.order }
                continue
            }
            hosts[entry.host, default: Host()].running += 1
            running += 1
            waiting -= 1
            if !entry.start() { release(entry.host) }
        }
    }
}
