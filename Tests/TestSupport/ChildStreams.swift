import CLinux
import CTestLinux
import Glibc
import Reactor

/// Our ends of a program's streams; -1 where there is none.
struct StreamEnds {
    var input: CInt = -1
    var output: CInt = -1
    var errors: CInt = -1
    var terminal: CInt = -1
    /// Readable (at its end) once the program has ended.
    var exit: CInt = -1
}

/// The pipes and the terminal of a program that is about to be started.
struct ChildStreams {
    private(set) var ends = StreamEnds()
    /// Closed by whoever sees the program end.
    private(set) var exitWriter: CInt = -1
    /// The child's ends, which are closed here once it has them.
    private var theirs: [CInt] = [-1, -1, -1]
    private var terminalName = ""
    private let terminal: Program.Terminal?

    init(_ program: Program) throws(SystemError) {
        terminal = program.terminal
        do {
            if program.terminal != nil { try openTerminal() }
            let onTerminal = program.terminal?.streams ?? []
            if !onTerminal.contains(0) && program.input != nil {
                (theirs[0], ends.input) = try Self.pipe()
                // More input than the pipe holds must not stop the collector.
                _ = fcntl(ends.input, F_SETFL, O_NONBLOCK)
            }
            if !onTerminal.contains(1) { (ends.output, theirs[1]) = try Self.pipe() }
            if !onTerminal.contains(2) { (ends.errors, theirs[2]) = try Self.pipe() }
            (ends.exit, exitWriter) = try Self.pipe()
        } catch {
            closeAll()
            throw error
        }
    }

    /// Starts the program with these streams, in a session of its own.
    mutating func spawn(_ program: Program) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        addStreams(&actions)
        // What other tests opened at this moment without O_CLOEXEC stays out.
        _ = posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let folder = program.folder {
            _ = posix_spawn_file_actions_addchdir_np(&actions, folder)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | pw_spawn_setsid
        posix_spawnattr_setflags(&attributes, flags)
        var process: pid_t = 0
        let arguments = [program.path] + program.arguments
        let environment = program.environment.map { "\($0.key)=\($0.value)" }
        let code = CStrings.with(arguments) { arguments in
            CStrings.with(environment) { environment in
                posix_spawnp(
                    &process, program.path, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else {
            closeAll()
            throw SystemError(code: code, action: "start \(program.path)")
        }
        closeTheirs()
        return process
    }

    private func addStreams(_ actions: inout posix_spawn_file_actions_t) {
        for stream in CInt(0)...2 {
            if terminal?.streams.contains(stream) == true {
                // The leader of a new session gets the first terminal it opens as its own.
                posix_spawn_file_actions_addopen(&actions, stream, terminalName, O_RDWR, 0)
            } else if theirs[Int(stream)] >= 0 {
                posix_spawn_file_actions_adddup2(&actions, theirs[Int(stream)], stream)
            } else {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
            }
        }
    }

    private mutating func openTerminal() throws(SystemError) {
        ends.terminal = try call("open a terminal") {
            posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
        }
        let master = ends.terminal
        try call("open a terminal") { grantpt(master) }
        try call("open a terminal") { unlockpt(master) }
        var name = [CChar](repeating: 0, count: 128)
        guard ptsname_r(master, &name, name.count) == 0 else {
            throw SystemError(code: ENOTTY, action: "open a terminal")
        }
        terminalName = String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var size = winsize()
        size.ws_col = terminal?.columns ?? 80
        size.ws_row = terminal?.rows ?? 24
        try call("size a terminal") { ioctl(master, UInt(TIOCSWINSZ), &size) }
    }

    /// A pipe: the end to read and the end to write.
    private static func pipe() throws(SystemError) -> (CInt, CInt) {
        var ends: [CInt] = [-1, -1]
        try call("open a pipe") { pipe2(&ends, O_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private mutating func closeTheirs() {
        for place in theirs.indices where theirs[place] >= 0 {
            _ = close(theirs[place])
            theirs[place] = -1
        }
    }

    private mutating func closeAll() {
        closeTheirs()
        let all = [ends.input, ends.output, ends.errors, ends.terminal, ends.exit, exitWriter]
        for end in all where end >= 0 { _ = close(end) }
    }
}

/// Arrays of C strings, for the length of a call.
enum CStrings {
    static func with<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
