import Events
import History
import PageModel
import Reactor
import Watching

/// The metrics of the service in Prometheus' text format (version 0.0.4).
struct Metrics {
    private var text = ""

    /// What was added, for an answer about all targets.
    var section: SlicedAnswer.Section {
        SlicedAnswer.Section(head: Array(text.utf8), piece: { _ in [] })
    }

    // MARK: Of each target

    /// A family after the other, as the format wants it, each with a sample of every target that is
    /// watched.
    static func ofTargets(_ view: @escaping (String) -> TargetView?) -> [SlicedAnswer.Section] {
        [
            family(
                "target_up", "gauge",
                "Whether the target is fine: 0 once it is told as failing, until a good load.", view
            ) { $0.failing == nil ? "1" : "0" },
            family(
                "title_changes_total", "counter", "Title changes told since the start.", view
            ) { "\($0.titleChanges)" },
            family(
                "last_good_load_timestamp_seconds", "gauge", "When the last good load ended.", view
            ) { $0.lastGood.map { seconds($0.milliseconds) } },
        ]
    }

    private static func family(
        _ name: String, _ type: String, _ help: String,
        _ view: @escaping (String) -> TargetView?, _ value: @escaping (TargetView) -> String?
    ) -> SlicedAnswer.Section {
        SlicedAnswer.Section(head: Array(head("pagewatch_" + name, type, help).utf8)) { target in
            guard let view = view(target), view.state != .retired, view.state != .disabled,
                let value = value(view)
            else { return [] }
            let tags = escaped(view.tags.joined(separator: ","))
            let labels = "{target=\"\(escaped(target))\",tags=\"\(tags)\"}"
            return Array("pagewatch_\(name)\(labels) \(value)\n".utf8)
        }
    }

    // MARK: Of loads

    /// What the watcher and the store tell of themselves.
    mutating func add(_ service: ServiceView) {
        addLoads(service)
        addService(service)
    }

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

    private mutating func addService(_ service: ServiceView) {
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
            text += "pagewatch_start_time_seconds \(Self.seconds(started.milliseconds))\n"
        }
    }

    // MARK: Of the API

    /// - Parameters:
    ///   - kept: How many events readers can still have.
    ///   - time: The processor's, for answering and for readers of events.
    mutating func addAPI(kept: Int64, followers: Int, time: Duration) {
        head("ring_events", "gauge", "Events that are kept for readers.")
        add("ring_events", kept)
        head("followers", "gauge", "Readers that follow the events.")
        add("followers", Int64(followers))
        head(
            "api_cpu_seconds_total", "counter",
            "Processor time for answers of the API and for readers of events.")
        text += "pagewatch_api_cpu_seconds_total \(time.inSeconds)\n"
    }

    // MARK: Of the process

    /// The figures that Prometheus' own client libraries tell of every process, by their names.
    mutating func addProcess() {
        for figure in ProcessFigure.all() {
            text += Self.head(figure.name, figure.type, figure.help)
            text += "\(figure.name) \(figure.value)\n"
        }
    }

    // MARK: The format

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += Self.head("pagewatch_" + name, type, help)
    }

    private static func head(_ name: String, _ type: String, _ help: String) -> String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func add(_ name: String, _ value: Int64) {
        text += "pagewatch_\(name) \(value)\n"
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000)."
            + String(repeating: "0", count: max(0, 3 - rest.count)) + rest
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
