import CMicrohttpd
import Glibc
import Reactor

extension ListeningSocket {
    /// The first descriptor that systemd hands over (SD_LISTEN_FDS_START).
    private static let firstActivated: CInt = 3

    /// The descriptor that systemd has opened for this process (sd_listen_fds(3)), nil if none.
    ///
    /// - Parameters:
    ///   - variable: Looks up a variable of the environment.
    ///   - process: The number that the variables must be meant for.
    /// - Throws: ``ListeningError`` if there is more than one.
    package static func activatedDescriptor(
        process: pid_t = getpid(), _ variable: (String) -> String?
    ) throws(ListeningError) -> CInt? {
        // Variables that were meant for a parent are inherited, and say nothing to us.
        guard let meant = variable("LISTEN_PID"), pid_t(meant) == process,
            let count = variable("LISTEN_FDS").flatMap({ Int($0) }), count > 0
        else { return nil }
        guard count == 1 else {
            throw .unusable(
                place: "socket activation",
                reason: "\(count) sockets were passed, not one"
                    + " (leave one ListenStream= in the socket's unit)")
        }
        return firstActivated
    }

    /// Takes over a socket that another program, such as systemd, listens with already. Its file
    /// stays when the value goes: clients wait there while the service restarts.
    ///
    /// - Throws: ``ListeningError`` if it is no Unix stream socket that listens; it stays open then.
    package init(adopting raw: CInt) throws(ListeningError) {
        let place = "socket activation (descriptor \(raw))"
        guard Self.option(SO_DOMAIN, of: raw) == AF_UNIX,
            Self.option(SO_TYPE, of: raw) == CInt(SOCK_STREAM.rawValue),
            Self.option(SO_ACCEPTCONN, of: raw) == 1
        else {
            throw .unusable(
                place: place,
                reason: "is no Unix socket that listens (give ListenStream= a path)")
        }
        // systemd leaves both off; programs that the service starts must not get it.
        _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
        _ = fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) | O_NONBLOCK)
        self.init(FileDescriptor(owning: raw), file: nil, place: place, isUnix: true)
    }

    /// The path that a Unix socket listens at; nil for another one, or for a name without a file.
    package static func path(of raw: CInt) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let answer = withUnsafeMutablePointer(to: &address) { address in
            // As getsockname(2) takes it: its beginning is that of any address.
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(raw, $0, &size)
            }
        }
        guard answer == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func option(_ name: CInt, of socket: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 else { return nil }
        return value
    }
}
