import Glibc
import History
import PageModel
import Reactor

/// A process that writes a store, to be killed or hindered by a test.
///
/// `history-writer crash FOLDER CHANGES` changes ten targets' titles, tells the numbers of what may
/// be announced, and kills itself after so many changes; `history-writer full FOLDER` fills a file that may not grow;
/// `history-writer measure FOLDER` measures.
@main
enum Main {
    static func main() throws {
        guard CommandLine.arguments.count >= 3 else { exit(3) }
        let folder = StateFolder(CommandLine.arguments[2])
        switch CommandLine.arguments[1] {
        case "crash": try Crash.run(folder, changes: Int(CommandLine.arguments.last ?? "") ?? 0)
        case "full": try Full.run(folder)
        case "measure": try Measurement.run(folder)
        default: exit(3)
        }
    }
}

/// Writes a line on standard output at once.
func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// The batch of one confirmed change of a target, whose titles are numbers.
func change(target: String, load: Int64, number: Int) -> Batch {
    let now = HistoryStore.systemTime()
    let event = StoredEvent(
        time: now, target: target, load: load,
        event: .titleChanged(
            TitleChange(
                from: String(number - 1), to: String(number), url: "https://\(target).example/",
                initialURL: "https://\(target).example/", lastSeen: now, firstShown: now,
                fromURL: nil)))
    return Batch([
        .event(event),
        .observation(
            target: target,
            Observation(
                load: load, started: now, ended: now, outcome: .title(String(number)),
                isTold: true)),
        .state(
            target: target,
            VersionedBytes(
                version: 1,
                bytes: Array(String(number).utf8) + [UInt8](repeating: 0x20, count: 100))),
        .lastGood(
            target: target,
            LoadRecord(
                load: load, started: now, ended: now, url: "https://\(target).example/",
                status: 200, title: String(number), bytes: 5000, error: nil)),
    ])
}

/// Writes, and ends without a warning.
private enum Crash {
    static func run(_ folder: StateFolder, changes: Int) throws {
        let listener = HistoryStore.Listener { receipts in
            tell("told " + receipts.flatMap(\.events).map { String($0.seq) }.joined(separator: " "))
        } trouble: { trouble in
            tell("trouble \(trouble)")
        }
        var limits = StoreLimits()
        limits.rowsPerTarget = 1_000_000
        let opening = try HistoryStore.open(
            folder, version: "1.0", limits: limits, listener: listener)
        if let damage = opening.damage { tell("trouble \(damage.message)") }
        var numbers = [Int](repeating: 0, count: 10)
        var loads = [Int64](repeating: 1, count: 10)
        for target in opening.targets {
            guard let index = Int(target.name.dropFirst()), let state = target.state else {
                continue
            }
            loads[index] = target.nextLoad
            let digits = state.bytes.prefix { $0 != 0x20 }
            numbers[index] = Int(String(decoding: digits, as: UTF8.self)) ?? -1
        }
        tell("begins \(opening.store.nextSequenceNumber)")
        for turn in 0..<changes {
            let index = turn % 10
            numbers[index] += 1
            opening.store.submit(
                change(
                    target: "t\(index)", load: loads[index],
                    number: numbers[index]))
            loads[index] += 1
            usleep(500)
        }
        kill(getpid(), SIGKILL)
    }
}

/// Writes on a disk that takes no more, and then again does.
private enum Full {
    static func run(_ folder: StateFolder) throws {
        signal(SIGXFSZ, SIG_IGN)
        let told = Locked<[Int64]>([])
        let troubles = Locked<[String]>([])
        let listener = HistoryStore.Listener { receipts in
            let numbers = receipts.flatMap(\.events).map(\.seq)
            told.withLock { $0 += numbers }
        } trouble: { trouble in
            let word =
                switch trouble {
                case .waiting: "waiting"
                case .cleared: "cleared"
                default: "\(trouble)"
                }
            troubles.withLock { $0.append(word) }
        }
        let store = try HistoryStore.open(folder, version: "1.0", listener: listener).store
        limitFiles(to: 300_000)
        var load: Int64 = 0
        while troubles.withLock({ $0.isEmpty }) {
            load += 1
            store.submit(change(target: "t", load: load, number: Int(load)))
            usleep(100)
        }
        let before = told.withLock { $0.count }
        for _ in 0..<500 {
            load += 1
            store.submit(change(target: "t", load: load, number: Int(load)))
        }
        usleep(300_000)
        tell("while full \(told.withLock { $0.count } - before)")
        limitFiles(to: rlim_t.max)
        let isClosed = store.close(within: .seconds(5))
        tell("closed \(isClosed)")
        tell("troubles \(troubles.withLock { $0 })")
        let all = told.withLock { $0 }
        tell("in order \(all == Array(all[0]..<all[0] + load))")
    }

    private static func limitFiles(to bytes: rlim_t) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = min(bytes, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
}

/// What changes cost, and how long a start takes.
private enum Measurement {
    static func run(_ folder: StateFolder) throws {
        let silent = HistoryStore.Listener { _ in
        } trouble: {
            tell("trouble \($0)")
        }
        var opening = try HistoryStore.open(folder, version: "1.0", listener: silent)
        var store = opening.store
        for first in stride(from: 0, to: 100_000, by: 1000) {
            for index in first..<first + 1000 {
                var batch = change(target: "target-\(index)", load: 1, number: 1)
                batch.append(
                    .definition(
                        target: "target-\(index)",
                        VersionedBytes(version: 1, bytes: [UInt8](repeating: 7, count: 200))))
                while store.submit(batch) == nil { usleep(1000) }
            }
        }
        guard store.close(within: .seconds(60)) else { return tell("not closed") }
        // The lock goes with the last reference to the store.
        let other = StateFolder(folder.path + "/copy")
        try other.create()
        try Backup.make(of: folder, to: other.database)
        var began = MonotonicClock.now()
        opening = try HistoryStore.open(other, version: "1.0", listener: silent)
        tell(
            "open with \(opening.targets.count) targets: \((MonotonicClock.now() - began).inSeconds) s"
        )
        store = opening.store
        let cpu = cpuTime()
        let ownCPU = threadTime()
        began = MonotonicClock.now()
        let seconds = 5
        for turn in 0..<seconds * 100 {
            for index in 0..<10 {
                let number = turn * 10 + index
                store.submit(
                    change(
                        target: "target-\(number * 7919 % 10_000)", load: Int64(number + 2),
                        number: number))
            }
            let next = began + .milliseconds(10 * (turn + 1))
            let rest = (next - MonotonicClock.now()).inSeconds
            if rest > 0 { usleep(useconds_t(rest * 1e6)) }
        }
        _ = store.close(within: .seconds(10))
        let used = cpuTime() - cpu
        let own = threadTime() - ownCPU
        let changes = Double(seconds * 1000)
        tell("CPU a change at 1000/s: \((used - own) / changes * 1e6) us in the store's thread")
        tell("and \(own / changes * 1e6) us in the one that submits")
        tell("wall \((MonotonicClock.now() - began).inSeconds) s")
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func cpuTime() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
