import Configuration
import Control
import Events
import Glibc
import PageModel
import Reactor

/// Where the service is asked: its Unix socket, and a port of loopback if the configuration says so.
///
/// Input: connections. Output: requests to the API.
final class ServiceDoors {
    private let loop: EventLoop
    private let api: API
    private let main: HTTPServer?
    private var port: HTTPServer?
    /// What ports that are no longer served have taken of a processor.
    private var timeOfClosed = Duration.zero
    private var settings: Configuration.API?

    /// - Parameter socket: Nil for none.
    /// - Throws: ``SystemError`` if the system refuses what it needs.
    init(_ api: API, socket: consuming ListeningSocket?, loop: EventLoop) throws(SystemError) {
        self.api = api
        self.loop = loop
        if let socket = socket.take() {
            main = try HTTPServer(loop: loop, socket: socket) { [api] in api.handle($0, $1) }
        } else {
            main = nil
        }
        api.processorTime = { [weak self] in self?.processorTime ?? .zero }
    }

    private var processorTime: Duration {
        timeOfClosed + (main?.processorTime ?? .zero) + (port?.processorTime ?? .zero)
    }

    /// Serves the port that is asked for from now on, in place of the one before.
    ///
    /// - Returns: Why it is not served, if so.
    func change(_ settings: Configuration.API) -> String? {
        // One that could not be served is tried again.
        let isMissing = settings.listen != nil && port == nil
        guard settings != self.settings || isMissing else { return nil }
        guard let (host, number) = Self.parts(of: settings.listen) else {
            closePort()
            self.settings = settings
            return nil
        }
        // The same place can't be served twice; any other is, before the one that there is goes.
        if settings.listen == self.settings?.listen { closePort() }
        do {
            let socket = try ListeningSocket(host: host, port: number)
            let opened = try HTTPServer(loop: loop, socket: socket) { [api] request, responder in
                if settings.isMetricsOnly {
                    api.handleMetrics(request, responder)
                } else {
                    api.handle(request, responder)
                }
            }
            closePort()
            port = opened
            self.settings = settings
            return nil
        } catch {
            return "api: listen: \(error)"
        }
    }

    private func closePort() {
        port?.close()
        timeOfClosed += port?.processorTime ?? .zero
        port = nil
    }

    private static func parts(of listen: String?) -> (host: String, port: UInt16)? {
        guard let listen, let colon = listen.lastIndex(of: ":"),
            let port = UInt16(listen[listen.index(after: colon)...])
        else { return nil }
        return (String(listen[..<colon]), port)
    }

    /// Gives those who follow what there is still to tell, and closes.
    func close(within limit: Duration) {
        api.finish()
        let end = MonotonicClock.now() + limit
        // So that the last turn does not wait for more.
        let deadline = Deadline {}
        while api.hasFollowers, MonotonicClock.now() < end {
            loop.arm(deadline, at: end)
            loop.turn()
        }
        port?.close()
        main?.close()
    }
}

/// Finds the place of the service's socket, and listens there.
enum ServiceSocket {
    /// What came of it.
    enum Opening: ~Copyable {
        case listening(ListeningSocket)
        /// Nobody asked for a socket, and the usual places can't be used.
        case none(reason: String)
    }

    /// The socket that systemd opened, or one at the path that is asked for, or at a usual place.
    ///
    /// - Parameter path: As on the command line.
    /// - Throws: ``StartProblem``: a place that was asked for can't be used, or is served already.
    static func open(_ path: String?) throws(StartProblem) -> Opening {
        let variable = { (name: String) in getenv(name).map { String(cString: $0) } }
        do throws(ListeningError) {
            if let descriptor = try ListeningSocket.activatedDescriptor(variable) {
                return .listening(try ListeningSocket(adopting: descriptor))
            }
        } catch {
            throw StartProblem("\(error)", .misconfigured)
        }
        if let path = path ?? variable("PAGEWATCH_SOCKET").flatMap({ $0.isEmpty ? nil : $0 }) {
            return .listening(try listen(at: path))
        }
        guard let folder = usualFolder(variable) else {
            return .none(reason: "neither /run/pagewatch nor $XDG_RUNTIME_DIR can be used")
        }
        return .listening(try listen(at: folder + "/control.sock"))
    }

    /// Tells those who wait at the socket that systemd keeps why they are not served.
    ///
    /// - Returns: Whether there is such a socket; it stays open for another try.
    @discardableResult
    static func refuse(_ refusal: Refusal) -> Bool {
        let activated = try? ListeningSocket.activatedDescriptor(environmentVariable)
        guard let descriptor = activated ?? nil else { return false }
        // Another descriptor of it, which is the value's to close.
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0, let socket = try? ListeningSocket(adopting: own) else { return false }
        ClosedDoor.answer(refusal, at: socket)
        return true
    }

    /// What to tell if another place is named than that of the socket that systemd has opened.
    ///
    /// - Parameter path: As on the command line.
    static func contradiction(
        _ path: String?, _ variable: (String) -> String? = environmentVariable
    ) -> String? {
        guard let descriptor = (try? ListeningSocket.activatedDescriptor(variable)) ?? nil,
            let place = ListeningSocket.path(of: descriptor)
        else { return nil }
        let byVariable = variable("PAGEWATCH_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        guard let named = path ?? byVariable, named != place else { return nil }
        return (path == nil ? "$PAGEWATCH_SOCKET" : "--socket")
            + " names \(escaped(named)), and the"
            + " service is asked at \(escaped(place)), which systemd has opened (take the one away, or"
            + " change ListenStream= of the socket's unit)"
    }

    private static func listen(at path: String) throws(StartProblem) -> ListeningSocket {
        do throws(ListeningError) {
            return try ListeningSocket(path: path)
        } catch {
            throw StartProblem("\(error)", error.isPassing ? .notNow : .misconfigured)
        }
    }

    /// The first of the folders where clients look that is there, or can be made.
    private static func usualFolder(_ variable: (String) -> String?) -> String? {
        var folders = ["/run/pagewatch"]
        if let runtime = variable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
            folders.append(runtime + "/pagewatch")
        }
        return folders.first { folder in
            mkdir(folder, 0o755)
            return access(folder, W_OK) == 0
        }
    }
}
