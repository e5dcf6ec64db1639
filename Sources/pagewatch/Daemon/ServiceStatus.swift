import Events
import PageModel
import Watching

/// How the service is, in the line that `systemctl status` shows.
struct ServiceStatus {
    var targets = 0
    var loading = 0
    var failing = 0
    var isOffline = false
    /// The last change of a title that is known: whose, and when it was told.
    var lastChange: (target: String, time: WallTime)?
    /// Why the history can't be written.
    var storeTrouble: String?
    /// What is wrong with the configuration, the first of it.
    var mistake: String?

    /// One line, what needs somebody first.
    var text: String {
        var parts: [String] = []
        if let mistake { parts.append("not in force: " + escaped(mistake)) }
        if let storeTrouble {
            parts.append("the history can't be written: " + escaped(storeTrouble))
        }
        if isOffline { parts.append("offline") }
        parts += [
            "\(targets == 1 ? "1 target" : "\(targets) targets"), \(loading) loading,"
                + " \(failing) failing",
            lastChange.map { "last change \($0.time.text(.local)) (\(escaped($0.target)))" }
                ?? "no change yet",
        ]
        return parts.joined(separator: "; ")
    }
}
