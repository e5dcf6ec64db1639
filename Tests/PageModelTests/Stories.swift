import PageModel

/// The page that most tests load.
let pageURL = "http://site.test/page"

/// A failure as the loader would report it.
let refusal = LoadError(phase: .connect, code: "refused", message: "nobody listens")

func commit(_ url: String = pageURL, status: Int = 200) -> Commit {
    Commit(
        url: url, status: status, contentType: "text/html", encoding: "UTF-8",
        encodingSource: .default)
}

/// A load in words, for tests that are about something else than its parts.
extension Page {
    mutating func receive(
        _ bytes: Int, hasBodyBegun: Bool = true, of url: String = pageURL, atMs: Int = 0
    ) {
        received(
            bytes: bytes, hasBodyBegun: hasBodyBegun, commit: commit(url),
            at: .milliseconds(atMs))
    }

    mutating func finish() {
        finished(status: 200, bytes: 1000, timings: Timings())
    }

    /// A whole load of one block; `final` is where the server leads, if elsewhere.
    mutating func show(
        _ url: String, as kind: LoadKind = .load, final: String? = nil, title: String? = nil
    ) {
        startLoad(kind, url: url)
        if let final { redirected(to: final, status: 302) }
        responseStarted(expectedBytes: 1000)
        receive(1000, of: final ?? url)
        titleParsed(title)
        finish()
    }

    /// What was told since the last time, in the short form of ``brief(_:)``.
    mutating func told() -> [String] { takeEvents().map(brief) }

    /// The told values of `estimatedProgress`, and nothing else.
    mutating func toldProgress() -> [Double] {
        takeEvents().compactMap { event in
            if case .estimatedProgress(let value) = event { value } else { nil }
        }
    }
}

/// An event in a few words, so that a list of them reads as a story.
func brief(_ event: PageEvent) -> String {
    switch event {
    case .estimatedProgress(let value): "progress \(value)"
    case .url(let url): "url \(url)"
    case .isLoading(let isLoading): "isLoading \(isLoading)"
    case .title(let title): "title \(title.map { "'\($0)'" } ?? "none")"
    case .canGoForward(let canGo): "canGoForward \(canGo)"
    case .canGoBack(let canGo): "canGoBack \(canGo)"
    case .navigation(let step): brief(step)
    }
}

private func brief(_ step: NavigationEvent) -> String {
    switch step {
    case .started: "started"
    case .redirected(let url, let status, let reason): "redirected \(url) \(status) \(reason)"
    case .committed(let commit): "committed \(commit.url)"
    case .finished(let status, let bytes, _): "finished \(status) \(bytes)"
    case .failed(let committed, let error):
        "failed \(committed ? "committed" : "started") \(error.phase) \(error.code)"
    }
}

/// A fixed sequence of numbers that look random: the same in each run (SplitMix64).
struct FixedNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Whether the values agree one by one to a millionth.
func agree(_ one: [Double], _ other: [Double]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-6 }
}
