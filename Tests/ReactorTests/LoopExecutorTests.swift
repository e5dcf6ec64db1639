import Glibc
import Reactor
import Testing

/// An actor on a loop of its own that counts, and notes on which threads.
private actor Counter: LoopActor {
    let loop: EventLoop
    nonisolated let executor: LoopExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var isDone = false
    private(set) var count = 0
    private var threads: Set<pthread_t> = []
    private var deadline: Deadline?

    init() throws {
        executor = try LoopExecutor()
        loop = try EventLoop(executor: executor)
    }

    func increment() {
        count += 1
        threads.insert(pthread_self())
    }

    var threadCount: Int { threads.count }

    /// Waits for a deadline of the loop, whose handler enters the actor.
    func afterDeadline() async -> Int {
        await withCheckedContinuation { continuation in
            let deadline = Deadline {
                self.assumeIsolated { $0.increment() }
                continuation.resume(returning: 1)
            }
            self.deadline = deadline
            loop.arm(deadline, at: MonotonicClock.now() + .milliseconds(1))
        }
    }

    func end() { isDone = true }
}

private func enterFromHere(_ counter: Counter) {
    counter.assumeIsolated { _ in }
}

@Suite(.timeLimit(.minutes(15))) struct `An actor on a loop's thread` {
    @Test func `runs all its calls on that one thread`() async throws {
        let counter = try Counter()
        try LoopThread.start(counter)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2000 { group.addTask { await counter.increment() } }
        }
        #expect(await counter.count == 2000)
        #expect(await counter.threadCount == 1)
        await counter.end()
    }

    @Test func `is woken by each call, however long it sleeps`() async throws {
        let counter = try Counter()
        try LoopThread.start(counter)
        // One at a time: the loop is asleep again before most of them.
        for _ in 0..<500 { await counter.increment() }
        #expect(await counter.count == 500)
        await counter.end()
    }

    @Test func `is entered by the loop's own handlers without a hop`() async throws {
        let counter = try Counter()
        try LoopThread.start(counter)
        _ = await counter.afterDeadline()
        await counter.increment()
        #expect(await counter.count == 2)
        #expect(await counter.threadCount == 1)
        await counter.end()
    }

    @Test func `still answers when its loop has ended`() async throws {
        let counter = try Counter()
        try LoopThread.start(counter)
        await counter.end()
        for _ in 0..<100 { await counter.increment() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<400 { group.addTask { await counter.increment() } }
        }
        #expect(await counter.count == 500)
    }

    @Test func `traps when entered from another thread`() async throws {
        await #expect(processExitsWith: .failure) {
            enterFromHere(try Counter())
        }
    }
}

@Suite struct `A locked value` {
    @Test func `loses no change under contention`() async {
        let total = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { total.withLock { $0 += 1 } } }
            }
        }
        #expect(total.withLock { $0 } == 80_000)
    }

    @Test func `is free again after an error`() {
        struct Refused: Error {}
        let value = Locked(1)
        #expect(throws: Refused.self) { try value.withLock { _ in throw Refused() } }
        #expect(value.withLock { $0 } == 1)
    }
}

@Suite struct `A system error` {
    @Test func `says what was done and what came back`() {
        let error = #expect(throws: SystemError.self) {
            try call("open the door") {
                errno = ENOENT
                return -1
            }
        }
        #expect(error?.description == "open the door: No such file or directory")
    }

    @Test func `is not made of an interruption: the call is made again`() throws {
        var calls = 0
        let result = try call("wait") {
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 5
        }
        #expect(result == 5 && calls == 3)
    }
}
