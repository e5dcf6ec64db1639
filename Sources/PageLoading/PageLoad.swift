import Fetching
import PageModel
import Reactor
import Titles
import WebAddress

/// One load of one page, from the request to its result: over redirects and short refreshes.
///
/// The only place that knows hops, titles and page state. Input: a transfer's hops
/// (`Fetching/Transfer`). Output: bytes to `Titles/PageReader`, steps to `PageModel/Page`, whose
/// events go to `onEvent`, and the result at the end to `onEnd`.
package final class PageLoad {
    /// Seconds: a refresh up to here is part of the load, as in WebKit, where it replaces the
    /// page's item in the list.
    private static let longestFollowedRefresh = 1
    private static let mostRefreshes = 10

    /// What an answer is to this load, decided at its head.
    enum Answer {
        /// Goes on to another address.
        case redirect(status: Int, location: [UInt8])
        case page(PageReader, ResponseHead)
        /// What we have is still right: the answer to a request with conditions.
        case notModified(ResponseHead)
        /// Is no page to show, whatever its body.
        case refused(LoadError)
    }

    /// Where the load begins.
    package let address: WebAddress
    /// Its origin is the only one that gets configured headers.
    private let configuredAddress: WebAddress
    /// The page's state; it belongs to the load while that runs.
    package private(set) var page: Page
    let options: LoadOptions
    let loop: EventLoop
    private let pool: TransferPool
    private var transfer: Transfer?
    /// Header lines that make the first request one for changes only.
    private let conditions: [String]
    private let onEvent: (PageEvent) -> Void
    private let onEnd: (LoadResult) -> Void

    /// Cookies that an earlier load left, for this one to send; at its end, those that are left now.
    package var cookies: [String] = []
    private var startedAt: Duration = .zero
    private lazy var deadline = Deadline(isLimit: true) { [unowned self] in deadlineReached() }
    private lazy var refreshWait = Deadline { [unowned self] in followWaitingRefresh() }
    private var waitingRefresh: WebAddress?

    /// The address of the present hop.
    private(set) var current: WebAddress
    private(set) var answer: Answer?
    /// That of `answer`, if it is a page: asked for with every slice of a body.
    private(set) var reader: PageReader?
    private var redirectCount = 0
    private var refreshCount = 0
    private var redirects: [LoadResult.Redirect] = []
    private var timings = Timings()
    private var known: LoadResult
    /// Whether a hop is under way, whose phases are not in `timings` yet.
    private var isInHop = false
    private var isOver = false

    /// Prepares a load without sending anything.
    ///
    /// - Parameters:
    ///   - page: The state to go on from; a new one for a page that was never loaded.
    ///   - initialURL: The URL as it was given, less user information: what the result shows.
    ///   - configuredAddress: Whose origin the configured headers and credentials are for; nil if
    ///     that is `address`.
    ///   - conditions: Header lines such as `If-None-Match: "x"`, for the first request alone. A
    ///     304 to it finishes the load, with that status and without a title; the page stays.
    ///   - onEvent: Gets each change in order; never called if the page records no events.
    ///   - onEnd: Gets the result, once; the load is over then, and its transfer given back.
    package init(
        _ address: WebAddress, page: Page, initialURL: String, options: LoadOptions,
        loop: EventLoop, pool: TransferPool, configuredAddress: WebAddress? = nil,
        conditions: [String] = [],
        onEvent: @escaping (PageEvent) -> Void,
        onEnd: @escaping (LoadResult) -> Void
    ) {
        self.address = address
        self.configuredAddress = configuredAddress ?? address
        self.page = page
        self.options = options
        self.loop = loop
        self.pool = pool
        self.conditions = conditions
        self.onEvent = onEvent
        self.onEnd = onEnd
        current = address
        known = LoadResult(initialURL: initialURL, url: address.text, outcome: .failed)
    }

    /// Whether the last answer was read as HTML or XML; false before there is one.
    package var isPage: Bool {
        guard case .page(let reader, _) = answer else { return false }
        return reader.kind == .html || reader.kind == .xml
    }

    /// The head of the last answer; nil before there is one, and for a redirect.
    package var head: ResponseHead? {
        switch answer {
        case .page(_, let head), .notModified(let head): head
        default: nil
        }
    }

    /// The bytes of the title before decoding; nil if they are not wanted or not known.
    package var titleBytes: [UInt8]? {
        if case .page(let reader, _) = answer { reader.titleBytes } else { nil }
    }

    /// Whether the request that is under way is the one with the conditions.
    private var isFirstHop: Bool { redirectCount == 0 && refreshCount == 0 }

    // MARK: Starting and stopping

    /// Sends the first request.
    ///
    /// - Parameter phase: How far the load had come that the page is in the middle of; see
    ///   ``giveWay()``.
    package func start(_ kind: Page.LoadKind = .load, over phase: LoadError.Phase? = nil) {
        startedAt = MonotonicClock.now()
        page.startLoad(kind, url: address.text, over: phase)
        tellEvents()
        loop.arm(deadline, at: startedAt + options.timeout)
        guard let transfer = pool.take() else {
            return fail(LoadError(phase: .request, .outOfMemory, message: "no memory"))
        }
        self.transfer = transfer
        if !cookies.isEmpty { transfer.cookies = cookies }
        startHop()
    }

    /// WebKit's stopLoading: the load fails with `cancelled` at once. Nothing if it is over.
    package func stopLoading() {
        guard !isOver else { return }
        fail(LoadError(phase: phase, .cancelled, message: "the load was stopped"))
    }

    /// Ends the load for another one that begins over it: nothing is told here, and ``page`` is to
    /// go on there, in the middle of its load.
    ///
    /// - Returns: How far it had come.
    package func giveWay() -> LoadError.Phase {
        let phase = phase
        if !isOver { release() }
        return phase
    }

    private func startHop() {
        answer = nil
        reader = nil
        known.url = current.text
        isInHop = true
        transfer?.start(
            current, options: options.transfer,
            isConfiguredOrigin: current.isSameOrigin(as: configuredAddress),
            moreHeaders: isFirstHop ? conditions : [], consumer: self)
    }

    private var phase: LoadError.Phase {
        guard let transfer, waitingRefresh == nil else { return .redirect }
        return LoadError.Phase(transfer.phase)
    }

    private func deadlineReached() {
        guard let transfer else { return }
        if waitingRefresh != nil {
            return fail(
                LoadError(
                    phase: .redirect, .timedOut,
                    message: "the load was not over when the page's refresh was due"))
        }
        fail(LoadError(transfer.loadTimeoutError(after: options.timeout)))
    }

    // MARK: What a hop tells

    /// The head decides what the answer is.
    func received(_ head: ResponseHead) -> HeadVerdict {
        known.status = head.status
        known.contentType = head.contentType
        known.title = nil
        known.encoding = nil
        known.encodingSource = nil
        known.bytes = nil
        if options.followsRedirects, head.isRedirect, let location = head.location,
            !location.isEmpty
        {
            answer = .redirect(status: head.status, location: location)
            return .ignoreBody
        }
        if head.status == 304, isFirstHop, !conditions.isEmpty {
            answer = .notModified(head)
            return .ignoreBody
        }
        if let error = PageGate.refusal(of: head) {
            answer = .refused(error)
            return .ignoreBody
        }
        let reader = PageReader(
            contentType: head.contentType,
            options: .init(
                encoding: options.encoding, maySniff: head.maySniff,
                keepsTitleBytes: options.keepsTitleBytes))
        self.reader = reader
        answer = .page(reader, head)
        page.responseStarted(expectedBytes: head.contentLength)
        return .read
    }

    /// A block of the page has been read: the progress, the commit, then the title if it is known.
    func received(block bytes: Int) {
        guard case .page(let reader, let head) = answer else { return }
        page.received(
            bytes: bytes, hasBodyBegun: reader.hasBodyBegun, commit: commit(reader, head),
            at: loop.now)
        if reader.isTitleKnown { page.titleParsed(title(of: reader)) }
        tellEvents()
    }

    /// The hop is over: follows, finishes or fails.
    func hopEnded(_ error: TransferError?) {
        addTimings()
        switch answer {
        case .redirect(let status, let location):
            follow(location, status: status)
        case .refused(let refusal):
            fail(refusal)
        case .page(let reader, let head):
            error.map { fail(LoadError($0)) } ?? pageEnded(reader, head)
        case .notModified(let head):
            stayedAsItWas(head)
        case nil:
            fail(error.map { LoadError($0) } ?? Self.noAnswer)
        }
    }

    /// A web view would show the page from its cache: the same title, committed anew.
    private func stayedAsItWas(_ head: ResponseHead) {
        let title = page.title
        page.commitEmpty(
            Commit(
                url: current.text, status: head.status, contentType: nil, encoding: nil,
                encodingSource: nil))
        page.titleParsed(title)
        known.bytes = 0
        finish(status: head.status)
    }

    private static let noAnswer = LoadError(
        phase: .firstByte, .connectionClosed, message: "closed without an answer")

    private func pageEnded(_ reader: PageReader, _ head: ResponseHead) {
        reader.finish()
        page.commitEmpty(commit(reader, head))
        page.titleParsed(title(of: reader))
        if let refresh = refresh(of: reader, head), follow(refresh, status: head.status) {
            return
        }
        finish(status: head.status)
    }

    // MARK: Going on elsewhere

    private func follow(_ location: [UInt8], status: Int) {
        redirects.append(.init(url: current.text, status: status))
        guard redirectCount < options.maxRedirects else {
            return fail(
                LoadError(
                    phase: .redirect, .tooManyRedirects,
                    message: "more than \(options.maxRedirects) redirects"))
        }
        redirectCount += 1
        do {
            current = try current.resolving(location)
        } catch {
            return fail(LoadError(phase: .redirect, error))
        }
        page.redirected(to: current.text, status: status)
        tellEvents()
        startHop()
    }

    /// A refresh, resolved; nil if there is none or it leads to no page.
    private func refresh(of reader: PageReader, _ head: ResponseHead) -> PendingRefresh? {
        PendingRefresh(header: head.refresh, meta: reader.refresh, page: current)
    }

    /// - Returns: Whether the load goes on with it; else it is told in the result.
    private func follow(_ refresh: PendingRefresh, status: Int) -> Bool {
        guard options.followsRefresh, refresh.delay <= Self.longestFollowedRefresh else {
            known.refresh = .init(delay: refresh.delay, url: refresh.address.text)
            return false
        }
        redirects.append(.init(url: current.text, status: status))
        refreshCount += 1
        guard refreshCount <= Self.mostRefreshes else {
            fail(
                LoadError(
                    phase: .redirect, .tooManyRedirects,
                    message: "more than \(Self.mostRefreshes) refreshes"))
            return true
        }
        waitingRefresh = refresh.address
        tellEvents()
        loop.arm(refreshWait, at: loop.now + .seconds(refresh.delay))
        return true
    }

    private func followWaitingRefresh() {
        guard let next = waitingRefresh else { return }
        waitingRefresh = nil
        // Its status is the result's until there is another answer, and so is all else of it.
        keepPage()
        page.refreshed(to: next.text, status: known.status ?? 0)
        tellEvents()
        current = next
        startHop()
    }

    // MARK: The end

    private func finish(status: Int) {
        let timings = totalTimings()
        page.finished(status: status, bytes: transfer?.bodyBytes ?? 0, timings: timings)
        known.outcome = .finished
        end(timings)
    }

    private func fail(_ error: LoadError) {
        if case .page(let reader, _) = answer, reader.isTitleKnown {
            page.titleParsed(title(of: reader))
        }
        page.failed(error)
        known.outcome = .failed
        known.error = error
        end(totalTimings())
    }

    private func end(_ timings: Timings) {
        keepPage()
        known.redirects = redirects
        known.timings = timings
        release()
        tellEvents()
        onEnd(known)
    }

    private func release() {
        isOver = true
        loop.disarm(deadline)
        loop.disarm(refreshWait)
        if options.keepsCookies, let transfer { cookies = transfer.cookies }
        if let transfer { pool.give(back: transfer) }
        transfer = nil
    }

    /// Puts what is known of the present hop's page into the result.
    private func keepPage() {
        guard case .page(let reader, _) = answer else { return }
        known.title = reader.isTitleKnown ? title(of: reader) : nil
        known.encoding = reader.encodingName
        known.encodingSource = reader.encodingSource.map { PageModel.EncodingSource($0) }
        known.bytes = transfer?.bodyBytes
    }

    private func tellEvents() {
        page.drainEvents(onEvent)
    }

    private func title(of reader: PageReader) -> String? {
        reader.title.map { cut($0, utf16Limit: options.titleLimit) }
    }

    private func commit(_ reader: PageReader, _ head: ResponseHead) -> Commit {
        Commit(
            url: current.text, status: head.status, contentType: head.contentType,
            encoding: reader.encodingName,
            encodingSource: reader.encodingSource.map { PageModel.EncodingSource($0) })
    }

    private func addTimings() {
        guard isInHop, let spent = transfer?.phaseDurations else { return }
        isInHop = false
        timings.resolve += spent.resolve.inSeconds
        timings.connect += spent.connect.inSeconds
        timings.tls += spent.tls.inSeconds
        timings.firstByte += spent.firstByte.inSeconds
    }

    private func totalTimings() -> Timings {
        addTimings()
        timings.total = (MonotonicClock.now() - startedAt).inSeconds
        return timings
    }
}
