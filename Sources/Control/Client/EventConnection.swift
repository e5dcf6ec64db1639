import Glibc
import Reactor

/// One request for events, whose answer goes on for as long as the service does: read on a loop,
/// line by line.
///
/// Input: the service's socket. Output: each line to its owner, which may pause it; what the owner
/// does not take stays in the socket, and the service waits. The request is HTTP/1.0, so the answer
/// is its lines as they are, up to the connection's end.
package final class EventConnection {
    /// How it ended, if its owner did not close it.
    package enum Ending {
        /// The service has gone, or could not be reached, before or behind the head of its answer.
        case closed
        /// The service answers with an error; `body` is JSON.
        case refused(status: Int, body: [UInt8])
        /// A line is longer than any event.
        case lineTooLong
    }

    /// Bytes that are read at a time.
    private static let chunk = 64 << 10
    /// Of the answer's head, and of a body that is an error.
    private static let mostHead = 64 << 10
    /// An event holds a few titles of at most 1 MiB, whose escapes may be six times as long.
    private static let longestLine = 64 << 20

    private let loop: EventLoop
    private let onAnswer: () -> Void
    private let onLine: (ArraySlice<UInt8>) -> Void
    private let onEnd: (Ending) -> Void
    private let socket: FileDescriptor
    private var isWatched = false
    /// What was read and is not handed over yet, from `start` on.
    private var bytes: [UInt8] = []
    private var start = 0
    /// Up to here there is no line's end.
    private var searched = 0
    /// Nil while the head is still to come.
    private var status: Int?
    private var isPaused = false
    private var isDelivering = false
    private var isAtEnd = false
    private var isClosed = false

    /// Sends the request.
    ///
    /// - Parameters:
    ///   - path: Of the service's socket.
    ///   - target: The path and query, escaped.
    ///   - onAnswer: Called once, when the service begins to answer, unless that is an error.
    ///   - onLine: Receives each line without its end, valid only during the call.
    ///   - onEnd: Called once, never within this call, and not after ``close()``.
    /// - Throws: ``SystemError`` if the service can't be reached.
    package init(
        path: String, target: String, accept: String, loop: EventLoop,
        onAnswer: @escaping () -> Void, onLine: @escaping (ArraySlice<UInt8>) -> Void,
        onEnd: @escaping (Ending) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.onAnswer = onAnswer
        self.onLine = onLine
        self.onEnd = onEnd
        guard let address = UnixAddress(path: path) else {
            throw SystemError(code: ENAMETOOLONG, action: "connect to \(path)")
        }
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        socket = FileDescriptor(
            owning: try call("open a socket") { Glibc.socket(AF_UNIX, CInt(kind), 0) })
        let raw = socket.raw
        try call("connect to \(path)") { address.withPointer { connect(raw, $0, $1) } }
        let request = Array("GET \(target) HTTP/1.0\r\nAccept: \(accept)\r\n\r\n".utf8)
        // The socket's buffer is larger than any request that the service takes.
        let sent = send(raw, request, request.count, CInt(MSG_NOSIGNAL))
        guard sent == request.count else {
            throw SystemError(code: sent < 0 ? errno : EMSGSIZE, action: "ask \(path)")
        }
        try watch()
    }

    deinit { unwatch() }

    /// Hands no more lines over, and reads no more.
    package func pause() {
        isPaused = true
        unwatch()
    }

    /// Goes on after ``pause()``: lines may come within this call.
    package func resume() {
        guard isPaused else { return }
        isPaused = false
        deliver()
    }

    /// Ends it; nothing is called any more.
    package func close() {
        isClosed = true
        unwatch()
    }

    private func watch() throws(SystemError) {
        guard !isWatched else { return }
        try loop.watch(socket.raw, for: .readable) { [weak self] _ in self?.read() }
        isWatched = true
    }

    private func unwatch() {
        guard isWatched else { return }
        isWatched = false
        loop.unwatch(socket.raw)
    }

    private func read() {
        let old = bytes.count
        var count = 0
        bytes.append(contentsOf: repeatElement(0, count: Self.chunk))
        bytes.withUnsafeMutableBytes { bytes in
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[old...])
            count = Glibc.read(socket.raw, room.baseAddress, room.count)
        }
        let code = errno
        bytes.removeLast(Self.chunk - max(0, count))
        if count == 0 || (count < 0 && code != EAGAIN && code != EINTR) { isAtEnd = true }
        deliver()
    }

    /// Hands over what there is, then reads on or ends.
    private func deliver() {
        // Resumed from within a line: the loop below goes on.
        guard !isDelivering else { return }
        isDelivering = true
        if status == nil { takeHead() }
        while status == 200, !isPaused, !isClosed, let line = nextLine() { onLine(line) }
        isDelivering = false
        guard !isPaused, !isClosed else { return }
        bytes.removeFirst(start)
        searched -= start
        start = 0
        if isAtEnd { return end(ending) }
        if bytes.count > (status == 200 ? Self.longestLine : Self.mostHead) {
            return end(.lineTooLong)
        }
        do throws(SystemError) { try watch() } catch { end(.closed) }
    }

    private var ending: Ending {
        switch status {
        case nil, 200: .closed
        case let status?: .refused(status: status, body: bytes)
        }
    }

    private func end(_ ending: Ending) {
        close()
        onEnd(ending)
    }

    private func nextLine() -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return bytes[start..<end]
    }

    private func takeHead() {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= mark.count,
            let end = bytes.indices.dropLast(mark.count - 1).first(where: {
                bytes[$0...].starts(with: mark)
            })
        else { return }
        // `HTTP/1.1 200 OK`
        let words = bytes.prefix { $0 != UInt8(ascii: "\r") }.split(separator: UInt8(ascii: " "))
        status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
        bytes.removeFirst(end + mark.count)
        if status == 200 { onAnswer() }
    }
}
