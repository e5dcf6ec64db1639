import Reactor
import Testing

/// Lets only so many tests at a time run programs.
///
/// Swift Testing starts all tests at once. A hundred programs on two cores then keep each other from
/// meeting deadlines, which says nothing about the program.
package struct Turns: TestTrait, SuiteTrait, TestScoping {
    private static let most = 6
    private static let places = Places(most)

    package let isRecursive = true

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Turns? {
        testCase == nil ? nil : self
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.places.take()
        defer { Self.places.give() }
        // Above the hundreds of tests that only compute and were queued before: an answer that is
        // awaited would come behind all of them. The closure does not outlive this call, which
        // awaits the task's end.
        try await withoutActuallyEscaping(function) { function in
            try await Task(priority: .high) { try await function() }.value
        }
    }
}

extension Trait where Self == Turns {
    /// For suites whose tests run programs.
    package static var inTurns: Turns { Turns() }
}

/// A number of places, and those who wait for one, in order.
private final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ count: Int) { state = Locked(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
