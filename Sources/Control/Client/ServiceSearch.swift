import CMicrohttpd
import Glibc
import Reactor

/// Where the running service may be, and whether it is there.
///
/// Input: the `--socket` option and the environment. Output: a path, for `ServiceClient`.
package enum ServiceSearch {
    private static let systemSocket = "/run/pagewatch/control.sock"

    /// The paths to try, the likeliest first. One that was named is the only one.
    ///
    /// - Parameters:
    ///   - named: By `--socket`.
    ///   - variable: Looks up a variable of the environment.
    package static func candidates(
        named: String?, _ variable: (String) -> String?
    ) -> [String] {
        if let named { return [named] }
        if let path = variable("PAGEWATCH_SOCKET"), !path.isEmpty { return [path] }
        guard let own = variable("XDG_RUNTIME_DIR"), own.hasPrefix("/") else {
            return [systemSocket]
        }
        return [systemSocket, "\(own)/pagewatch/control.sock"]
    }

    /// The first of the paths where somebody listens.
    package static func served(_ paths: [String]) throws(NoService) -> String {
        var attempts: [NoService.Attempt] = []
        for path in paths {
            let code = probe(path)
            // EAGAIN: it is busy, but there.
            if code == 0 || code == EAGAIN { return path }
            attempts.append(NoService.Attempt(path: path, code: code))
        }
        throw NoService(attempts: attempts)
    }

    /// 0, or why nobody can be reached there.
    private static func probe(_ path: String) -> CInt {
        guard let address = UnixAddress(path: path) else { return ENAMETOOLONG }
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let raw = socket(AF_UNIX, CInt(kind), 0)
        guard raw >= 0 else { return errno }
        let descriptor = FileDescriptor(owning: raw)
        return address.withPointer { connect(descriptor.raw, $0, $1) } == 0 ? 0 : errno
    }
}

/// No service was found: each path that was tried, and the way out.
package struct NoService: Error, Equatable, CustomStringConvertible {
    package struct Attempt: Equatable, Sendable {
        package let path: String
        /// The value of `errno`.
        package let code: CInt
    }

    package let attempts: [Attempt]

    /// One line.
    package var description: String {
        let tried = attempts.map { "\($0.path) (\(Self.reason($0.code)))" }
        return "no service at \(tried.joined(separator: ", ")): \(remedy)"
    }

    private var remedy: String {
        if attempts.contains(where: { $0.code == EACCES || $0.code == EPERM }) {
            return "join the group of its socket (adduser USER pagewatch, then log in again),"
                + " or run this as root"
        }
        return "start it (systemctl start pagewatch, or pagewatch daemon) or name its --socket"
    }

    private static func reason(_ code: CInt) -> String {
        switch code {
        case ENOENT: "no such file"
        case ECONNREFUSED: "nobody listens"
        case EACCES, EPERM: "permission denied"
        default: SystemError.reason(of: code)
        }
    }
}
