import CLinux
import Glibc
import Reactor

/// A command that runs by `/bin/sh`, and is given its input on the loop.
///
/// It leads a process group of its own: a signal reaches all that it starts, once, and no Ctrl-C of
/// the terminal comes beside it.
final class ChildProcess {
    /// How it ended.
    enum Ending: Equatable {
        case exited(CInt)
        case killed(CInt)
    }

    private let process: pid_t
    private let loop: EventLoop
    private let input: [UInt8]
    private var written = 0
    /// Our end of its standard input; -1 once that is closed.
    private var pipe: CInt = -1
    private var isWatched = false

    /// Starts it.
    ///
    /// - Parameters:
    ///   - environment: All of it, as `NAME=VALUE`, without NULs.
    ///   - input: What its standard input gives. It need not read it.
    /// - Throws: ``SystemError`` if the system gives no pipe or no process.
    init(
        command: String, environment: [String], input: [UInt8], loop: EventLoop
    ) throws(SystemError) {
        self.loop = loop
        self.input = input
        var ends: [CInt] = [-1, -1]
        try call("open a pipe") { Glibc.pipe(&ends) }
        // Nothing else starts programs meanwhile.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { _ = close(ends[0]) }
        do throws(SystemError) {
            process = try Self.spawn(command, environment, input: ends[0])
        } catch {
            _ = close(ends[1])
            throw error
        }
        pipe = ends[1]
        // An event that is larger than the pipe must not make the loop wait.
        _ = fcntl(pipe, F_SETFL, O_NONBLOCK)
        feed()
    }

    deinit { closeInput() }

    /// Sends a signal to it and to all that it has started.
    func send(signal: CInt) { _ = kill(-process, signal) }

    /// How it ended; nil while it runs.
    func reap() -> Ending? {
        var status: CInt = 0
        guard waitpid(process, &status, WNOHANG) == process else { return nil }
        closeInput()
        return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
    }

    /// Writes what the pipe takes, and waits for room if something is left.
    private func feed() {
        while written < input.count {
            let count = input.withUnsafeBytes {
                write(pipe, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN, watchInput() {
                return
            } else if errno != EINTR {
                // It has closed its input without reading all: SIGPIPE is ignored by this program.
                break
            }
        }
        closeInput()
    }

    private func watchInput() -> Bool {
        if !isWatched {
            isWatched =
                (try? loop.watch(pipe, for: .writable) { [weak self] _ in self?.feed() }) != nil
        }
        return isWatched
    }

    private func closeInput() {
        guard pipe >= 0 else { return }
        if isWatched { loop.unwatch(pipe) }
        isWatched = false
        _ = close(pipe)
        pipe = -1
    }

    private static func spawn(
        _ command: String, _ environment: [String], input: CInt
    ) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var process: pid_t = 0
        let code = withCStrings(["sh", "-c", command]) { arguments in
            withCStrings(environment) { environment in
                posix_spawn(
                    &process, "/bin/sh", &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemError(code: code, action: "start /bin/sh") }
        return process
    }
}

/// An array of C strings that ends with NULL, for the length of a call.
private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
}
