import Events
import History
import PageModel
import Watching

/// The metrics of the service in Prometheus' text format (version 0.0.4).
struct Metrics {
    private var text = ""

    /// - Parameter followers: How many readers follow the events.
    init(_ service: ServiceView, _ targets: [TargetView], kept: Int64, followers: Int) {
        addTargets(targets)
        addLoads(service)
        addService(service, kept: kept, followers: followers)
    }

    /// The whole answer.
    var bytes: [UInt8] { Array(text.utf8) }

    // MARK: Of each target

    private mutating func addTargets(_ targets: [TargetView]) {
        let watched = targets.filter { $0.state != .retired && $0.state != .disabled }
        let labels = watched.map { view in
            "{target=\"\(Self.escaped(view.name))\",tags=\"\(Self.escaped(view.tags.joined(separator: ",")))\"}"
        }
        head(
            "target_up", "gauge",
            "Whether the target is fine: 0 once it is told as failing, until a good load.")
        for (view, labels) in zip(watched, labels) {
            add("target_up" + labels, view.failing == nil ? 1 : 0)
        }
        head("title_changes_total", "counter", "Title changes told since the start.")
        for (view, labels) in zip(watched, labels) {
            add("title_changes_total" + labels, view.titleChanges)
        }
        head(
            "last_good_load_timestamp_seconds", "gauge", "When the last good load ended.")
        for (view, labels) in zip(watched, labels) {
            guard let time = view.lastGood else { continue }
            add("last_good_load_timestamp_seconds" + labels, seconds: time.milliseconds)
        }
    }

    // MARK: Of loads

    private mutating func addLoads(_ service: ServiceView) {
        let loads = service.loads
        head("loads_total", "counter", "Loads that count, by how they ended.")
        add("loads_total{outcome=\"good\"}", loads.good)
        add("loads_total{outcome=\"failed\"}", loads.failed)
        head("received_bytes_total", "counter", "Bytes of bodies, as they were on the wire.")
        add("received_bytes_total", loads.bytes)
        head(
            "load_duration_seconds", "histogram",
            "How long each phase of the loads took, and all of it.")
        for (phase, times) in loads.phases {
            add(times, "load_duration_seconds", "phase=\"\(phase)\"")
        }
        head("lateness_seconds", "histogram", "How long loads that were due waited for room.")
        add(loads.lateness, "lateness_seconds", nil)
        head("loads_running", "gauge", "Loads under way.")
        add("loads_running", Int64(service.running))
        head("queue_length", "gauge", "Loads that wait for room.")
        add("queue_length", Int64(service.waiting))
    }

    private mutating func add(_ times: LoadCounts.Histogram, _ name: String, _ label: String?) {
        let labels = label.map { $0 + "," } ?? ""
        for (bound, count) in zip(LoadCounts.bounds, times.classes) {
            add("\(name)_bucket{\(labels)le=\"\(Self.number(bound))\"}", count)
        }
        add("\(name)_bucket{\(labels)le=\"+Inf\"}", times.count)
        let alone = label.map { "{\($0)}" } ?? ""
        text += "pagewatch_\(name)_sum\(alone) \(times.sum)\n"
        add("\(name)_count\(alone)", times.count)
    }

    // MARK: Of the service

    private mutating func addService(_ service: ServiceView, kept: Int64, followers: Int) {
        head("info", "gauge", "The program; always 1.")
        add("info{version=\"\(Self.escaped(service.version))\"}", 1)
        head("targets", "gauge", "Targets by their state.")
        for state in TargetView.State.allCases where state != .retired {
            add("targets{state=\"\(state.rawValue)\"}", Int64(service.targets[state] ?? 0))
        }
        head("offline", "gauge", "Whether the machine seems to be offline.")
        add("offline", service.isOffline ? 1 : 0)
        head("events_total", "counter", "The number of the last event; goes on over restarts.")
        add("events_total", service.nextEvent - 1)
        head("ring_events", "gauge", "Events that are kept for readers.")
        add("ring_events", kept)
        head("followers", "gauge", "Readers that follow the events.")
        add("followers", Int64(followers))
        head("store_bytes", "gauge", "The size of the history.")
        add("store_bytes", service.store.databaseBytes)
        head("store_unwritten_items", "gauge", "What waits to be written to the history.")
        add("store_unwritten_items", Int64(service.store.waitingItems))
        head("store_dropped_rows_total", "counter", "Rows that retention has dropped.")
        add("store_dropped_rows_total", service.store.droppedRows)
        head("store_trouble", "gauge", "Whether the history can't be written.")
        add("store_trouble", service.store.waitingBecause == nil ? 0 : 1)
        if let started = service.started {
            head("start_time_seconds", "gauge", "When the service began.")
            add("start_time_seconds", seconds: started.milliseconds)
        }
    }

    // MARK: The format

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP pagewatch_\(name) \(help)\n# TYPE pagewatch_\(name) \(type)\n"
    }

    private mutating func add(_ name: String, _ value: Int64) {
        text += "pagewatch_\(name) \(value)\n"
    }

    private mutating func add(_ name: String, seconds milliseconds: Int64) {
        let rest = String(milliseconds % 1000)
        text +=
            "pagewatch_\(name) \(milliseconds / 1000)."
            + String(repeating: "0", count: max(0, 3 - rest.count)) + rest + "\n"
    }

    /// `0.005`, `1`: a whole number without a point.
    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    /// A label's value: what the format wants escaped, and no control characters.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in Events.escaped(value).unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
