/// What one web view would show of its page, and the story of how that changes.
///
/// Input comes from `PageLoading/PageLoad`, which calls one method for each step of a load; the
/// events are taken by the owner, after any number of steps. Names, values and order are WebKit's,
/// and deviate only where a comment says so. Time is an argument: nothing here reads a clock.
///
/// A step that does not fit (a block when nothing loads) is ignored.
package struct Page: Sendable {
    /// What begins a load.
    package enum LoadKind: Equatable, Sendable {
        /// A URL to show. One equal to the current item's is a reload, as in WebKit.
        case load
        /// The same page once more, such as a target's next check. It adds nothing to the
        /// back-forward list unless its final URL is a different one; WebKit's reload then changes
        /// the item, and a visitor could not go back to what was there.
        case reload
        /// The item of the list so many steps away. One that is not there is loaded as by `load`.
        case backForward(offset: Int)
    }

    /// The pages shown so far. A back/forward load moves its current item when it starts.
    package private(set) var backForwardList = BackForwardList()

    private var observed = ObservedProperties()
    private var estimator = ProgressEstimator()
    /// Nil while nothing loads.
    private var navigation: Navigation?
    /// The URL of the page shown, also while another one is on its way; "" for none.
    private var shownURL = ""

    package init() {}

    // MARK: Properties

    /// The URL shown or, while it is on its way, asked for; "" before the first load.
    package var url: String { observed.url }

    /// Nil before the first page and for one without a title element; "" from each commit until
    /// the page's own title is known.
    package var title: String? { observed.title }

    /// 0 before the first load, 0.1 to 0.9 within a load, 1 after it; fresher than what was told.
    package var estimatedProgress: Double {
        navigation == nil ? observed.estimatedProgress : estimator.value
    }

    package var isLoading: Bool { observed.isLoading }

    package var canGoBack: Bool { observed.canGoBack }

    package var canGoForward: Bool { observed.canGoForward }

    // MARK: Events

    /// Whether changes are kept for the owner to take. Turn it off where nobody reads them: all
    /// state moves on as ever.
    package var recordsEvents: Bool {
        get { observed.recordsEvents }
        set { observed.recordsEvents = newValue }
    }

    /// Hands over what has changed since the last time, oldest first.
    package mutating func takeEvents() -> [PageEvent] { observed.takeEvents() }

    /// As ``takeEvents()``, one by one, and keeps the memory for the next.
    package mutating func drainEvents(_ body: (PageEvent) -> Void) { observed.drainEvents(body) }

    // MARK: Start

    /// Begins a load, over a running one if there is one.
    ///
    /// Tells `estimatedProgress` 0.1, `url`, `isLoading` true, of a back/forward load
    /// `canGoForward` and `canGoBack`, of a load that ran `failed` with code `cancelled`, then
    /// `started`. The index of a back/forward load is given back when the load fails before its
    /// commit. WebKit does so only when it is stopped; here the current item is always the page
    /// that is shown or on its way.
    ///
    /// - Parameters:
    ///   - kind: What the load does to the back-forward list.
    ///   - url: Absolute; for a back/forward load, the item's.
    ///   - phase: How far the running load had come, for its error. Nil: as far as is known here.
    package mutating func startLoad(
        _ kind: LoadKind, url: String, over phase: LoadError.Phase? = nil
    ) {
        let running = navigation
        estimator = ProgressEstimator()
        navigation = begin(kind, url: url, over: running)

        observed.set(estimatedProgress: ProgressEstimator.initialValue)
        observed.set(url: url)
        observed.set(isLoading: true)
        observed.set(backForwardList)
        if let running {
            let isAnswered = running.stage != .requested
            let error = LoadError(
                phase: phase ?? (isAnswered ? .body : .request), code: "cancelled",
                message: "another load began before this one had ended")
            observed.navigation(
                .failed(committed: running.stage == .committed, error: error))
        }
        observed.navigation(.started)
    }

    private mutating func begin(
        _ kind: LoadKind, url: String, over running: Navigation?
    ) -> Navigation {
        // An offset counts from where a running back/forward load has moved to, as the list that
        // the caller sees does; what is given back on failure is the page that is shown.
        let shownIndex = running?.indexToRestore ?? backForwardList.currentIndex
        if case .backForward(let offset) = kind, backForwardList.go(to: offset) {
            return Navigation(placement: .update, initialURL: url, indexToRestore: shownIndex)
        }
        backForwardList.restore(currentIndex: shownIndex)
        let isReload = kind == .reload || isSame(url, backForwardList.currentItem?.url)
        return Navigation(placement: isReload ? .keep : .append, initialURL: url)
    }

    // MARK: Before the commit

    /// The server sent the load on, by an answer of that status: tells `url`, then `redirected`.
    package mutating func redirected(to url: String, status: Int) {
        guard navigation != nil else { return }
        observed.set(url: url)
        observed.navigation(.redirected(url: url, status: status, reason: .http))
    }

    /// The page has ended and sends the load on by a refresh: tells `url`, `redirected`, and
    /// `estimatedProgress` 0.1. The status is that of the page that holds the refresh.
    ///
    /// It is still the same load, but estimated anew. The page stays shown until the next commit,
    /// which takes the place of its item; should the load fail before that, it is a failure
    /// before commit, as in WebKit: the page that failed is not the one shown.
    package mutating func refreshed(to url: String, status: Int) {
        guard navigation?.stage == .committed else { return }
        navigation = Navigation(placement: .replace, initialURL: url)
        estimator = ProgressEstimator()
        observed.set(url: url)
        observed.navigation(.redirected(url: url, status: status, reason: .refresh))
        observed.set(estimatedProgress: ProgressEstimator.initialValue)
    }

    /// The head of the final answer is there. Nothing is told: a page is shown from its first byte.
    ///
    /// - Parameter expectedBytes: The length of the body on the wire; nil for unknown.
    package mutating func responseStarted(expectedBytes: Int64?) {
        guard navigation?.stage == .requested else { return }
        navigation?.stage = .answered
        estimator.responseStarted(expectedBytes: expectedBytes)
    }

    // MARK: The body

    /// One block of the body: what one turn of the loop received.
    ///
    /// The first one commits: tells `estimatedProgress`, `url`, `title` "", `canGoForward`,
    /// `canGoBack`, then `committed`. Later ones tell `estimatedProgress`, every 200 ms at most.
    ///
    /// - Parameters:
    ///   - bytes: On the wire; a block of 0 is none.
    ///   - hasBodyBegun: Whether body content had begun by the end of this block.
    ///   - commit: What is known by the end of this block; only asked for in the first.
    ///   - now: Time since an arbitrary, fixed origin of a clock that never goes back.
    package mutating func received(
        bytes: Int, hasBodyBegun: Bool, commit: @autoclosure () -> Commit, at now: Duration
    ) {
        guard let navigation, bytes > 0 else { return }
        let due = estimator.received(bytes: bytes, hasBodyBegun: hasBodyBegun, at: now)
        if let due { observed.set(estimatedProgress: due) }
        if navigation.stage != .committed { show(commit(), of: navigation) }
    }

    /// The body ended without a byte: commits as a first block does, but the progress stays.
    package mutating func commitEmpty(_ commit: Commit) {
        guard let navigation, navigation.stage != .committed else { return }
        show(commit, of: navigation)
    }

    /// Tells `title` if it changed, and gives it to the current item; only after the commit.
    ///
    /// - Parameter title: Nil for a page that has ended without a title element.
    package mutating func titleParsed(_ title: String?) {
        guard navigation?.stage == .committed else { return }
        observed.set(title: title)
        backForwardList.setCurrentTitle(title)
    }

    private mutating func show(_ commit: Commit, of navigation: Navigation) {
        place(commit.url, of: navigation)
        shownURL = commit.url
        self.navigation?.stage = .committed
        self.navigation?.indexToRestore = nil

        observed.set(url: commit.url)
        observed.set(title: "")
        observed.set(backForwardList)
        observed.navigation(.committed(commit))
    }

    private mutating func place(_ url: String, of navigation: Navigation) {
        var item = BackForwardList.Item(url: url, initialURL: navigation.initialURL)
        let current = backForwardList.currentItem
        let isCurrentURL = isSame(url, current?.url)
        if let current, isCurrentURL,
            navigation.placement == .keep || navigation.placement == .update
        {
            item.initialURL = current.initialURL
        }
        switch navigation.placement {
        case .keep where isCurrentURL || isSame(url, backForwardList.entryURL), .replace:
            backForwardList.replaceCurrent(with: item)
        case .update:
            backForwardList.replaceCurrent(with: item)
            backForwardList.entryURL = url
        case .append, .keep:
            backForwardList.append(item)
            backForwardList.entryURL = url
        }
    }

    // MARK: End

    /// The page is complete: tells `estimatedProgress` 1.0, `isLoading` false, then `finished`.
    ///
    /// Only after the commit, and after the title is told. `status` is the page's: an error page
    /// finishes like any other. `bytes` counts the body on the wire.
    package mutating func finished(status: Int, bytes: Int64, timings: Timings) {
        guard navigation != nil else { return }
        navigation = nil
        observed.set(estimatedProgress: ProgressEstimator.finalValue)
        observed.set(isLoading: false)
        observed.navigation(.finished(status: status, bytes: bytes, timings: timings))
    }

    /// The load failed or was stopped.
    ///
    /// After the commit, what has come of the page stays: tells `estimatedProgress` 1.0,
    /// `isLoading` false, `failed`. Before it, what was shown stays: tells `isLoading` false,
    /// `url` of what is shown, `failed`, `estimatedProgress` 1.0, and of a back/forward load last,
    /// as WebKit does, `canGoForward` and `canGoBack`, since the index is where it was.
    package mutating func failed(_ error: LoadError) {
        guard let navigation else { return }
        self.navigation = nil
        if navigation.stage == .committed {
            observed.set(estimatedProgress: ProgressEstimator.finalValue)
            observed.set(isLoading: false)
            observed.navigation(.failed(committed: true, error: error))
        } else {
            observed.set(isLoading: false)
            observed.set(url: shownURL)
            observed.navigation(.failed(committed: false, error: error))
            observed.set(estimatedProgress: ProgressEstimator.finalValue)
            if let index = navigation.indexToRestore {
                backForwardList.restore(currentIndex: index)
                observed.set(backForwardList)
            }
        }
    }
}

