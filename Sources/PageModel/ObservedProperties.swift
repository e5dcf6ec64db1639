/// What observers of a page have been told last, and what is still to be handed to them.
///
/// A property is told only when its value changes; so all that was told, put together, is always
/// what stands here.
struct ObservedProperties: Sendable {
    private(set) var estimatedProgress = 0.0
    private(set) var url = ""
    private(set) var isLoading = false
    private(set) var title: String?
    private(set) var canGoForward = false
    private(set) var canGoBack = false

    /// What was told and not yet taken, oldest first.
    private var events: [PageEvent] = []
    /// While false, nothing is put into `events`.
    var recordsEvents = true

    mutating func set(estimatedProgress value: Double) {
        guard value != estimatedProgress else { return }
        estimatedProgress = value
        tell(.estimatedProgress(value))
    }

    mutating func set(url value: String) {
        guard !isSame(value, url) else { return }
        url = value
        tell(.url(value))
    }

    mutating func set(isLoading value: Bool) {
        guard value != isLoading else { return }
        isLoading = value
        tell(.isLoading(value))
    }

    mutating func set(title value: String?) {
        guard !isSame(value, title) else { return }
        title = value
        tell(.title(value))
    }

    /// Takes over what can be gone to in `list`, `canGoForward` first as WebKit does.
    mutating func set(_ list: BackForwardList) {
        let (forward, back) = (list.canGoForward, list.canGoBack)
        if forward != canGoForward {
            canGoForward = forward
            tell(.canGoForward(forward))
        }
        if back != canGoBack {
            canGoBack = back
            tell(.canGoBack(back))
        }
    }

    /// A step of the navigation: always told.
    mutating func navigation(_ step: @autoclosure () -> NavigationEvent) {
        tell(.navigation(step()))
    }

    private mutating func tell(_ event: @autoclosure () -> PageEvent) {
        if recordsEvents { events.append(event()) }
    }

    mutating func takeEvents() -> [PageEvent] {
        defer { events = [] }
        return events
    }

    mutating func drainEvents(_ body: (PageEvent) -> Void) {
        // By index: an iterator would hold the array, and emptying it would then copy.
        for index in events.indices { body(events[index]) }
        events.removeAll(keepingCapacity: true)
    }
}
