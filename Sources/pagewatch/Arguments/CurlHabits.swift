/// What somebody may want who wrote an option of curl's that is none here, in a few words for
/// brackets; nil if there is nothing to be told.
///
/// - Parameter name: An option's long name or letter, without dashes.
func advice(onCurlOption name: String) -> String? {
    switch name {
    case "s", "silent": "leave it out, or write --no-progress"
    case "S", "show-error": "leave it out: what goes wrong is told"
    case "L", "location": "leave it out: redirects are followed"
    case "f", "fail": "leave it out: a status of 400 or more is exit code 2"
    case "compressed": "leave it out: compressed answers are asked for"
    case "o", "O", "output", "remote-name": "write \"> FILE\" behind the command"
    case "v", "verbose": "write --events"
    case "i", "I", "include", "head": "write --json"
    case "max-time": "write --timeout"
    default: nil
    }
}
