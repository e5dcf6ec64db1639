/// Keeps web pages in a browser of this machine away from a port of the API.
///
/// Any page may have its browser send requests to a port of loopback. Such a request bears the
/// page's origin, or the name that was made to mean this machine.
enum LoopbackGuard {
    /// Why a request is refused; nil for one of a program that meant this service.
    static func refusal(_ headers: [String: String]) -> Refusal? {
        if headers["origin"] != nil {
            return Refusal(.forbidden, "crossOrigin", "requests of web pages are refused")
        }
        guard let host = headers["host"], !isLoopback(host) else { return nil }
        return Refusal(
            .forbidden, "wrongHost", "ask for 127.0.0.1, [::1] or localhost, not for \(host)")
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["127.0.0.1", "[::1]", "localhost"].contains { name in
            guard host.lowercased().hasPrefix(name) else { return false }
            let rest = host.dropFirst(name.count)
            return rest.isEmpty || (rest.first == ":" && rest.dropFirst().allSatisfy(\.isNumber))
        }
    }
}
