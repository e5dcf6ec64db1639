import Events
import Glibc
import History

/// Finds the state folder that a command is about.
enum StateSearch {
    /// The folder named, or the first of those where a state is by custom that has a store.
    ///
    /// - Throws: Which folders have none.
    static func folder(named: String?) throws(UsageError) -> StateFolder {
        let candidates = candidates(named: named)
        if let found = try first(of: candidates) { return found }
        let tried = candidates.map { escaped($0.database) }.joined(separator: " or ")
        throw UsageError("there is no \(tried) (write --state DIR)")
    }

    /// The first of the customary folders that has a store; nil if none has.
    ///
    /// - Throws: Which one can't be looked into.
    static func folderIfThere() throws(UsageError) -> StateFolder? {
        try first(of: candidates(named: nil))
    }

    private static func candidates(named: String?) -> [StateFolder] {
        StateFolder.candidates(named: named) { name in getenv(name).map { String(cString: $0) } }
    }

    private static func first(of candidates: [StateFolder]) throws(UsageError) -> StateFolder? {
        if let found = candidates.first(where: \.hasDatabase) { return found }
        // A folder that may not be entered hides what is in it.
        guard let hidden = candidates.first(where: { access($0.path, F_OK) == 0 && !$0.isOpen })
        else { return nil }
        throw UsageError("can't look into \(escaped(hidden.path)): \(systemMessage(EACCES))")
    }
}

extension StateFolder {
    fileprivate var isOpen: Bool { access(path, X_OK) == 0 }
}
