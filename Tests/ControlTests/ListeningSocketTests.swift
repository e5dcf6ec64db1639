import CTestLinux
import Control
import Glibc
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15)))
struct `Socket that clients reach the service by` {
    private let folder: TemporaryFolder
    private var path: String { folder.file("control.sock") }

    init() throws { folder = try TemporaryFolder() }

    @Test func `has the mode that was asked for, whatever the umask, and goes with its value`()
        async throws
    {
        // The umask belongs to the process, and other tests run in this one.
        let mask = umask(0o022)
        umask(mask)
        for mode in [0o660, 0o666, 0o600] as [mode_t] {
            do {
                let socket = try ListeningSocket(path: path, mode: mode)
                let isUnix = socket.isUnix
                #expect(isUnix)
                #expect(try status(path).st_mode == S_IFSOCK | mode)
                _ = try RawConnection(path: path)
            }
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test func `belongs to the group that was named`() throws {
        let entry = try #require(getgrgid(getegid()))
        let name = String(cString: entry.pointee.gr_name)
        let socket = try ListeningSocket(path: path, group: name)
        #expect(try status(path).st_gid == getegid())
        _ = consume socket
        let error = #expect(throws: ListeningError.self) {
            _ = try ListeningSocket(path: path, group: "no-such-group").isUnix
        }
        #expect(
            error?.description
                == "\(path): there is no group \"no-such-group\" (groupadd --system no-such-group)")
        #expect(access(path, F_OK) != 0)
    }

    @Test func `is refused where another is served, and takes the place of one that is not`()
        throws
    {
        let first = try ListeningSocket(path: path)
        #expect(throws: ListeningError.inUse(path)) {
            _ = try ListeningSocket(path: path).isUnix
        }
        // The one that was refused has taken nothing away.
        _ = try RawConnection(path: path)
        _ = consume first
        try abandonedSocket(path)
        #expect(throws: SystemError.self) { _ = try RawConnection(path: path) }
        let second = try ListeningSocket(path: path)
        _ = try RawConnection(path: path)
        _ = consume second
    }

    @Test func `leaves alone a file that took its place`() throws {
        let first = try ListeningSocket(path: path)
        unlink(path)
        let second = try ListeningSocket(path: path)
        _ = consume first
        _ = try RawConnection(path: path)
        _ = consume second
        #expect(access(path, F_OK) != 0)
    }

    @Test func `is one, however many start at once`() async throws {
        try abandonedSocket(path)
        let path = path
        let starts = await withTaskGroup { group in
            for _ in 0..<16 {
                group.addTask { () -> Started in
                    do throws(ListeningError) {
                        return Started(socket: try ListeningSocket(path: path))
                    } catch {
                        return Started(error: error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(starts.count { $0.error == nil } == 1)
        #expect(starts.count { $0.error == .inUse(path) } == 15)
        _ = try RawConnection(path: path)
    }

    @Test func `never takes the place of another kind of file, nor follows a link`() throws {
        try folder.write("mine", to: "control.sock")
        #expect(throws: ListeningError.self) { _ = try ListeningSocket(path: path).isUnix }
        #expect(try TextFile.read(path) == "mine")
        let link = folder.file("link.sock")
        symlink(folder.file("elsewhere"), link)
        let error = #expect(throws: ListeningError.self) {
            _ = try ListeningSocket(path: link).isUnix
        }
        #expect(
            error?.description
                == "\(link): is there and no socket (remove it, or name another path)")
        #expect(access(folder.file("elsewhere"), F_OK) != 0)
    }

    @Test(arguments: ["", String(repeating: "x", count: 108), "a\0b", "/no/such/folder/socket"])
    func `is refused at a place that can't be`(path: String) {
        #expect(throws: ListeningError.self) { _ = try ListeningSocket(path: path).isUnix }
    }

    // MARK: Sockets from elsewhere

    @Test func `may come from systemd, whose file stays`() throws {
        let raw = try abandonedSocket(path, isOpen: true)
        #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC == 0)
        do {
            let socket = try ListeningSocket(adopting: raw)
            let isUnix = socket.isUnix
            #expect(isUnix)
            #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
            _ = try RawConnection(path: path)
        }
        #expect(access(path, F_OK) == 0)
        #expect(throws: SystemError.self) { _ = try RawConnection(path: path) }
    }

    @Test func `from systemd has to be a Unix socket that listens`() throws {
        let plain = FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
        let datagrams = FileDescriptor(owning: socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0))
        let silent = FileDescriptor(owning: socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
        let network = FileDescriptor(owning: socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
        _ = listen(network.raw, 1)
        for raw in [plain.raw, datagrams.raw, silent.raw, network.raw, -1] {
            #expect(throws: ListeningError.self) {
                _ = try ListeningSocket(adopting: raw).isUnix
            }
            // Not ours to close.
            #expect(raw < 0 || fcntl(raw, F_GETFD) != -1)
        }
    }

    @Test func `is taken from systemd only if it was meant for this process`() throws {
        func descriptor(_ variables: [String: String]) throws -> CInt? {
            try ListeningSocket.activatedDescriptor(process: 42) { variables[$0] }
        }
        #expect(try descriptor([:]) == nil)
        #expect(try descriptor(["LISTEN_PID": "41", "LISTEN_FDS": "1"]) == nil)
        #expect(try descriptor(["LISTEN_PID": "42", "LISTEN_FDS": "0"]) == nil)
        #expect(try descriptor(["LISTEN_PID": "42", "LISTEN_FDS": "x"]) == nil)
        #expect(try descriptor(["LISTEN_PID": "42", "LISTEN_FDS": "1"]) == 3)
        #expect(throws: ListeningError.self) {
            _ = try descriptor(["LISTEN_PID": "42", "LISTEN_FDS": "2"])
        }
    }

    @Test(arguments: ["127.0.0.1", "::1", "[::1]"])
    func `may be a port of loopback`(host: String) throws {
        let socket = try ListeningSocket(host: host, port: 0)
        let (isUnix, found) = (socket.isUnix, socket.port)
        #expect(!isUnix)
        let port = try #require(found)
        _ = try RawConnection(port: port, isIPv6: host != "127.0.0.1")
        let place = host == "127.0.0.1" ? "127.0.0.1:\(port)" : "[::1]:\(port)"
        #expect(throws: ListeningError.inUse(place)) {
            _ = try ListeningSocket(host: host, port: port).isUnix
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "localhost", "", "::ffff:127.0.0.1"])
    func `is never a port that other machines reach`(host: String) {
        #expect(throws: ListeningError.self) {
            _ = try ListeningSocket(host: host, port: 0).isUnix
        }
    }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        try call("look at \(path)") { lstat(path, &status) }
        return status
    }
}

