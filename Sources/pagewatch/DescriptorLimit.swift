import Glibc

/// How many descriptors the process may have, and how many pages at a time that is enough for.
enum DescriptorLimit {
    /// Of one load: its connection, and what a look-up and the next connection need.
    private static let perLoad = 4
    /// For all else: the standard streams, the loop, files, connections that are kept.
    private static let reserve = 64

    /// Asks for as many as the system gives without being asked by root: the soft limit is low for
    /// the sake of programs with select(2), which this one does not use.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        // What is refused stays as it was, and is then counted with.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many descriptors there may be.
    static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1024
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many loads at a time so many descriptors are enough for; at least one is tried.
    static func loads(within descriptors: Int) -> Int {
        max(1, (descriptors - reserve) / perLoad)
    }

    /// No more loads at a time than there can be sockets for; fewer than wanted are told.
    static func fitted(_ concurrency: Int, tell: (String) -> Void) -> Int {
        let descriptors = current
        let fitted = min(concurrency, loads(within: descriptors))
        if fitted < concurrency {
            tell(
                "concurrency is \(fitted), not \(concurrency): only \(descriptors) files may be open"
                    + " (raise the hard limit: LimitNOFILE=, or ulimit -Hn)")
        }
        return fitted
    }

    /// How many connections may be kept beside those of so many loads.
    static func spareConnections(within descriptors: Int, loads: Int) -> Int {
        max(0, descriptors - reserve - loads * perLoad)
    }
}
