import CTestLinux
import Glibc
import Reactor

/// The command of `--run`: it has the terminal, and its end is ours.
struct ChildCommand {
    private let words: [String]
    private let listFile: String

    /// Fills in the placeholders of the words.
    init(_ words: [String], site: String, _ demonstrations: [String]) throws(SystemError) {
        listFile = try Self.writeList(demonstrations)
        let file = listFile
        self.words = words.flatMap { word in
            word == "{demo-urls}"
                ? demonstrations
                : [word.replacing("{site}", with: site).replacing("{demo}", with: file)]
        }
    }

    /// Runs the command to its end; SIGTERM is passed on, Ctrl-C reaches it by itself.
    ///
    /// - Returns: Its exit code, as a shell would tell it.
    func run(_ signals: borrowing AwaitedSignals) throws -> CInt {
        defer { unlink(listFile) }
        let child = try spawn()
        var status: CInt = 0
        while waitpid(child, &status, WNOHANG) == 0 {
            let number = signals.next()
            if number == SIGTERM { kill(child, SIGTERM) }
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private func spawn() throws(SystemError) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, words[0], nil, &attributes, arguments, environ)
        if code != 0 { throw SystemError(code: code, action: "run \(words[0])") }
        return child
    }

    private static func writeList(_ urls: [String]) throws(SystemError) -> String {
        var name = Array("/tmp/loopback-site-XXXXXX".utf8CString)
        let file = FileDescriptor(owning: try call("write the list of URLs") { mkstemp(&name) })
        let bytes = Array((urls.joined(separator: "\n") + "\n").utf8)
        // A regular file takes a few hundred bytes at once, or the disk is full.
        guard write(file.raw, bytes, bytes.count) == bytes.count else {
            throw SystemError(code: errno, action: "write the list of URLs")
        }
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Signals that are taken one by one instead of ending the process; SIGCHLD among them.
struct AwaitedSignals {
    private let set: sigset_t

    /// Blocks them in this thread and those that it starts.
    init(_ numbers: [CInt]) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers + [SIGCHLD] { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        self.set = set
    }

    /// Waits for the next.
    func next() -> CInt {
        var set = set
        var number: CInt = 0
        sigwait(&set, &number)
        return number
    }
}
