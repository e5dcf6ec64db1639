import CLinux
import Glibc

/// Messages from other threads to a loop: posted by any, taken in by the loop's own.
package final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Locked<[Message]>([])
    private let wakeUp: FileDescriptor

    /// - Throws: ``SystemError`` if the kernel gives no eventfd.
    package init() throws(SystemError) {
        let raw = try call("create a mailbox") { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) }
        wakeUp = FileDescriptor(owning: raw)
    }

    /// Leaves a message; the loop takes it in soon, in the order of the posts.
    package func post(_ message: Message) {
        let isFirst = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        guard isFirst else { return }
        var one: UInt64 = 1
        _ = write(wakeUp.raw, &one, MemoryLayout<UInt64>.size)
    }

    /// Has the loop call `receive` for each message, from now on until ``close(on:)``.
    package func open(
        on loop: EventLoop, receive: @escaping (Message) -> Void
    ) throws(SystemError) {
        try loop.watch(wakeUp.raw, for: .readable) { [self] _ in takeIn(receive) }
    }

    /// Ends what ``open(on:receive:)`` began.
    package func close(on loop: EventLoop) {
        loop.unwatch(wakeUp.raw)
    }

    /// Takes in what has come, on the loop's thread.
    package func takeIn(_ receive: (Message) -> Void) {
        var count: UInt64 = 0
        _ = read(wakeUp.raw, &count, MemoryLayout<UInt64>.size)
        let all = messages.withLock { messages in
            defer { messages.removeAll(keepingCapacity: true) }
            return messages
        }
        for message in all { receive(message) }
    }
}
