import Fetching
import Glibc
import PageLoading
import PageModel
import Reactor
import WebAddress

/// One run of `check`: takes addresses in as there is room, loads them, and reports.
///
/// Input: the addresses of the command line, then the lines of `--from`. Output: to the report,
/// each event and each result. Decides when, never how.
final class Check {
    /// Addresses that may wait for their turn; reading goes on as they start. Enough to look past
    /// a host that is at its limit.
    private static let mostWaiting = 1024
    /// Lines taken from the list in one turn of the loop: those that start no load are bounded by
    /// nothing else.
    private static let linesPerTurn = 256
    /// How long the output's reader may take once the run was interrupted.
    private static let farewell = Duration.seconds(1)

    private let options: CheckOptions
    private let loadOptions: LoadOptions
    private let loop: EventLoop
    private let pool: TransferPool
    private let queue: LoadQueue
    private let report: CheckReport
    private var source: AddressSource?
    private var loads: [Int: PageLoad] = [:]
    private var nextID = 0
    private var interruption: CInt?
    private var linesLeft = linesPerTurn
    /// The hosts of loads that have ended while the output's reader was behind: others begin in
    /// their place when it has caught up.
    private var endedHosts: [String] = []
    /// Whether something is due when there is room for output again.
    private var isHeldBack = false
    private var isOutputWatched = false
    private var isConcluded = false
    private lazy var redraw = Deadline { [unowned self] in redrawReached() }
    private lazy var nextTurn = Deadline { [unowned self] in goOn() }
    private lazy var outputLate = Deadline { [unowned self] in report.abandonOutput() }

    /// - Throws: ``UsageError`` for what the user named and cannot be used, before anything is
    ///   loaded; ``SystemError`` if the system refuses what the run needs.
    init(_ options: CheckOptions) throws {
        self.options = options
        loadOptions = CheckCommand.loadOptions(options)
        let addresses = try options.urls.map { (typed: $0, address: try Self.address($0)) }
        report = try CheckReport(options)
        loop = try EventLoop()
        pool = try TransferPool(loop: loop, connections: CheckCommand.connections(options))
        queue = LoadQueue(concurrency: options.concurrency, perHost: options.perHost)
        try loop.handle(signals: [SIGINT, SIGTERM]) { [unowned self] in interrupted($0) }
        try report.follow(loop)
        if let from = options.from {
            source = try AddressSource(from, loop: loop) { [unowned self] in takeLines() }
        }
        for (typed, address) in addresses { add(address, typed: typed) }
        loop.atTurnEnd { [unowned self] in turnEnded() }
    }

    /// Runs until every page is reported.
    func run() -> ExitCode {
        takeLines()
        armRedraw()
        // Perhaps nothing is to be waited for.
        turnEnded()
        loop.run()
        unwatchOutput()
        let code = report.finish()
        return interruption.map { ExitCode.interrupted(by: $0) } ?? code
    }

    private var isDone: Bool {
        loads.isEmpty && queue.waiting == 0 && (source?.isAtEnd ?? true)
    }

    private func turnEnded() {
        linesLeft = Self.linesPerTurn
        source?.turnEnded()
        if isDone, !isConcluded {
            isConcluded = true
            report.conclude(interruptedBy: interruption)
        }
        report.flush()
        if report.isOutputLost { return loop.stop() }
        if isHeldBack, report.hasRoom {
            isHeldBack = false
            armNextTurn()
        }
        if report.isHeldUp {
            watchOutput()
        } else if isConcluded {
            loop.stop()
        }
    }

    // MARK: Holding back

    private func armNextTurn() {
        // A moment after this turn's, or it would be in this turn.
        loop.arm(nextTurn, at: MonotonicClock.now() + .nanoseconds(1))
    }

    /// Begins what had to wait: for its turn, or for the output's reader.
    private func goOn() {
        let hosts = endedHosts
        endedHosts = []
        for host in hosts { queue.ended(host: host) }
        takeLines()
    }

    /// The end of the next turn in which the output takes something writes it.
    private func watchOutput() {
        guard !isOutputWatched else { return }
        do {
            try loop.watch(report.outputDescriptor, for: .writable) { [unowned self] _ in
                unwatchOutput()
            }
            isOutputWatched = true
        } catch {
            // What epoll does not take is no pipe and no terminal, and hardly ever full.
            loop.arm(nextTurn, at: MonotonicClock.now() + .milliseconds(50))
        }
    }

    private func unwatchOutput() {
        guard isOutputWatched else { return }
        loop.unwatch(report.outputDescriptor)
        isOutputWatched = false
    }

    // MARK: Addresses

    private static func address(_ typed: String) throws(UsageError) -> WebAddress {
        do {
            return try WebAddress(typed)
        } catch {
            throw UsageError(error.message)
        }
    }

    private func takeLines() {
        guard let source, interruption == nil else { return }
        while queue.waiting < Self.mostWaiting {
            guard report.hasRoom else {
                isHeldBack = true
                return
            }
            guard linesLeft > 0 else { return armNextTurn() }
            linesLeft -= 1
            switch source.next() {
            case .address(let typed, let place): add(typed: typed, at: place)
            case .problem(let problem): report.add(problem: problem)
            case .later: return armNextTurn()
            case .nothing: return
            }
        }
    }

    private func add(typed: String, at place: String) {
        do {
            add(try WebAddress(typed), typed: typed)
        } catch {
            var problem = LoadError(phase: .request, error)
            problem.message = "\(place): \(problem.message)"
            report.add(
                unusable: LoadResult(
                    initialURL: WebAddress.withoutUserInformation(typed), outcome: .failed,
                    error: problem))
        }
    }

    private func add(_ address: WebAddress, typed: String) {
        let initialURL = WebAddress.withoutUserInformation(typed)
        let id = nextID
        nextID += 1
        queue.add(host: address.authority) { [unowned self] in
            start(id, address, initialURL: initialURL)
            return true
        }
    }

    // MARK: Loads

    private func start(_ id: Int, _ address: WebAddress, initialURL: String) {
        var page = Page()
        page.recordsEvents = report.wantsEvents
        let load = PageLoad(
            address, page: page, initialURL: initialURL, options: loadOptions, loop: loop,
            pool: pool,
            onEvent: { [report] in report.add($0, of: initialURL) },
            onEnd: { [unowned self] in ended(id, address, $0) })
        loads[id] = load
        report.began(id, initialURL)
        load.start()
    }

    private func ended(_ id: Int, _ address: WebAddress, _ result: LoadResult) {
        loads[id] = nil
        report.ended(id)
        report.add(result)
        guard report.hasRoom else {
            endedHosts.append(address.authority)
            isHeldBack = true
            return
        }
        queue.ended(host: address.authority)
        takeLines()
    }

    // MARK: The terminal

    private func armRedraw() {
        guard let interval = report.redrawInterval else { return }
        loop.arm(redraw, at: MonotonicClock.now() + interval)
    }

    private func redrawReached() {
        for (id, load) in loads { report.progressed(id, load.page.estimatedProgress) }
        report.draw()
        armRedraw()
    }

    /// Ctrl-C: what runs is stopped and reported, what waits is not begun. A second one does not
    /// wait for the output's reader either.
    private func interrupted(_ signal: CInt) {
        guard interruption == nil else { return report.abandonOutput() }
        interruption = signal
        loop.arm(outputLate, at: MonotonicClock.now() + Self.farewell)
        source = nil
        queue.removeWaiting()
        for id in loads.keys.sorted() { loads[id]?.stopLoading() }
    }
}