// MARK: - At rest

/// All of a page that no load is changing, in a fifth of its size: what a watcher of thousands keeps
/// of each between two loads.
package struct PageAtRest: Sendable {
    fileprivate var list = BackForwardList()
    fileprivate var hasLoaded = false
    /// The last load failed after its commit, before it came to a title: `title` stayed "".
    fileprivate var isTitleDue = false
    fileprivate var recordsEvents = true

    /// A page that was never loaded.
    package init() {}

    /// A page as it was left, before its first load after a restart: the current item is what is
    /// shown.
    package init(showing list: BackForwardList) {
        self.list = list
        hasLoaded = list.currentItem != nil
    }
}

extension Page {
    /// The page again; nothing of it is told anew.
    package init(_ rest: PageAtRest) {
        backForwardList = rest.list
        observed.recordsEvents = false
        if let shown = rest.list.currentItem {
            shownURL = shown.url
            observed.set(url: shown.url)
            observed.set(title: rest.isTitleDue ? "" : shown.title)
        }
        observed.set(backForwardList)
        if rest.hasLoaded { observed.set(estimatedProgress: ProgressEstimator.finalValue) }
        observed.recordsEvents = rest.recordsEvents
    }

    /// What is to be kept of the page until its next load; not the events that nobody took.
    package var atRest: PageAtRest {
        precondition(navigation == nil, "a page that loads is not at rest")
        var rest = PageAtRest()
        rest.list = backForwardList
        rest.hasLoaded = observed.estimatedProgress == ProgressEstimator.finalValue
        rest.isTitleDue = observed.title != nil && backForwardList.currentItem?.title == nil
        rest.recordsEvents = observed.recordsEvents
        return rest
    }
}
