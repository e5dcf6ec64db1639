/// WebKit's estimate of how far one page has come, from the document's bytes alone.
///
/// One estimator serves one load and begins at 0.1. Every block takes the value on towards a cap,
/// by the block's share of the bytes still expected; so within a load it never goes back. The end
/// of a load, 1.0, is not estimated and not kept here.
///
/// WebKit counts the resources of a page too, with 16384 bytes for each request that has not
/// ended. Here only the document is loaded: there is no such request.
package struct ProgressEstimator: Sendable {
    /// WebKit's `initialProgressValue`: a load shows it before anything has come.
    package static let initialValue = 0.1
    /// WebKit's `finalProgressValue`: shown at the end of every load, a failed one too.
    package static let finalValue = 1.0
    /// WebKit's cap until there is something to lay out: bytes of a head show nothing yet.
    static let capBeforeBody = 0.5
    /// WebKit's cap from the first layout on; the rest is left for the end of the load.
    static let capWithBody = 0.9
    /// The bytes WebKit expects, on Apple's systems, of an answer that does not say its length.
    static let unknownLength = 16_384.0
    /// WebKit's `progressNotificationTimeInterval`: observers are told at most five times a second.
    static let tellingInterval = Duration.milliseconds(200)

    /// The estimate at this moment, whether told or not: 0.1 to 0.9.
    package private(set) var value = Self.initialValue

    // Counts are Double so that no length a server promises can overflow; up to 2^53 they are
    // exact.
    private var expected = Self.unknownLength
    private var received = 0.0
    private var hasBodyBegun = false
    private var toldValue = Self.initialValue
    /// When a block's value was last told. The 0.1 of the start does not count.
    private var toldAt: Duration?

    package init() {}

    /// Takes note of what the head of the answer promises; the value stays.
    ///
    /// - Parameter expectedBytes: The length of the body on the wire; nil, or below 0, for unknown.
    package mutating func responseStarted(expectedBytes: Int64?) {
        guard let expectedBytes, expectedBytes >= 0 else {
            expected = Self.unknownLength
            return
        }
        expected = Double(expectedBytes)
    }

    /// Counts one block, and says whether observers are due to hear of it.
    ///
    /// The cap is 0.9 only if a block came before this one and body content had begun by its end:
    /// WebKit lays a page out just after the block that brings the first content. So a first block
    /// never goes beyond 0.5, whatever it holds.
    ///
    /// There is no timer: a value not told now is never told, unless it stays until a later block.
    ///
    /// - Parameters:
    ///   - bytes: On the wire; 0 or less changes nothing.
    ///   - hasBodyBegun: Whether body content had begun by the end of this block.
    ///   - now: Time since an arbitrary, fixed origin of a clock that never goes back.
    /// - Returns: The new value if it is to be told: the first block's always, a later one's 200 ms
    ///   or more after the last that was told, and only one that differs from it.
    package mutating func received(
        bytes: Int, hasBodyBegun: Bool, at now: Duration
    ) -> Double? {
        guard bytes > 0 else { return nil }
        advance(by: Double(bytes), cap: self.hasBodyBegun ? Self.capWithBody : Self.capBeforeBody)
        self.hasBodyBegun = self.hasBodyBegun || hasBodyBegun

        if let toldAt, now - toldAt < Self.tellingInterval { return nil }
        guard value != toldValue else { return nil }
        toldValue = value
        toldAt = now
        return value
    }

    private mutating func advance(by bytes: Double, cap: Double) {
        if received + bytes > expected {
            // More than was promised: WebKit then expects twice what has come.
            expected = 2 * (received + bytes)
        }
        let remaining = expected - received
        // Never 0 in exact arithmetic; beyond 2^53 bytes rounding can make it so.
        let share = remaining > 0 ? bytes / remaining : 1
        value = min(value + (cap - value) * share, cap)
        received += bytes
    }
}
