/// What somebody may want who wrote a command that other programs have, in a few words for brackets;
/// nil if there is nothing to be told.
func advice(onCommand word: String) -> String? {
    switch word.lowercased() {
    case "start", "up":
        "write \"systemctl start pagewatch\", or \"pagewatch daemon\" to stay in the foreground"
    case "run", "serve", "server", "service": "write \"pagewatch daemon\""
    case "restart": "write \"systemctl restart pagewatch\""
    case "kill", "quit", "shutdown", "down", "exit": "write \"systemctl stop pagewatch\""
    case "list", "ls", "show", "targets", "info", "ps", "top": "write \"pagewatch status\""
    case "watch", "monitor":
        "write \"pagewatch tail\", or \"pagewatch status --watch\"; \"pagewatch daemon\" is what"
            + " watches"
    case "log", "logs", "follow", "events", "journal", "stream":
        "write \"pagewatch tail\", or \"pagewatch history\" for what was"
    case "get", "fetch", "open", "visit", "url": "write \"pagewatch check URL\""
    case "test", "validate", "lint", "config", "configtest", "verify-config":
        "write \"pagewatch verify\""
    case "add", "new", "create", "edit", "set", "update":
        "edit the configuration, and write \"pagewatch reconfigure\""
    case "remove", "rm", "delete", "del":
        "take the target out of the configuration, and write \"pagewatch reconfigure\""
    case "disable", "suspend", "mute": "write \"pagewatch pause TARGET\""
    case "enable", "unpause", "continue", "unmute": "write \"pagewatch resume TARGET\""
    case "refresh", "recheck": "write \"pagewatch reload TARGET\""
    case "next": "write \"pagewatch forward TARGET\""
    case "previous", "prev": "write \"pagewatch back TARGET\""
    case "restore": "\"pagewatch help backup\" tells how a copy is put back"
    case "version": "write \"pagewatch --version\""
    default: nil
    }
}
