import PageModel

/// What can go wrong with a load beyond its hops.
enum LoadFailure: String, CaseIterable {
    case cancelled, connectionClosed, download, noContent, notModified, outOfMemory, timedOut
    case tooManyRedirects

    /// The phases in which it can come.
    var phases: [LoadError.Phase] {
        switch self {
        // Between hops there may be a refresh to wait for.
        case .cancelled: LoadError.Phase.allCases.filter { $0 != .content }
        case .connectionClosed: [.firstByte]
        case .download, .noContent, .notModified: [.content]
        case .outOfMemory: [.request]
        case .timedOut, .tooManyRedirects: [.redirect]
        }
    }
}

extension LoadError {
    init(phase: Phase, _ failure: LoadFailure, message: String) {
        self.init(phase: phase, code: failure.rawValue, message: message)
    }
}
