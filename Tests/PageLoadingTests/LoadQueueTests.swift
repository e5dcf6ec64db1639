import Testing

@testable import PageLoading

/// A queue and the order in which it started loads.
private final class Starts {
    let queue: LoadQueue
    var hosts: [String] = []

    init(concurrency: Int, perHost: Int) {
        queue = LoadQueue(concurrency: concurrency, perHost: perHost)
    }

    func add(_ host: String, as name: String? = nil) {
        queue.add(host: host) {
            self.hosts.append(name ?? host)
            return true
        }
    }
}

@Suite struct `A load queue` {
    @Test func `starts what fits at once`() {
        let starts = Starts(concurrency: 2, perHost: 2)
        for host in ["a", "b", "c"] { starts.add(host) }
        #expect(starts.hosts == ["a", "b"])
        #expect(starts.queue.running == 2)
        #expect(starts.queue.waiting == 1)
    }

    @Test func `starts the rest in order as loads end`() {
        let starts = Starts(concurrency: 1, perHost: 1)
        for host in ["a", "b", "c"] { starts.add(host) }
        starts.queue.ended(host: "a")
        starts.queue.ended(host: "b")
        starts.queue.ended(host: "c")
        #expect(starts.hosts == ["a", "b", "c"])
        #expect(starts.queue.running == 0)
        #expect(starts.queue.waiting == 0)
    }

    @Test func `lets others pass a host that is at its limit`() {
        let starts = Starts(concurrency: 3, perHost: 1)
        starts.add("a", as: "a1")
        starts.add("a", as: "a2")
        starts.add("b")
        #expect(starts.hosts == ["a1", "b"])
        starts.queue.ended(host: "a")
        #expect(starts.hosts == ["a1", "b", "a2"])
    }

    @Test func `keeps the order over hosts when one gets room again`() {
        let starts = Starts(concurrency: 2, perHost: 1)
        starts.add("a", as: "a1")
        starts.add("b", as: "b1")
        starts.add("a", as: "a2")
        starts.add("c", as: "c1")
        starts.queue.ended(host: "a")
        #expect(starts.hosts == ["a1", "b1", "a2"])
    }

    @Test func `never runs more to a host than allowed, however the ends fall`() {
        let starts = Starts(concurrency: 4, perHost: 2)
        var running: [String: Int] = [:]
        var generator = Numbers()
        for index in 0..<200 {
            let host = ["a", "b", "c"][Int(generator.next() % 3)]
            starts.queue.add(host: host) {
                running[host, default: 0] += 1
                #expect(running[host] ?? 0 <= 2)
                starts.hosts.append("\(index)")
                return true
            }
            if let busy = running.first(where: { $0.value > 0 })?.key, generator.next() % 2 == 0 {
                running[busy, default: 0] -= 1
                starts.queue.ended(host: busy)
            }
            #expect(starts.queue.running <= 4)
        }
        while let busy = running.first(where: { $0.value > 0 })?.key {
            running[busy, default: 0] -= 1
            starts.queue.ended(host: busy)
        }
        #expect(starts.hosts.count == 200)
    }

    @Test func `drops what waits when told to, and goes on`() {
        let starts = Starts(concurrency: 1, perHost: 1)
        for host in ["a", "a", "b"] { starts.add(host) }
        starts.queue.removeWaiting()
        starts.queue.ended(host: "a")
        #expect(starts.hosts == ["a"])
        starts.add("c")
        #expect(starts.hosts == ["a", "c"])
    }

    @Test func `keeps the place of a load whose host had no room when its turn came`() {
        let starts = Starts(concurrency: 2, perHost: 1)
        for (host, name) in [("x", "x1"), ("y", "y1"), ("x", "x2"), ("z", "z1")] {
            starts.add(host, as: name)
        }
        for name in ["a", "b"] { starts.add("h", as: name) }
        starts.queue.ended(host: "x")
        starts.add("h", as: "c")
        starts.queue.ended(host: "x")
        starts.queue.ended(host: "y")
        starts.queue.ended(host: "z")
        starts.queue.ended(host: "h")
        starts.queue.ended(host: "h")
        #expect(starts.hosts == ["x1", "y1", "x2", "z1", "a", "b", "c"])
    }

    @Test func `passes over any number of loads that nobody wants any more`() {
        let starts = Starts(concurrency: 1, perHost: 1)
        starts.add("a")
        // Enough to overflow the stack, were each passed over from within the one before.
        for _ in 0..<100_000 { starts.queue.add(host: "a") { false } }
        starts.add("a", as: "last")
        starts.queue.ended(host: "a")
        #expect(starts.hosts == ["a", "last"])
        #expect(starts.queue.running == 1)
        #expect(starts.queue.waiting == 0)
    }

    @Test func `goes by other bounds from the moment they are set`() {
        let starts = Starts(concurrency: 3, perHost: 1)
        for name in ["a1", "a2", "a3", "a4"] { starts.add("a", as: name) }
        #expect(starts.hosts == ["a1"])
        starts.queue.change(concurrency: 3, perHost: 3)
        #expect(starts.hosts == ["a1", "a2", "a3"])
        starts.queue.change(concurrency: 1, perHost: 1)
        starts.queue.ended(host: "a")
        starts.queue.ended(host: "a")
        #expect(starts.hosts == ["a1", "a2", "a3"])
        starts.queue.ended(host: "a")
        #expect(starts.hosts == ["a1", "a2", "a3", "a4"])
    }
}

/// Numbers that look random and are the same each time (splitmix64).
private struct Numbers {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
