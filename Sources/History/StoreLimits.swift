/// How much is kept, on disk and in memory.
package struct StoreLimits: Equatable, Sendable {
    /// Events, and likewise runs of titles, of a target; those of the service count as one.
    package var rowsPerTarget = 1000
    /// Age of an event, or of the last load of a run.
    package var days = 400
    /// Never dropped, whatever their age.
    package var newestRows = 20
    package var bytes: Int64 = 1 << 30
    /// Of batches that wait in memory for the disk; those without events may use half.
    package var waitingItems = 200_000
    package var waitingBytes = 64 << 20

    package init() {}
}
