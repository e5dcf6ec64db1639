import Glibc
import Reactor
import Testing

@Suite struct `The event loop` {
    /// Makes the next turn end at once, whatever else is ready.
    private func ring(_ loop: EventLoop) {
        loop.arm(Deadline {}, at: loop.now)
    }

    @Test func `calls the handler of a descriptor in each turn in which it is ready`() throws {
        let loop = try EventLoop()
        let pipe = try PipeEnds()
        var calls: [EventLoop.Readiness] = []
        try loop.watch(pipe.reading, for: .readable) { calls.append($0) }
        ring(loop)
        loop.turn()
        #expect(calls.isEmpty)
        pipe.put()
        loop.turn()
        loop.turn()
        #expect(calls == [.readable, .readable])
        pipe.take()
        ring(loop)
        loop.turn()
        #expect(calls.count == 2)
    }

    @Test func `tells a hang-up although nobody asked for it`() throws {
        let loop = try EventLoop()
        let pipe = try PipeEnds()
        var told: EventLoop.Readiness = []
        try loop.watch(pipe.reading, for: []) { told = $0 }
        pipe.closeWriting()
        loop.turn()
        #expect(!told.isDisjoint(with: .failed))
    }

    @Test func `is silent about a descriptor after its watch has ended`() throws {
        let loop = try EventLoop()
        let pipe = try PipeEnds()
        var calls = 0
        try loop.watch(pipe.reading, for: .readable) { _ in calls += 1 }
        pipe.put()
        loop.unwatch(pipe.reading)
        loop.unwatch(pipe.reading)
        ring(loop)
        loop.turn()
        #expect(calls == 0)
    }

    @Test func `changes what a descriptor is watched for`() throws {
        let loop = try EventLoop()
        let pipe = try PipeEnds()
        var calls = 0
        try loop.watch(pipe.writing, for: []) { readiness in
            #expect(readiness == .writable)
            calls += 1
        }
        ring(loop)
        loop.turn()
        #expect(calls == 0)
        try loop.rewatch(pipe.writing, for: .writable)
        loop.turn()
        #expect(calls == 1)
    }

    @Test func `refuses to watch what is no open descriptor, or twice`() throws {
        let loop = try EventLoop()
        let pipe = try PipeEnds()
        let error = #expect(throws: SystemError.self) {
            try loop.watch(12345, for: .readable) { _ in }
        }
        #expect(error?.code == EBADF)
        try loop.watch(pipe.reading, for: .readable) { _ in }
        #expect(throws: SystemError.self) { try loop.watch(pipe.reading, for: .readable) { _ in } }
    }

    /// Both pipes are ready in one turn; whichever handler runs first puts another descriptor in
    /// the place of the other's.
    @Test func `gives an event of a turn to no later watch of the same number`() throws {
        let loop = try EventLoop()
        let pipes = [try PipeEnds(), try PipeEnds()]
        let replacement = try PipeEnds()
        var calls: [String] = []
        func replace(_ other: PipeEnds) throws {
            loop.unwatch(other.reading)
            try call("replace") { dup2(replacement.reading, other.reading) }
            try loop.watch(other.reading, for: .readable) { _ in calls.append("replacement") }
        }
        var failure: (any Error)?
        for (place, pipe) in pipes.enumerated() {
            try loop.watch(pipe.reading, for: .readable) { _ in
                calls.append("handler")
                pipe.take()
                do { try replace(pipes[1 - place]) } catch { failure = error }
            }
            pipe.put()
        }
        loop.turn()
        #expect(calls == ["handler"])
        replacement.put()
        loop.turn()
        #expect(calls == ["handler", "replacement"])
        #expect(failure == nil)
    }

    @Test func `runs end-of-turn actions after all handlers and deadlines`() throws {
        let loop = try EventLoop()
        let pipe = try PipeEnds()
        var order: [String] = []
        loop.atTurnEnd { order.append("end 1") }
        loop.atTurnEnd { order.append("end 2") }
        loop.arm(Deadline { order.append("deadline") }, at: loop.now)
        try loop.watch(pipe.reading, for: .readable) { _ in order.append("handler") }
        pipe.put()
        loop.turn()
        #expect(order == ["handler", "deadline", "end 1", "end 2"])
    }

    @Test func `runs until it is stopped, and can run again`() throws {
        let loop = try EventLoop()
        var turns = 0
        for _ in 0..<2 {
            loop.arm(
                Deadline {
                    turns += 1
                    loop.stop()
                }, at: loop.now)
            loop.run()
        }
        #expect(turns == 2)
    }

    @Test func `takes signals as they come, in place of their usual effect`() async {
        await #expect(processExitsWith: .exitCode(21)) {
            let loop = try EventLoop()
            var told: [CInt] = []
            try loop.handle(signals: [SIGTERM, SIGHUP]) { number in
                told.append(number)
                if told.count == 2 { loop.stop() }
            }
            raise(SIGTERM)
            raise(SIGHUP)
            loop.run()
            exit(Set(told) == [SIGTERM, SIGHUP] ? 21 : 1)
        }
    }

    @Test func `takes signals for several that ask for some`() async {
        await #expect(processExitsWith: .exitCode(21)) {
            let loop = try EventLoop()
            var told: [String] = []
            try loop.handle(signals: [SIGTERM]) { told.append("first \($0)") }
            try loop.handle(signals: [SIGHUP]) {
                told.append("second \($0)")
                loop.stop()
            }
            raise(SIGTERM)
            loop.turn()
            raise(SIGHUP)
            loop.run()
            exit(told == ["first \(SIGTERM)", "second \(SIGHUP)"] ? 21 : 1)
        }
    }
}
