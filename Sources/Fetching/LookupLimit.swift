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
        isWaitingForLookup = needsLookup && !LookupLimit.hasRoom
        return !isWaitingForLookup
    }

    /// Begins a hop again that was not let look its name up; nothing if it is over.
    func retryLookup() {
        guard isWaitingForLookup else { return }
        isWaitingForLookup = false
        pool.add(self)
    }
}
