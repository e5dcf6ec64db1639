import CLinux
import CMicrohttpd
import Glibc
import Reactor

/// An HTTP server on the loop: libmicrohttpd, whose own epoll is watched by ours.
///
/// Input: connections to a `ListeningSocket`. Output: whole requests to the handler, with the way to
/// answer each. Knows nothing of what is served. Stays on the loop's thread, like the loop itself.
///
/// Memory is bounded by ``Limits``: connections, times libmicrohttpd's memory for each, a request's
/// body, and what the handler answers.
package final class HTTPServer {
    /// What clients may use.
    package struct Limits: Sendable {
        /// Connections at a time. Another one takes the place of the one that has asked for nothing
        /// for the longest time; if all have asked, it gets a 503 and is closed.
        package var connections = 64
        /// A request's body, in bytes; a larger one is answered by 413 and never kept.
        package var requestBytes = 64 << 10
        /// How long a request may take to arrive, and how long the next one may be waited for.
        /// Nothing ends an answer that is under way: a client may be read from by a person.
        package var patience = Duration.seconds(30)
        /// libmicrohttpd's memory for a connection, in bytes: a request's head has to fit into it,
        /// and an answer goes out in blocks of about half of it.
        package var memoryPerConnection = 128 << 10

        package init() {}
    }

    /// Clients in a turn, so that a crowd of them doesn't hold up the loop.
    private static let acceptsPerTurn = 16
    /// How long to wait when the system has nothing left for another connection.
    private static let pause = Duration.seconds(1)
    /// Answers that are known when the server is closed go out in so many runs, or not.
    private static let lastRuns = 64

    let limits: Limits
    let loop: EventLoop
    let handler: (Request, Responder) -> Void
    private(set) var isClosed = false
    /// How much of a processor the thread has spent here: for requests, answers and streams.
    package private(set) var processorTime = Duration.zero

    private var daemon: OpaquePointer?
    private var socket: ListeningSocket?
    private var connectionsByDescriptor: [CInt: ClientConnection] = [:]
    let isUnix: Bool
    private let listener: CInt
    private var epoll: CInt = -1
    private var isRunning = false
    /// libmicrohttpd has something left to do.
    private lazy var runAgain = Deadline { [weak self] in self?.run() }
    private lazy var acceptAgain = Deadline { [weak self] in self?.startAccepting() }

    /// Begins to serve in the loop's next turn.
    ///
    /// - Parameter handler: Called for each whole request, on the loop's thread.
    /// - Throws: ``SystemError`` if the system has no memory or descriptors for it.
    package init(
        loop: EventLoop, socket: consuming ListeningSocket, limits: Limits = Limits(),
        handler: @escaping (Request, Responder) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        isUnix = socket.isUnix
        listener = socket.raw
        self.socket = consume socket
        // More places than we need, so that it is never libmicrohttpd that counts.
        daemon = Callbacks.start(
            for: self, connections: limits.connections + Self.acceptsPerTurn + 1,
            memory: limits.memoryPerConnection)
        guard let daemon else { throw SystemError(code: ENOMEM, action: "start the HTTP server") }
        epoll = pw_http_epoll(daemon)
        try loop.watch(epoll, for: .readable) { [weak self] _ in self?.run() }
        try loop.watch(listener, for: .readable) { [weak self] _ in self?.accept() }
    }

    deinit {
        close()
    }

    /// How many clients are connected.
    package var connections: Int { connectionsByDescriptor.count }

    // MARK: Connections

    private func accept() {
        for _ in 0..<Self.acceptsPerTurn {
            // Those that make room are closed in libmicrohttpd's next run: until then there are two
            // for a place, and the others wait for the next turn.
            guard connections < limits.connections + Self.acceptsPerTurn else { return }
            let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
            let client = accept4(listener, nil, nil, CInt(flags))
            if client >= 0 {
                take(client)
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return
            default: return pauseAccepting()
            }
        }
    }

    private func take(_ client: CInt) {
        guard let daemon, makeRoom() else { return turnAway(client) }
        // It is only shown to access rules, of which there are none.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        // Closes the socket if it can't take it.
        MHD_add_connection(daemon, client, &address, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Whether there is room for one connection more, if need be at the cost of a silent one.
    private func makeRoom() -> Bool {
        let present = connectionsByDescriptor.values.filter { !$0.isGone }
        guard present.count >= limits.connections else { return true }
        let waiting = present.filter { $0.silence != nil }
        // One that has begun to ask goes only if there is no other.
        let silent = waiting.filter { $0.exchange == nil }
        guard
            let longest = (silent.isEmpty ? waiting : silent)
                .min(by: { ($0.silence ?? .zero) < ($1.silence ?? .zero) })
        else { return false }
        longest.hangUp()
        return true
    }

    /// Says why, as far as that is possible without waiting, and closes.
    private func turnAway(_ client: CInt) {
        // What is left unread would make the kernel reset the connection, and lose the answer.
        var request = [UInt8](repeating: 0, count: 4 << 10)
        _ = recv(client, &request, request.count, CInt(MSG_DONTWAIT))
        let body = Refusal.tooManyConnections.body
        let head =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
        let answer = Array(head.utf8) + body
        _ = send(client, answer, answer.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        _ = Glibc.close(client)
    }

    /// A socket that is ready and can't be accepted would be told in every turn.
    private func pauseAccepting() {
        loop.unwatch(listener)
        loop.arm(acceptAgain, at: MonotonicClock.now() + Self.pause)
    }

    private func startAccepting() {
        guard !isClosed else { return }
        do throws(SystemError) {
            try loop.watch(listener, for: .readable) { [weak self] _ in self?.accept() }
        } catch {
            pauseAccepting()
        }
    }

    /// Makes the connection known; nil if it can't be watched.
    func connectionStarted(_ handle: OpaquePointer) -> ClientConnection? {
        let descriptor = pw_http_descriptor(handle)
        guard
            let connection = try? ClientConnection(
                handle, descriptor: descriptor, isUnix: isUnix, loop: loop,
                patience: limits.patience, onWake: { [weak self] in self?.runSoon() })
        else {
            _ = shutdown(descriptor, CInt(SHUT_RDWR))
            return nil
        }
        connectionsByDescriptor[descriptor] = connection
        return connection
    }

    /// The last that is heard of a connection; its socket is still open.
    func connectionEnded(_ connection: ClientConnection) {
        connection.close()
        connectionsByDescriptor[connection.descriptor] = nil
    }

    // MARK: Running

    /// Has libmicrohttpd do what there is to do now.
    private func run() {
        guard let daemon, !isRunning else { return }
        let start = Self.threadTime()
        isRunning = true
        MHD_run(daemon)
        isRunning = false
        processorTime += Self.threadTime() - start
        if isClosed { return finishClosing() }
        var milliseconds: UInt64 = 0
        guard MHD_get_timeout(daemon, &milliseconds) == .YES else { return loop.disarm(runAgain) }
        // A nanosecond later is in the next turn: others have theirs before.
        let wait = max(Duration.nanoseconds(1), .milliseconds(Int64(clamping: milliseconds)))
        loop.arm(runAgain, at: loop.now + wait)
    }

    /// What this thread has had of a processor.
    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Has what was woken looked at before this turn ends, or in the next.
    private func runSoon() {
        // When it runs, it looks at what was woken meanwhile by itself.
        if !isRunning, !isClosed { loop.arm(runAgain, at: loop.now) }
    }

    // MARK: The end

    /// Ends everything: streams end where they are, requests that wait are refused, answers that are
    /// known go out as far as that takes no waiting. Once closed it stays so.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.unwatch(listener)
        loop.unwatch(epoll)
        loop.disarm(runAgain)
        loop.disarm(acceptAgain)
        socket = nil
        // In a callback of libmicrohttpd, it is stopped when it returns.
        if !isRunning { finishClosing() }
    }

    private func finishClosing() {
        guard let daemon else { return }
        for connection in Array(connectionsByDescriptor.values) {
            connection.exchange?.answer(Answer(.stopped))
            // libmicrohttpd aborts the process if it is stopped while a connection sleeps. From here
            // on none falls asleep, and the first run wakes those that do.
            connection.giveUp()
        }
        isRunning = true
        var milliseconds: UInt64 = 0
        for _ in 0..<Self.lastRuns {
            MHD_run(daemon)
            guard MHD_get_timeout(daemon, &milliseconds) == .YES, milliseconds == 0 else { break }
        }
        isRunning = false
        self.daemon = nil
        MHD_stop_daemon(daemon)
    }
}
