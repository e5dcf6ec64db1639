/// Commands of other programs, and what does the same here, in a few words for brackets.
private let habits: [(words: String, advice: String)] = [
    (
        "start up",
        #"write "systemctl start pagewatch", or "pagewatch daemon" to stay in the foreground"#
    ),
    ("run serve server service", #"write "pagewatch daemon""#),
    ("restart", #"write "systemctl restart pagewatch""#),
    ("kill quit shutdown down exit", #"write "systemctl stop pagewatch""#),
    ("list ls show targets info ps top", #"write "pagewatch status""#),
    (
        "watch monitor",
        #"write "pagewatch tail", or "pagewatch status --watch"; "pagewatch daemon" is what watches"#
    ),
    (
        "log logs follow events journal stream",
        #"write "pagewatch tail", or "pagewatch history" for what was"#
    ),
    ("get fetch open visit url", #"write "pagewatch check URL""#),
    ("test validate lint config configtest", #"write "pagewatch verify""#),
    (
        "add new create edit set update",
        #"edit the configuration, and write "pagewatch reconfigure""#
    ),
    (
        "remove rm delete del",
        #"take the target out of the configuration, and write "pagewatch reconfigure""#
    ),
    ("disable suspend mute", #"write "pagewatch pause TARGET""#),
    ("enable unpause continue unmute", #"write "pagewatch resume TARGET""#),
    ("refresh recheck", #"write "pagewatch reload TARGET""#),
    ("next", #"write "pagewatch forward TARGET""#),
    ("previous prev", #"write "pagewatch back TARGET""#),
    ("restore", #""pagewatch help backup" tells how a copy is put back"#),
    ("version", #"write "pagewatch --version""#),
]

/// What somebody may want who wrote a command that other programs have; nil if there is nothing to
/// be told.
func advice(onCommand word: String) -> String? {
    let word = word.lowercased()
    return habits.first { $0.words.split(separator: " ").contains { $0 == word } }?.advice
}
