import CLinux
import Glibc

/// Ctrl-Z in a program that has something to tidy up first: the shell's job control.
enum JobControl {
    /// Stops the program as an unhandled SIGTSTP does, and returns when it goes on.
    ///
    /// SIGTSTP must be blocked in all threads, as it is where a loop handles it. Where no shell could
    /// let the program go on, the system does not stop it, unlike by SIGSTOP.
    static func stop() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        raise(SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
