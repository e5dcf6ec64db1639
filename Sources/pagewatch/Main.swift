import Control
import Glibc

/// Where the program starts and ends.
@main
enum Main {
    /// Runs what the arguments ask for and ends with its exit code.
    static func main() {
        prepareProcess()
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    private static func run(_ arguments: [String]) -> ExitCode {
        switch Program().request(for: arguments) {
        case .run(let body): return body()
        case .tell(let text): return tell(text)
        case .report(let text): return tell(text).combined(with: .unusable)
        case .refuse(let text):
            StandardError.write(text)
            // Of a service with a wrong option: who waits for it at systemd's socket is told.
            let words = text.prefix { !$0.isNewline }
            ServiceSocket.refuse(.cannotStart("the service can't start: \(words)"))
            return .unusable
        }
    }

    private static func tell(_ text: String) -> ExitCode {
        let output = StandardOutput()
        output.write(text)
        return output.finish()
    }

    private static func prepareProcess() {
        // libcurl converts international host names by the locale, and fails in the "C" locale.
        setlocale(LC_CTYPE, "C.UTF-8")
        // A write to a socket that its peer closed must not end the program; StandardOutput ends
        // it when its own reader has gone.
        signal(SIGPIPE, SIG_IGN)
        keepStandardDescriptorsTaken()
        DescriptorLimit.raise()
    }

    /// Fills the places of standard descriptors that the caller closed, so that no socket or file
    /// of ours gets their numbers. Writing to such a place fails as it did before.
    private static func keepStandardDescriptorsTaken() {
        for descriptor in 0...2 as ClosedRange<CInt> {
            guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
            // The lowest free number is the one just found closed.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
