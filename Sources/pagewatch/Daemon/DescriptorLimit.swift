import Glibc

/// How many files and sockets the process may have open.
enum DescriptorLimit {
    /// Standard streams, the store, the log file, the loop, and what libraries open.
    private static let reserved = 64
    /// Of a load: its connection and a kept one, the second of a race between two addresses, and
    /// the ends of a look-up.
    private static let perLoad = 4
    /// What a limit that is none counts as: more than any concurrency needs.
    private static let plenty = 1 << 20

    /// Raises the limit as far as the process may, and answers it.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1024
        }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        return Int(min(limit.rlim_cur, rlim_t(plenty)))
    }

    /// How many loads may run at a time, of those wanted, with so many descriptors.
    static func concurrency(_ wanted: Int, descriptors: Int) -> Int {
        max(1, min(wanted, (descriptors - reserved) / perLoad))
    }
}
