import CCurl

/// The program's version, and what it is built on.
enum Version {
    /// Semantic versioning; the only place where it is written.
    static let number = "0.1.0"

    /// What a request says of who asks.
    static var userAgent: String { "pagewatch/\(number)" }

    /// What `--version` prints: the program, then libcurl and the libraries behind it.
    static var text: String {
        "pagewatch \(number)\n" + String(cString: curl_version()) + "\n"
    }
}
