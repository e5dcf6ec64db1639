import Glibc

/// How many look-ups of names may be under way.
///
/// libcurl looks each name up on a thread of its own, which stays until the resolver gives up even
/// if nobody waits for it any more (CURLOPT_QUICK_EXIT): 3,000 names and a resolver that never
/// answers were 3,000 threads. The kernel is asked how many there are, since libcurl does not tell
/// when a thread that was left behind has ended.
enum LookupLimit {
    /// Threads of the whole process; a few are not look-ups.
    private static let mostThreads = 256

    /// Whether one more may begin.
    static var hasRoom: Bool {
        var status = stat()
        // Each thread is a folder in it, and each folder a link. Without /proc there is no limit.
        guard stat("/proc/self/task", &status) == 0 else { return true }
        return status.st_nlink < mostThreads + 2
    }
}

extension Transfer {
    /// A name is about to be looked up, for which there is no answer at hand.
    ///
    /// - Returns: Whether it may be; else libcurl ends the hop, and it is begun again later.
    func lookupStarts() -> Bool {
        enter(.resolve)
        guard needsLookup, !LookupLimit.hasRoom else { return true }
        lookup = .refused
        return false
    }

    /// libcurl has ended the hop that was refused.
    func waitForLookup() {
        lookup = .waiting
        pool.waitForLookup(self)
    }

    /// Begins a waiting hop again; nothing if it is over, or another has begun since.
    func retryLookup() {
        guard lookup == .waiting else { return }
        lookup = .mayStart
        pool.add(self)
    }

    /// Where a hop stands whose name is to be looked up.
    enum Lookup {
        case mayStart
        /// libcurl is about to end the hop, in this turn.
        case refused
        /// It is to be begun again.
        case waiting
    }
}
