import CCurl
import Reactor
import WebAddress

/// What takes in a hop as it happens; all calls come on the loop's thread, in this order.
package protocol TransferConsumer: AnyObject {
    /// The head has come. 1xx answers are not told.
    func transferReceived(head: ResponseHead) -> HeadVerdict
    /// Whether content still matters; once false, a body is counted and no longer decoded.
    var wantsContent: Bool { get }
    /// The next decoded bytes of the body, valid only during the call.
    func transferReceived(content: UnsafeRawBufferPointer)
    /// One turn of the loop has received so many bytes of the body, as they were on the wire; none
    /// if it only decoded more of what had come before.
    func transferReceived(block bytes: Int)
    /// The hop is over; nil if it ended well. The transfer may be started again at once.
    func transferEnded(_ error: TransferError?)
}

/// What is to become of a hop whose head has come.
package enum HeadVerdict {
    case read
    /// The body does not matter: the hop ends well with this turn, whether it has come or not.
    case ignoreBody
}

/// One request and its answer at a time, on an easy handle from the pool.
///
/// Input: libcurl's callbacks on the handle. Output: the hop's consumer
/// (`PageLoading/PageLoad`). Cookies live from one hop to the next until the transfer goes back to
/// the pool.
package final class Transfer {
    /// Bytes; what browsers bear, and no endless head.
    private static let longestHead = 256 << 10
    /// Bytes of a body that are taken from the network in one turn of the loop, more or less.
    private static let turnShare = 256 << 10
    /// What a call of libcurl's costs beside its bytes, as bytes of the share: a body may come in
    /// chunks of one byte.
    private static let costOfCall = 64

    let easy: EasyHandle
    /// What `easy` was made with.
    let connectionAge: Duration
    let loop: EventLoop
    unowned let pool: TransferPool
    private var consumer: (any TransferConsumer)?
    private(set) var options = TransferOptions()
    /// What libcurl holds for as long as the request may be sent.
    private var headerList: HeaderList?
    private var sessionStore: TLSSessionStore?
    private(set) var clock: HopClock
    private lazy var deadline = Deadline(isLimit: true) { [unowned self] in deadlineReached() }

    private var head = ResponseHead()
    private var headBytes = 0
    private var isHeadComplete = false
    private var isBodyIgnored = false
    /// Nil before the first byte of a body that is to be read.
    private var reading: BodyReading?
    private var isPaused = false
    /// How libcurl ended the hop, while what had come of the body is still to be read.
    private var waitingEnd: CURLcode?
    var lookup = Lookup.mayStart
    private(set) var needsLookup = true
    private var blockBytes = 0
    private var blockCost = 0
    private var lastBlock: Duration = .zero
    /// What we found wrong inside a callback, where a transfer cannot be ended.
    private var failure: TransferError?

    /// Bytes of the body so far, on the wire.
    package private(set) var bodyBytes: Int64 = 0
    /// How far the hop has come.
    package var phase: TransferError.Phase { clock.phase }
    /// How long each phase of this hop has taken.
    package var phaseDurations: HopClock.Durations { clock.durations(at: MonotonicClock.now()) }

    /// Nil if there is no memory.
    init?(pool: TransferPool, loop: EventLoop) {
        guard let easy = EasyHandle(connectionAge: pool.connectionAge) else { return nil }
        self.easy = easy
        connectionAge = pool.connectionAge
        self.pool = pool
        self.loop = loop
        clock = HopClock(at: loop.now)
        setCallbacks()
    }

    // MARK: Starting and ending

    /// Sends a request and tells `consumer` of all that comes of it.
    ///
    /// - Parameters:
    ///   - isConfiguredOrigin: Whether `address` is of the origin that configured headers and
    ///     credentials are for; no other gets them.
    ///   - moreHeaders: Lines of this request alone, such as those that ask for changes only.
    package func start(
        _ address: WebAddress, options: TransferOptions, isConfiguredOrigin: Bool,
        moreHeaders: [String] = [], consumer: any TransferConsumer
    ) {
        reset(at: MonotonicClock.now())
        self.consumer = consumer
        self.options = options
        easy.apply(options)
        easy.set(CURLOPT_URL, address.text)
        needsLookup = !address.isNumeric
        headerList = options.headerLines(
            for: address, isConfiguredOrigin: isConfiguredOrigin, more: moreHeaders)
        pw_easy_set_list(easy.raw, CURLOPT_HTTPHEADER, headerList?.raw)
        let credentials = isConfiguredOrigin ? address.credentials ?? options.credentials : nil
        easy.set(CURLOPT_USERNAME, credentials?.user)
        easy.set(CURLOPT_PASSWORD, credentials?.password)
        let certificate = isConfiguredOrigin ? options.clientCertificate : nil
        easy.set(CURLOPT_SSLCERT, certificate?.certificate)
        easy.set(CURLOPT_SSLKEY, certificate?.key)
        easy.set(CURLOPT_KEYPASSWD, certificate?.password)
        useSessionStore(
            address.scheme == .https ? pool.sessions.store(for: address.authority) : nil)
        limitConnecting(to: max(options.timeouts.resolve, options.timeouts.connect))
        armDeadline()
        pool.add(self)
    }

    /// Ends a hop that is under way without telling anyone; its connection is closed.
    package func cancel() {
        guard consumer != nil else { return }
        pool.remove(self)
        finish()
    }

    /// libcurl has ended the hop.
    func completed(_ code: CURLcode) {
        if lookup == .refused { return waitForLookup() }
        if let reading, reading.isHolding, failure == nil, consumer?.wantsContent == true {
            waitingEnd = code
            return pause()
        }
        let error = failure ?? (isBodyIgnored ? nil : transferError(of: code)) ?? truncation()
        end(error)
    }

    /// The turn is over: tells the block, if there was one.
    func turnEnded() {
        let bytes = blockBytes
        blockBytes = 0
        blockCost = 0
        lastBlock = loop.now
        if bytes > 0 { consumer?.transferReceived(block: bytes) }
    }

    /// The turn after one in which it had its share: goes on.
    func resume() {
        guard isPaused, consumer != nil else { return }
        isPaused = false
        if let reading, reading.isHolding {
            guard readHeld(of: reading) else {
                pool.remove(self)
                return end(failure)
            }
            lastBlock = loop.now
            // Nothing more has come, but a title may have come out of it.
            consumer?.transferReceived(block: 0)
        }
        guard !isPaused, consumer != nil else { return }
        if let waitingEnd { completed(waitingEnd) } else { pool.unpause(self) }
    }

    /// The turn is over and the body does not matter: the hop ends here.
    func ignoredBodyTurnEnded() {
        guard consumer != nil, isBodyIgnored else { return }
        pool.remove(self)
        end(nil)
    }

    /// Makes the handle fit for another load.
    func forgetLoad() {
        easy.set(CURLOPT_COOKIELIST, "ALL")
    }

    private func end(_ error: TransferError?) {
        let consumer = self.consumer
        finish()
        consumer?.transferEnded(error)
    }

    private func finish() {
        clock.stop(at: MonotonicClock.now())
        loop.disarm(deadline)
        lookup = .mayStart
        reading = nil
        consumer = nil
    }

    private func reset(at now: Duration) {
        clock = HopClock(at: now)
        head = ResponseHead()
        headBytes = 0
        isHeadComplete = false
        isBodyIgnored = false
        reading = nil
        isPaused = false
        waitingEnd = nil
        blockBytes = 0
        blockCost = 0
        failure = nil
        easy.forgetError()
        bodyBytes = 0
    }

    private func useSessionStore(_ store: TLSSessionStore?) {
        guard store !== sessionStore else { return }
        sessionStore = store
        pw_easy_set_share(easy.raw, store?.raw)
    }

    // MARK: Phases and their deadlines

    /// The hop enters a phase; later than its present one, or a call of libcurl's for a second
    /// address, which changes nothing.
    func enter(_ phase: TransferError.Phase) {
        guard clock.enter(phase, at: MonotonicClock.now()) else { return }
        switch phase {
        case .connect: limitConnecting(to: options.timeouts.connect)
        case .tls: limitConnecting(to: options.timeouts.tls)
        default: break
        }
        armDeadline()
    }

    /// libcurl has one limit for look-up, connection and handshake together. It is moved along,
    /// just behind our own, so that it cuts none short; it also sets how long the first of two
    /// addresses may take: half.
    private func limitConnecting(to timeout: Duration) {
        let spent = MonotonicClock.now() - clock.start
        let limit = spent + timeout + .milliseconds(250)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: limit.millisecondsRoundedUp))
    }

    private func timeout(of phase: TransferError.Phase) -> Duration {
        switch phase {
        case .request, .connect: options.timeouts.connect
        case .resolve: options.timeouts.resolve
        case .tls: options.timeouts.tls
        case .firstByte: options.timeouts.firstByte
        case .body: options.timeouts.stall
        }
    }

    private func armDeadline() {
        let began = clock.phase == .body ? max(lastBlock, clock.phaseStart) : clock.phaseStart
        loop.arm(deadline, at: began + timeout(of: clock.phase))
    }

    private func deadlineReached() {
        // Blocks do not move the deadline, which would cost a heap operation each: it is looked
        // at again when it is reached.
        if clock.phase == .body, lastBlock + options.timeouts.stall > loop.now {
            return armDeadline()
        }
        pool.remove(self)
        end(timeoutError(after: timeout(of: clock.phase)))
    }

    // MARK: What comes

    /// - Returns: Whether to go on.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        guard headBytes <= Self.longestHead else {
            return isHeadComplete
                ? fail(.body, .tooLarge, "the answer's trailer is too long")
                : fail(.firstByte, .tooLarge, "the answer's head is over 256 KiB")
        }
        // Trailers behind a chunked body are headers to libcurl, and it keeps them all.
        guard !isHeadComplete else { return true }
        if ResponseHead.isEnd(line) { return headEnded() }
        if let begun = ResponseHead(statusLine: line) {
            head = begun
        } else {
            head.read(line: line)
        }
        return true
    }

    private func headEnded() -> Bool {
        let isInformational = (100..<200).contains(head.status)
        guard head.status != 101 else {
            return fail(.firstByte, .notHTTP, "the answer is 101, a protocol nobody asked for")
        }
        guard !isInformational else { return true }
        isHeadComplete = true
        headBytes = 0
        enter(.body)
        if case .ignoreBody = consumer?.transferReceived(head: head) {
            isBodyIgnored = true
            pool.willIgnoreBody(of: self)
        }
        return true
    }

    /// - Returns: Whether to go on.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        if isBodyIgnored { return true }
        if blockBytes == 0 { pool.touched(self) }
        blockBytes += bytes.count
        blockCost += bytes.count + Self.costOfCall
        bodyBytes += Int64(bytes.count)
        guard bodyBytes <= options.maxBytes else { return failTooLarge("on the wire") }
        if blockCost >= Self.turnShare { pause() }
        guard let consumer, consumer.wantsContent else { return true }
        return read(bytes, for: consumer)
    }

    private func pause() {
        guard !isPaused else { return }
        isPaused = true
        pool.pause(self)
    }

    /// Reads as much as this turn may; the next goes on.
    ///
    /// - Returns: Whether to go on.
    private func read(
        _ bytes: UnsafeRawBufferPointer, for consumer: any TransferConsumer
    ) -> Bool {
        do throws(DecodingFailure) {
            let reading = try bodyReading()
            try reading.read(bytes, for: consumer, share: pool.share)
            if reading.isHolding { pause() }
            return true
        } catch {
            return fail(error)
        }
    }

    /// Made with the first byte: an empty body is empty whatever its codings.
    private func bodyReading() throws(DecodingFailure) -> BodyReading {
        if let reading { return reading }
        let new = try BodyReading(codings: head.contentEncodings, maxBytes: options.maxBytes)
        reading = new
        return new
    }

    /// - Returns: Whether to go on.
    private func readHeld(of reading: BodyReading) -> Bool {
        guard let consumer, consumer.wantsContent else { return true }
        do throws(DecodingFailure) {
            try reading.readHeld(for: consumer, share: pool.share)
            if reading.isHolding { pause() }
            return true
        } catch {
            return fail(error)
        }
    }

    // MARK: What goes wrong

    private func fail(_ phase: TransferError.Phase, _ code: TransferError.Code, _ message: String)
        -> Bool
    {
        failure = TransferError(phase: phase, code: code, message: message)
        return false
    }

    private func fail(_ failure: DecodingFailure) -> Bool {
        switch failure {
        case .corrupt(let coding):
            fail(
                .body, .badContentEncoding,
                "the body is not what its Content-Encoding (\(coding)) says")
        case .outOfMemory:
            fail(.body, .outOfMemory, "no memory to decode the body")
        case .tooLarge: failTooLarge("decoded")
        }
    }

    private func failTooLarge(_ way: String) -> Bool {
        fail(
            .body, .tooLarge,
            "the body is over \(options.maxBytes) bytes \(way) (allow more with --max-bytes)")
    }

    /// A coded body that ended before its own end, while somebody still wanted its content.
    private func truncation() -> TransferError? {
        guard let reading, let consumer, !isBodyIgnored, consumer.wantsContent, reading.isCutShort
        else { return nil }
        return TransferError(
            phase: .body, code: .bodyCutShort,
            message: "the body ended in the middle of its Content-Encoding")
    }
}
