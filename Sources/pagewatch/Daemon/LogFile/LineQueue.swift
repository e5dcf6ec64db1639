import CLinux
import Glibc
import Reactor

/// Lines on their way from the loop to the thread that writes the log file.
///
/// Holds a bounded number of bytes: what comes when it is full is dropped and counted, so that the
/// loop never waits for a disk.
final class LineQueue: Sendable {
    /// What the thread is to do.
    struct Work {
        /// Whole lines.
        var bytes: [UInt8] = []
        /// Lines that did not fit since this was last asked.
        var dropped = 0
        var reopens = false
        var isClosing = false
    }

    /// About 20,000 lines.
    static let usualCapacity = 4 << 20

    private struct State {
        var work = Work()
        /// Set just before the thread waits under the lock: only then is a wake-up written.
        var isAsleep = false
    }

    private let capacity: Int
    private let state = Locked(State())
    private let wakeUp: FileDescriptor
    /// Readable once the thread has ended.
    private let ended: FileDescriptor

    init(capacity: Int = usualCapacity) throws(SystemError) {
        self.capacity = capacity
        let wakeUp = try call("create the log file's wake-up") {
            eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        }
        self.wakeUp = FileDescriptor(owning: wakeUp)
        let ended = try call("create the log file's end") {
            eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        }
        self.ended = FileDescriptor(owning: ended)
    }

    // MARK: The loop's thread

    /// Queues whole lines, or counts them as dropped.
    func add(_ bytes: [UInt8], lines: Int) {
        let capacity = capacity
        change { state in
            if state.work.bytes.count + bytes.count <= capacity {
                state.work.bytes += bytes
            } else {
                state.work.dropped += lines
            }
        }
    }

    /// Has the file opened anew.
    func reopen() {
        change { $0.work.reopens = true }
    }

    /// Lets the thread write what waits, and end.
    ///
    /// - Returns: Whether it has by then.
    func close(within limit: Duration) -> Bool {
        change { $0.work.isClosing = true }
        return Self.wait(for: ended, milliseconds: CInt(clamping: limit.millisecondsRoundedUp))
    }

    private func change(_ body: (inout State) -> Void) {
        let wasAsleep = state.withLock { state in
            body(&state)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wasAsleep { Self.write(wakeUp) }
    }

    // MARK: The writing thread

    /// Waits for something to do, and takes it.
    func take() -> Work {
        while true {
            let work = state.withLock { state -> Work? in
                let work = state.work
                let isIdle =
                    work.bytes.isEmpty && work.dropped == 0 && !work.reopens && !work.isClosing
                state.isAsleep = isIdle
                guard !isIdle else { return nil }
                state.work = Work(isClosing: work.isClosing)
                return work
            }
            if let work { return work }
            if Self.wait(for: wakeUp, milliseconds: -1) {
                var count: UInt64 = 0
                _ = read(wakeUp.raw, &count, MemoryLayout<UInt64>.size)
            }
        }
    }

    /// The thread's last word.
    func end() { Self.write(ended) }

    private static func write(_ descriptor: borrowing FileDescriptor) {
        var one: UInt64 = 1
        _ = Glibc.write(descriptor.raw, &one, MemoryLayout<UInt64>.size)
    }

    private static func wait(
        for descriptor: borrowing FileDescriptor, milliseconds: CInt
    ) -> Bool {
        var request = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&request, 1, milliseconds)
            if count >= 0 { return count > 0 }
            if errno != EINTR { return false }
        }
    }
}
