import Glibc

/// A value behind a lock.
///
/// `Synchronization.Mutex` shows false races under ThreadSanitizer on Linux; a pthread mutex,
/// which the sanitizer knows, does not.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked, and proven here: `value` is touched only in `withLock`, under the mutex, and it
    // came in by `sending`, so that nobody else holds a way to it.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Runs `body` while no other thread can see the value. Not reentrant.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
