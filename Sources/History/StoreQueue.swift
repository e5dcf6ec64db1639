import CLinux
import Glibc
import Reactor

/// What the loop's thread and the store's have in common: batches that wait, and numbers.
final class StoreQueue: Sendable {
    init() {}
    func nextSequenceNumber() -> Int64 { 0 }
    func submit(_ batch: Batch) -> Int64? { nil }
    var statistics: HistoryStore.Statistics { HistoryStore.Statistics() }
    func close(within limit: Duration) -> Bool { false }
}
