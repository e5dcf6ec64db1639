import CLinux
import Glibc

/// The executor of actors that live on a loop's thread: their jobs run between its turns.
///
/// An actor that names this as its `unownedExecutor` is confined to the loop's thread, which the
/// compiler then proves, and code that the loop calls may enter it with `assumeIsolated`.
package final class LoopExecutor: SerialExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        /// Set just before epoll_wait under the lock: only then is a wake-up written.
        var isAsleep = false
        var thread: Int32 = 0
        /// False once the loop has ended: jobs then get a thread when they come.
        var hasThread = true
    }

    let wakeUp: FileDescriptor
    private let queue = Locked(Queue())

    /// - Throws: ``SystemError`` if the kernel gives no eventfd.
    package init() throws(SystemError) {
        let raw = try call("create the loop's wake-up") {
            eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        }
        wakeUp = FileDescriptor(owning: raw)
    }

    /// Queues a job and wakes the loop if it sleeps. Any thread may call it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let (wasAsleep, needsThread) = queue.withLock { queue in
            queue.jobs.append(unowned)
            defer {
                queue.isAsleep = false
                queue.hasThread = true
            }
            return (queue.isAsleep, !queue.hasThread)
        }
        if wasAsleep { wake() }
        if needsThread { startThread() }
    }

    /// Runs the queued jobs, on the loop's thread.
    package func drain() {
        while true {
            let jobs = queue.withLock { queue in
                defer { queue.jobs.removeAll(keepingCapacity: true) }
                return queue.jobs
            }
            guard !jobs.isEmpty else { return }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    /// Says that the loop's thread ends, and runs what was queued until now. Jobs that come later
    /// still run, one after another, on a thread that is started for them: an actor can be asked
    /// what it knows after its loop has ended.
    func retire() {
        adoptCurrentThread()
        repeat {
            drain()
        } while queue.withLock { queue in
            guard queue.jobs.isEmpty else { return true }
            queue.hasThread = false
            queue.thread = 0
            return false
        }
    }

    private func startThread() {
        let context = Unmanaged.passRetained(self).toOpaque()
        var thread = pthread_t()
        // The +1 on the executor goes over to the new thread, which is the only one to take it.
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<LoopExecutor>.fromOpaque(context).takeRetainedValue().retire()
                return nil
            }, context)
        precondition(code == 0, "no thread for the jobs of a loop that has ended")
        pthread_detach(thread)
    }

    /// Makes the calling thread the one whose code counts as isolated to this executor's actors.
    package func adoptCurrentThread() {
        let thread = pw_thread_id()
        queue.withLock { $0.thread = thread }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Whether the caller is on the loop's thread: its own frames run in no job.
    package func isIsolatingCurrentContext() -> Bool? {
        queue.withLock { $0.thread } == pw_thread_id()
    }

    /// Traps unless the caller is on the loop's thread: a mistake in our own code.
    package func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the loop's thread")
    }

    /// Says that the loop is about to wait; false if jobs are queued and it must not.
    func willSleep() -> Bool {
        queue.withLock { queue in
            queue.isAsleep = queue.jobs.isEmpty
            return queue.isAsleep
        }
    }

    /// Says that the loop is awake, so that no wake-up needs writing.
    func didWake() {
        queue.withLock { $0.isAsleep = false }
    }

    /// Takes back what ``wake()`` wrote.
    func acknowledgeWakeUp() {
        var count: UInt64 = 0
        _ = read(wakeUp.raw, &count, MemoryLayout<UInt64>.size)
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeUp.raw, &one, MemoryLayout<UInt64>.size)
    }
}
