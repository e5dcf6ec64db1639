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
    private lazy var redraw = Deadline { [unowned self] in redrawReached() }

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
        if !isDone { loop.run() }
        let code = report.finish()
        return interruption.map { ExitCode.interrupted(by: $0) } ?? code
    }

    private var isDone: Bool {
        loads.isEmpty && queue.waiting == 0 && (source?.isAtEnd ?? true)
    }

    private func turnEnded() {
        report.flush()
        if report.isOutputLost { loop.stop() }
        if isDone { loop.stop() }
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
        while queue.waiting < Self.mostWaiting, let line = source.next() {
            switch line {
            case .address(let typed): add(typed: typed)
            case .problem(let problem): report.add(problem: problem)
            }
        }
    }

    private func add(typed: String) {
        do {
            add(try WebAddress(typed), typed: typed)
        } catch {
            report.add(
                unusable: LoadResult(
                    initialURL: WebAddress.withoutUserInformation(typed), outcome: .failed,
                    error: LoadError(phase: .request, error)))
        }
    }

    private func add(_ address: WebAddress, typed: String) {
        let initialURL = WebAddress.withoutUserInformation(typed)
        let id = nextID
        nextID += 1
        queue.add(host: address.authority) { [unowned self] in
            start(id, address, initialURL: initialURL)
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

    /// Ctrl-C: what runs is stopped and reported, what waits is not begun.
    private func interrupted(_ signal: CInt) {
        interruption = interruption ?? signal
        source = nil
        queue.removeWaiting()
        for id in loads.keys.sorted() { loads[id]?.stopLoading() }
    }
}
