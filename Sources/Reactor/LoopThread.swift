import Glibc

/// An actor that owns an event loop and runs on its thread.
package protocol LoopActor: Actor {
    var loop: EventLoop { get }
    /// The same executor that `unownedExecutor` names.
    nonisolated var executor: LoopExecutor { get }
    /// Whether the thread is to end; asked after each turn.
    var isDone: Bool { get }
}

/// Runs the loop of a ``LoopActor`` on a thread of its own.
package enum LoopThread {
    /// Starts the thread. It keeps the actor alive and ends when the actor is done; wake it by
    /// any call of the actor.
    package static func start(_ actor: any LoopActor) throws(SystemError) {
        let context = Unmanaged.passRetained(Box(actor)).toOpaque()
        var thread = pthread_t()
        // The +1 on the box goes over to the new thread, which is the only one to take it.
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                LoopThread.body(Unmanaged<Box>.fromOpaque(context).takeRetainedValue().actor)
                return nil
            }, context)
        guard code == 0 else {
            Unmanaged<Box>.fromOpaque(context).release()
            throw SystemError(code: code, action: "start a thread")
        }
        pthread_detach(thread)
    }

    private final class Box {
        let actor: any LoopActor
        init(_ actor: any LoopActor) { self.actor = actor }
    }

    private static func body(_ actor: some LoopActor) {
        actor.executor.adoptCurrentThread()
        while true {
            actor.executor.drain()
            let isDone = actor.assumeIsolated { actor in
                if !actor.isDone { actor.loop.turn() }
                return actor.isDone
            }
            if isDone { break }
        }
        actor.executor.retire()
    }
}
