import CLinux
import CMicrohttpd
import Glibc
import Reactor

/// One client's connection, from its start to its end.
///
/// Input: its socket's hang-up, from the loop, and its time limit. Output: libmicrohttpd is made to
/// look at it. It watches the socket itself because libmicrohttpd doesn't while a connection sleeps.
final class ClientConnection {
    let descriptor: CInt
    /// The request that is being read or answered.
    private(set) var exchange: Exchange?
    /// Whether the client has gone, or the server is about to: then nothing sleeps any more.
    private(set) var isGone = false

    private let handle: OpaquePointer
    private let loop: EventLoop
    /// How long a request may take to arrive, and how long the next may be waited for.
    private let patience: Duration
    /// Tells that libmicrohttpd is to be run.
    private let onWake: () -> Void
    /// Since when its request is waited for; nil while one is here.
    private var waitsSince: Duration?
    private var isAsleep = false
    private lazy var nextTurn = Deadline { [weak self] in self?.wake() }
    private lazy var limit = Deadline(isLimit: true) { [descriptor] in
        // libmicrohttpd reads the end and closes it.
        _ = shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// - Parameters:
    ///   - handle: libmicrohttpd's, which outlives this object.
    ///   - isUnix: Whether a client that only ends its sending is known from one that has gone.
    init(
        _ handle: OpaquePointer, descriptor: CInt, isUnix: Bool, loop: EventLoop,
        patience: Duration, onWake: @escaping () -> Void
    ) throws(SystemError) {
        self.handle = handle
        self.descriptor = descriptor
        self.loop = loop
        self.patience = patience
        self.onWake = onWake
        // A hang-up is told whatever is watched for. TCP has one only when both sides have ended.
        let interest = isUnix ? [] : EventLoop.Readiness(rawValue: EPOLLRDHUP.rawValue)
        try loop.watch(descriptor, for: interest) { [weak self] _ in self?.clientWent() }
        expectRequest()
    }

    private func clientWent() {
        // It stays so, and would be told in every turn.
        loop.unwatch(descriptor)
        giveUp()
    }

    /// Lets nothing sleep here any more.
    func giveUp() {
        isGone = true
        wake()
    }

    // MARK: Sleeping

    /// Takes the connection out of libmicrohttpd's hands until ``wake()``. To be called only from
    /// its callbacks for this connection.
    func sleep() {
        isAsleep = true
        MHD_suspend_connection(handle)
    }

    /// Takes it out of libmicrohttpd's hands until the loop's next turn.
    func sleepForATurn() {
        sleep()
        loop.arm(nextTurn, at: loop.now + .nanoseconds(1))
    }

    /// Gives it back. Nothing if it does not sleep.
    func wake() {
        guard isAsleep else { return }
        isAsleep = false
        MHD_resume_connection(handle)
        onWake()
    }

    // MARK: Requests

    /// A request has begun.
    func begin(_ exchange: Exchange) { self.exchange = exchange }

    /// Gives the client its time for a request.
    func expectRequest() {
        let now = MonotonicClock.now()
        waitsSince = now
        loop.arm(limit, at: now + patience)
    }

    /// Gives the client its time to take what it is sent now.
    func expectProgress() { loop.arm(limit, at: MonotonicClock.now() + patience) }

    /// The request is here: from now on the time is ours, and then the reader's.
    func stopLimit() {
        waitsSince = nil
        loop.disarm(limit)
    }

    /// Since when a whole request is waited for; nil if one is here, or it is about to be closed.
    var silence: Duration? { isGone ? nil : waitsSince }

    /// Ends the silence: libmicrohttpd reads an end, and closes.
    func hangUp() {
        isGone = true
        _ = shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// The request was answered, or never will be; the next may come.
    func finishExchange() {
        exchange?.finish()
        exchange = nil
        expectRequest()
    }

    /// libmicrohttpd is about to close the socket and forget the handle.
    func close() {
        isGone = true
        isAsleep = false
        loop.disarm(limit)
        loop.disarm(nextTurn)
        loop.unwatch(descriptor)
        exchange?.finish()
        exchange = nil
    }
}
