import CLinux
import Glibc
import Reactor

/// The thread that writes the log file: takes lines, appends them, tells of what is lost.
///
/// Only this thread touches the object once it is started.
final class LogFileThread {
    /// What the operator is to know.
    enum Message: Sendable, CustomStringConvertible {
        /// Lines are lost from now on; told once.
        case losing(path: String, reason: String)
        /// Lines are written again, or will never be; so many were lost.
        case lost(path: String, lines: Int, isOver: Bool)

        var description: String {
            switch self {
            case .losing(let path, let reason):
                "log file \(path): \(reason); its lines are dropped until that is mended"
            case .lost(let path, let lines, let isOver):
                "log file \(path): \(lines == 1 ? "1 line was" : "\(lines) lines were") lost"
                    + (isOver ? "" : ", to the end")
            }
        }
    }

    private let path: String
    private let queue: LineQueue
    private let tell: @Sendable (Message) -> Void
    private var file: AppendedFile?
    private var lost = 0
    private var hasToldLosing = false

    /// - Parameter tell: Called on this thread; it must only hand over.
    init(path: String, queue: LineQueue, tell: @escaping @Sendable (Message) -> Void) {
        self.path = path
        self.queue = queue
        self.tell = tell
    }

    /// Starts the thread; it ends when the queue is closed.
    static func start(_ thread: sending LogFileThread) throws(SystemError) {
        let context = Unmanaged.passRetained(thread).toOpaque()
        var handle = pthread_t()
        // The +1 on the object goes over to the new thread, which is the only one to take it.
        let code = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                let thread = Unmanaged<LogFileThread>.fromOpaque(context).takeRetainedValue()
                thread.run()
                thread.queue.end()
                return nil
            }, context)
        guard code == 0 else {
            Unmanaged<LogFileThread>.fromOpaque(context).release()
            throw SystemError(code: code, action: "start the log file's thread")
        }
        pthread_detach(handle)
    }

    private func run() {
        blockSignals()
        // At once, so that it is there to be followed, and a wrong path is told.
        open()
        while true {
            let work = queue.take()
            if work.reopens {
                file = nil
                open()
            }
            lost += work.dropped
            write(work.bytes)
            if work.isClosing { break }
        }
        if lost > 0 { tell(.lost(path: path, lines: lost, isOver: false)) }
    }

    /// Signals belong to the loop's thread; a blocked SIGXFSZ makes a file that is too large an
    /// error like a full disk.
    private func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    private func open() {
        do {
            file = try AppendedFile(path)
        } catch {
            isLosing("can't open it: " + systemMessage(error.code))
        }
    }

    private func write(_ lines: [UInt8]) {
        guard !lines.isEmpty else { return }
        // Asked for each batch: a rotation need not send a signal.
        if let isInPlace = file?.isAt(path), !isInPlace { file = nil }
        if file == nil { open() }
        guard let (written, problem) = file?.append(lines) else {
            lost += Self.count(lines[...])
            return
        }
        lost += Self.count(lines[written...])
        if let problem {
            isLosing("can't write to it: " + systemMessage(problem))
        } else {
            isWriting()
        }
    }

    private func isLosing(_ reason: String) {
        guard !hasToldLosing else { return }
        hasToldLosing = true
        tell(.losing(path: path, reason: reason))
    }

    private func isWriting() {
        hasToldLosing = false
        guard lost > 0 else { return }
        tell(.lost(path: path, lines: lost, isOver: true))
        lost = 0
    }

    private static func count(_ lines: ArraySlice<UInt8>) -> Int {
        lines.count { $0 == UInt8(ascii: "\n") }
    }
}
