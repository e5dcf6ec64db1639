import CLinux
import Glibc

/// A signalfd(2): signals as readable bytes instead of interruptions.
final class SignalDescriptor {
    private let descriptor: FileDescriptor
    var raw: CInt { descriptor.raw }

    /// Blocks the signals in the calling thread and opens the descriptor that they arrive on.
    init(_ numbers: [CInt]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let raw = try call("receive signals") {
            signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        }
        descriptor = FileDescriptor(owning: raw)
    }

    /// The next signal that has come, if any.
    func next() -> CInt? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(raw, &info, size) == size else { return nil }
        return CInt(info.ssi_signo)
    }
}