/// What became of a start; keeps the socket.
private final class Started: Sendable {
    let error: ListeningError?
    private let socket: ListeningSocket?

    init(socket: consuming ListeningSocket) {
        self.socket = consume socket
        error = nil
    }

    init(error: ListeningError) {
        socket = nil
        self.error = error
    }
}

/// Leaves the file of a Unix socket that nobody serves, or that one does which the caller gets.
@discardableResult
private func abandonedSocket(_ path: String, isOpen: Bool = false) throws -> CInt {
    let raw = try call("open a socket") { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try call("bind \(path)") {
        withUnsafePointer(to: &address) { pointer in
            let pointer = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
            return bind(raw, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    try call("listen") { listen(raw, 8) }
    if !isOpen { _ = close(raw) }
    return raw
}

@Suite(.inTurns, .timeLimit(.minutes(15)))
struct `HTTP server on a port` {
    @Test func `answers programs, and refuses what a web page has sent`() async throws {
        let service = try await Service.start(onPort: true)
        let port = try #require(await service.port)
        for (headers, status) in [
            ("Host: 127.0.0.1:\(port)", 200), ("Host: localhost", 200), ("Host: [::1]:80", 200),
            ("Host: evil.example", 403), ("Host: localhost.evil.example", 403),
            ("Host: 127.0.0.1\r\nOrigin: http://evil.example", 403),
        ] {
            let client = try RawConnection(port: port)
            client.send("GET /echo HTTP/1.1\r\n\(headers)\r\nConnection: close\r\n\r\n")
            let text = try await client.receive().text
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(headers)")
        }
        await service.stop()
    }

    @Test func `frees streams and requests whose clients have gone`() async throws {
        let service = try await Service.start(onPort: true)
        let port = try #require(await service.port)
        do {
            let clients = try (0..<20).map { _ in try RawConnection(port: port) }
            for (number, client) in clients.enumerated() {
                client.get(["/later", "/stream"][number % 2])
            }
            await service.wait { $0.handled == 20 }
            withExtendedLifetime(clients) {}
        }
        await service.wait { $0.connections == 0 }
        #expect(await service.ended == 10)
        await service.stop()
    }
}
