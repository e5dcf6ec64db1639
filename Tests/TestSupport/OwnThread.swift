import CTestLinux
import Glibc
import Reactor

/// Work that blocks, away from the threads that tests share.
package enum OwnThread {
    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread and waits for what it gives, without holding up a shared one.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try start { continuation.resume(with: Swift.Result { try body() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Runs `body` on a new thread.
    static func start(_ body: sending @escaping () -> Void) throws(SystemError) {
        let context = Unmanaged.passRetained(Work(body)).toOpaque()
        var thread = pthread_t()
        // The +1 on the work goes over to the new thread, which is the only one to take it.
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context)
        guard code == 0 else {
            Unmanaged<Work>.fromOpaque(context).release()
            throw SystemError(code: code, action: "start a thread")
        }
        pthread_detach(thread)
    }
}
