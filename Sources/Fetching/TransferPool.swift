import CCurl
import Glibc
import Reactor

/// libcurl's multi handle on the loop, and the transfers that run in it.
///
/// Input: the loop's word that a socket is ready or a moment has come. Output: callbacks into each
/// ``Transfer``, and at the turn's end its blocks and its end. Handles are pooled, since one costs
/// 9 KB and a target at rest needs none.
package final class TransferPool {
    /// Handles kept for later loads.
    private static let mostIdle = 256
    /// When there were too many look-ups; nobody tells when one has ended.
    private static let lookupRetryInterval = Duration.milliseconds(50)

    let sessions = TLSSessions()
    /// After which a connection is not used again.
    private(set) var connectionAge: Duration
    let share = TurnShare()
    private let loop: EventLoop
    private let multi: OpaquePointer
    /// All transfers there are, idle or not: libcurl holds their addresses.
    private var transfers: [ObjectIdentifier: Transfer] = [:]
    private var idle: [Transfer] = []
    private var isWatched: [Bool] = []
    private var touchedTransfers: [Transfer] = []
    private var ignoringTransfers: [Transfer] = []
    private var pausedTransfers: [Transfer] = []
    /// When libcurl wants to be called though no socket is ready. Kept as the loop's own
    /// deadline: a timerfd a call of libcurl's doubled the CPU of a load.
    private lazy var timer = Deadline { [unowned self] in act(on: CURL_SOCKET_TIMEOUT, 0) }
    private var waitingForLookup: [Transfer] = []
    private lazy var lookupRetry = Deadline { [unowned self] in retryLookups() }
    private lazy var resumption = Deadline { [unowned self] in resumePaused() }

    /// - Parameters:
    ///   - connections: The most that are kept open between loads; too few cost more than none.
    ///   - connectionAge: In whole seconds, at least 1.
    /// - Throws: ``SystemError`` if there is no memory.
    package init(
        loop: EventLoop, connections: Int, connectionAge: Duration = .seconds(60)
    ) throws(SystemError) {
        guard let multi = curl_multi_init() else {
            throw SystemError(code: ENOMEM, action: "start loading")
        }
        self.loop = loop
        self.multi = multi
        self.connectionAge = connectionAge
        pw_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
        setCallbacks()
        loop.atTurnEnd { [unowned self] in turnEnded() }
    }

    deinit {
        for transfer in transfers.values { curl_multi_remove_handle(multi, transfer.easy.raw) }
        transfers = [:]
        idle = []
        curl_multi_cleanup(multi)
    }

    /// Sets other bounds, as at the start. Loads that run keep the ones they began with.
    package func change(connections: Int, connectionAge: Duration) {
        pw_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
        guard connectionAge != self.connectionAge else { return }
        self.connectionAge = connectionAge
        // Each handle has its own.
        for transfer in idle { transfers[ObjectIdentifier(transfer)] = nil }
        idle = []
    }

    /// A transfer to start hops with, until it is given back; nil if there is no memory.
    package func take() -> Transfer? {
        if let transfer = idle.popLast() { return transfer }
        guard let transfer = Transfer(pool: self, loop: loop) else { return nil }
        transfers[ObjectIdentifier(transfer)] = transfer
        return transfer
    }

    /// Takes a transfer back at the end of its load; what runs in it is cancelled.
    package func give(back transfer: Transfer) {
        transfer.cancel()
        if idle.count < Self.mostIdle, transfer.connectionAge == connectionAge {
            transfer.forgetLoad()
            idle.append(transfer)
        } else {
            transfers[ObjectIdentifier(transfer)] = nil
        }
    }

    // MARK: For transfers

    func add(_ transfer: Transfer) {
        curl_multi_add_handle(multi, transfer.easy.raw)
    }

    func remove(_ transfer: Transfer) {
        curl_multi_remove_handle(multi, transfer.easy.raw)
    }

    /// A transfer has received the first bytes of this turn.
    func touched(_ transfer: Transfer) {
        touchedTransfers.append(transfer)
    }

    /// A transfer ends with this turn, whatever comes of it.
    func willIgnoreBody(of transfer: Transfer) {
        ignoringTransfers.append(transfer)
    }

    /// A transfer has had its share of this turn: libcurl would go on reading, up to a hundred
    /// times, while others wait and deadlines pass. The next turn resumes it.
    func pause(_ transfer: Transfer) {
        // Both ways, because libcurl runs a handle again at once that is paused only one way.
        curl_easy_pause(transfer.easy.raw, CURLPAUSE_ALL)
        pausedTransfers.append(transfer)
        // Later than this turn's own time, by which it may be looking for what is due.
        loop.arm(resumption, at: MonotonicClock.now())
    }

    /// Undoes ``pause(_:)``.
    func unpause(_ transfer: Transfer) {
        curl_easy_pause(transfer.easy.raw, CURLPAUSE_CONT)
    }

    /// One at least, and as many as there is time for; who had none of it comes first next time.
    private func resumePaused() {
        var waiting = pausedTransfers[...]
        pausedTransfers = []
        repeat { waiting.popFirst()?.resume() } while !waiting.isEmpty && !share.isUsedUp
        guard !waiting.isEmpty else { return }
        pausedTransfers = waiting + pausedTransfers
        loop.arm(resumption, at: MonotonicClock.now())
    }

    /// A transfer may not look a name up now; it tries again soon, until its time is over.
    func waitForLookup(_ transfer: Transfer) {
        waitingForLookup.append(transfer)
        guard !lookupRetry.isArmed else { return }
        loop.arm(lookupRetry, at: MonotonicClock.now() + Self.lookupRetryInterval)
    }

    private func retryLookups() {
        let transfers = waitingForLookup
        waitingForLookup = []
        for transfer in transfers { transfer.retryLookup() }
    }

    // MARK: Between libcurl and the loop

    private func setCallbacks() {
        // libcurl calls back only while the multi handle exists, which ends in our deinit.
        let context = Unmanaged.passUnretained(self).toOpaque()
        pw_multi_set_socket(
            multi,
            { _, socket, what, context, _ in
                TransferPool.at(context).watch(socket, what)
                return 0
            }, context)
        pw_multi_set_timer(
            multi,
            { _, milliseconds, context in
                TransferPool.at(context).setTimer(milliseconds)
                return 0
            }, context)
    }

    /// The one place where libcurl's context pointer becomes a pool.
    private static func at(_ context: UnsafeMutableRawPointer) -> TransferPool {
        Unmanaged<TransferPool>.fromOpaque(context).takeUnretainedValue()
    }

    private func setTimer(_ milliseconds: Int) {
        if milliseconds < 0 {
            loop.disarm(timer)
        } else {
            loop.arm(timer, at: MonotonicClock.now() + .milliseconds(milliseconds))
        }
    }

    private func watch(_ socket: curl_socket_t, _ what: CInt) {
        let index = Int(socket)
        if index >= isWatched.count {
            isWatched.append(contentsOf: repeatElement(false, count: index + 1 - isWatched.count))
        }
        var interest: EventLoop.Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        guard !interest.isEmpty else {
            loop.unwatch(socket)
            isWatched[index] = false
            return
        }
        do {
            if isWatched[index] {
                try loop.rewatch(socket, for: interest)
            } else {
                try loop.watch(socket, for: interest) { [unowned self] readiness in
                    act(on: socket, readiness)
                }
                isWatched[index] = true
            }
        } catch {
            // Without a watch nothing comes of this socket; its transfer ends at its deadline.
            isWatched[index] = false
        }
    }

    private func act(on socket: curl_socket_t, _ readiness: EventLoop.Readiness) {
        var flags: CInt = 0
        if readiness.contains(.readable) { flags |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { flags |= CURL_CSELECT_OUT }
        if !readiness.isDisjoint(with: .failed) { flags |= CURL_CSELECT_ERR }
        act(on: socket, flags)
    }

    private func act(on socket: curl_socket_t, _ flags: CInt) {
        // Not an end to wait for: the count is stale once a handle is added again in this turn.
        var running: CInt = 0
        curl_multi_socket_action(multi, socket, flags, &running)
    }

    // MARK: The end of a turn

    private func turnEnded() {
        tellBlocks()
        tellEnds()
        endIgnored()
        share.renew()
    }

    private func tellBlocks() {
        guard !touchedTransfers.isEmpty else { return }
        let transfers = touchedTransfers
        touchedTransfers.removeAll(keepingCapacity: true)
        for transfer in transfers { transfer.turnEnded() }
    }

    private func tellEnds() {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            var code = CURLE_OK
            guard let easy = pw_message_done(message, &code) else { continue }
            // The message is void once the handle is removed.
            curl_multi_remove_handle(multi, easy)
            Transfer.of(easy: easy)?.completed(code)
        }
    }

    private func endIgnored() {
        guard !ignoringTransfers.isEmpty else { return }
        let transfers = ignoringTransfers
        ignoringTransfers.removeAll()
        for transfer in transfers { transfer.ignoredBodyTurnEnded() }
    }
}
