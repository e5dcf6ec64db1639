import PageModel

@testable import Watching

/// A schedule with clocks that a test moves, and loads that take as long as the test says.
struct SchedulePlayer {
    var schedule = Schedule()
    var now = Duration.seconds(1000)
    /// What the wall shows when the other clock shows zero.
    var wallOffset = Duration.seconds(1_000_000)
    /// Starts of each target, in order.
    var starts: [Schedule.ID: [Duration]] = [:]
    var checks: [NextCheck] = []
    var gaps: [DurableEvent] = []
    var running: [(id: Schedule.ID, end: Duration)] = []
    /// How long the loads of a target take; 10 ms unless given.
    var durations: [Schedule.ID: Duration] = [:]
    var next: [Schedule.ID: NextCheck] = [:]
    var failingLoads: [Schedule.ID: Int] = [:]

    var time: Timestamp { Self.time(now + wallOffset) }

    static func time(_ wall: Duration) -> Timestamp {
        Timestamp(
            milliseconds: wall.components.seconds * 1000 + wall.components.attoseconds
                / 1_000_000_000_000_000)
    }

    mutating func add(_ newcomers: [Schedule.Newcomer]) -> [Schedule.ID] {
        let (ids, gap) = schedule.add(newcomers, now: now, time: time)
        if let gap { gaps.append(gap) }
        return ids
    }

    mutating func add(
        _ name: String, interval: Duration, lastStart: Duration? = nil,
        check: NextCheck = .regular, pause: Pause? = nil, backoffMax: Duration? = nil
    ) -> Schedule.ID {
        let newcomer = Schedule.Newcomer(
            name: name, host: "\(name):80",
            timing: Timing(interval: interval, backoffMax: backoffMax),
            lastStart: lastStart.map { Self.time($0 + wallOffset) }, check: check, pause: pause)
        return add([newcomer])[0]
    }

    /// Lets time pass: loads begin when they are due, and end.
    mutating func run(until end: Duration) {
        while true {
            let ending = running.map(\.end).min() ?? .seconds(1 << 40)
            let due = schedule.nextDue ?? .seconds(1 << 40)
            let moment = max(now, min(ending, due))
            guard moment <= end else { break }
            now = moment
            if ending <= due, let index = running.firstIndex(where: { $0.end == ending }) {
                let id = running.remove(at: index).id
                schedule.finished(
                    id, next: next[id] ?? .regular, failingLoads: failingLoads[id] ?? 0, now: now)
            } else if let due = schedule.popDue(now: now, time: time) {
                begin(due)
            }
        }
        now = end
    }

    private mutating func begin(_ due: Schedule.Due) {
        guard case .load(let id, let check, let gap) = due else { return }
        starts[id, default: []].append(now)
        checks.append(check)
        if let gap { gaps.append(gap) }
        running.append((id, now + (durations[id] ?? .milliseconds(10))))
    }

    /// The spans between the starts of a target.
    func spans(_ id: Schedule.ID) -> [Duration] {
        let starts = starts[id] ?? []
        return zip(starts, starts.dropFirst()).map { $1 - $0 }
    }
}
