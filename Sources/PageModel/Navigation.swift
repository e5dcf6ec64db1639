/// The load that a page is in the middle of.
struct Navigation: Sendable {
    /// What its next commit does to the back-forward list.
    enum Placement: Sendable {
        /// A new item, whatever its URL.
        case append
        /// The current item stays if it is the same page, else there is a new one.
        case keep
        /// The current item stays and takes on the page's URL.
        case update
        /// The page takes the current item's place.
        case replace
    }

    /// How far it has come.
    enum Stage: Sendable {
        /// Nothing has come but redirects.
        case requested
        /// The head of the final answer is there.
        case answered
        /// The page that was asked for is the one shown.
        case committed
    }

    var stage = Stage.requested
    var placement: Placement
    /// The URL asked for, before server redirects; after a refresh, the one it named.
    var initialURL: String
    /// The list's index before a back/forward load moved it; until that commits.
    var indexToRestore: Int?
}
