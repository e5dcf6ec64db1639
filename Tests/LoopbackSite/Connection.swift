import CTestLinux
import Glibc
import Reactor

/// One accepted connection: reads requests, and plays a route's steps to each.
///
/// Input: the loop's readiness. Output: bytes on the socket; what was asked goes to `Stage`, which
/// says what to play. Never waits: what the socket does not take stays in `output`.
final class Connection {
    /// So many bytes wait for the socket at most before the script pauses.
    private static let mostPending = 256 << 10
    /// So many bytes are made in one turn at most, so that a greedy reader delays nobody.
    private static let mostPerTurn = 1 << 20
    /// The cost of a step without bytes against `mostPerTurn`.
    private static let costOfStep = 256
    private static let pieceOfFill = 64 << 10

    private enum State {
        case reading, playing, pausing, waitingAtGate
        /// The script is over, and `output` is to be sent first.
        case leaving
        case silent, closed
        /// The socket is the tunnel's.
        case tunnelling
    }

    let number: Int
    private let socket: FileDescriptor
    private let loop: EventLoop
    private unowned let stage: Stage
    private var state = State.reading
    private var reader = RequestReader()
    private var player = Player([])
    private var values: Template.Values
    private var head = ResponseHead()
    private var fill: (left: Int, offset: Int, pattern: [UInt8])?
    private var ending: Step.Ending?
    private var nextEnding: Step.Ending?
    private var output: [UInt8] = []
    private var sent = 0
    private var budget = 0
    private var isWatchingForWriting = false
    private var tunnel: Tunnel?
    private lazy var deadline = Deadline { [unowned self] in resume() }

    init(number: Int, socket raw: CInt, loop: EventLoop, stage: Stage) {
        self.number = number
        self.socket = FileDescriptor(owning: raw)
        self.loop = loop
        self.stage = stage
        values = Template.Values(request: nil, parameters: [:], count: 0, port: stage.port)
    }

    /// Begins to listen to the client.
    func start(greeting: Route?) throws(SystemError) {
        try loop.watch(socket.raw, for: .readable) { [self] readiness in
            if readiness.contains(.writable) { play() }
            guard state != .closed else { return }
            if !readiness.isDisjoint(with: [.readable, .failed]) { receive() }
        }
        if let greeting {
            begin(greeting, request: nil, parameters: [:], count: 1)
            play()
        }
    }

    /// Ends the connection at once.
    func close() {
        guard state != .closed else { return }
        state = .closed
        tunnel?.stop()
        tunnel = nil
        loop.unwatch(socket.raw)
        loop.disarm(deadline)
        shutdown(socket.raw, CInt(SHUT_RDWR))
        stage.forget(self)
    }

    /// Goes on at a gate that has been opened.
    func pass() {
        guard state == .waitingAtGate else { return }
        resume()
    }

    private func resume() {
        state = .playing
        play()
    }

    // MARK: Reading

    private func receive() {
        let count = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            let count = recv(socket.raw, buffer.baseAddress, buffer.count, 0)
            if count > 0 { reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        if count > 0 {
            guard state == .reading else { return }
            takeRequest()
            if state != .closed { play() }
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            close()
        }
    }

    private func takeRequest() {
        guard let request = reader.next(connection: number, time: MonotonicClock.now()) else {
            if reader.isTooLong { close() }
            return
        }
        let answer = stage.answer(to: request)
        if let nextEnding {
            end(nextEnding)
        } else {
            begin(
                answer.route, request: request, parameters: answer.parameters,
                count: answer.count)
        }
    }

    private func begin(
        _ route: Route, request: Request?, parameters: [String: String], count: Int
    ) {
        values = Template.Values(
            request: request, parameters: parameters, count: count, port: stage.port)
        player = Player(route.steps)
        head = ResponseHead()
        state = .playing
    }

    // MARK: Playing

    /// Plays steps until one waits, the socket is full or this turn's share is used up.
    private func play() {
        budget = Self.mostPerTurn
        flush()
        while state == .playing, output.count - sent < Self.mostPending, budget > 0 {
            if fill != nil {
                playFill()
            } else if let step = player.next() {
                budget -= Self.costOfStep
                perform(step)
            } else {
                finishAnswer()
            }
        }
        flush()
        guard state != .closed, state != .tunnelling else { return }
        if state == .leaving, output.isEmpty { leave() } else { updateWatch() }
    }

    private func perform(_ step: Step) {
        switch step {
        case .head(let status, let type): send(head.begin(status, type, values))
        case .header(let template, let size):
            let line = template.bytes(values, forMarkup: false)
            send((size.map { Filler.fill(line, to: $0) } ?? line) + [13, 10])
        case .framing(let framing):
            send(head.frame(framing, values, bodySize: player.upToNextHead.bodySize(values)))
        case .unfinished: head.isUnfinished = true
        case .text(let template, let size):
            let text = template.bytes(values, forMarkup: head.status != nil)
            sendBody(size.map { Filler.fill(text, to: $0) } ?? text)
        case .bytes(let bytes): sendBody(bytes)
        case .fill(let count, let pattern): fill = (count, 0, pattern)
        case .pause(let pause):
            state = .pausing
            loop.arm(deadline, at: MonotonicClock.now() + pause)
        case .gate(let name):
            if !stage.isOpen(gate: name) {
                state = .waitingAtGate
                stage.wait(self, at: name)
            }
        case .end(let ending): end(ending)
        case .next(let ending): nextEnding = ending
        case .tunnel: beginTunnel()
        case .repeated: break
        }
    }

    private func beginTunnel() {
        let port = values.request?.target.split(separator: ":").last.flatMap { UInt16($0) }
        do {
            let tunnel = try Tunnel(near: socket.raw, toPort: port ?? 0, loop: loop) {
                [unowned self] in close()
            }
            send(Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))
            flush()
            guard state == .playing else { return }
            loop.unwatch(socket.raw)
            try tunnel.start()
            self.tunnel = tunnel
            state = .tunnelling
        } catch {
            send(Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8))
            end(.close)
        }
    }

    private func playFill() {
        guard var fill = self.fill, fill.left > 0 else {
            self.fill = nil
            return
        }
        let count = min(fill.left, Self.pieceOfFill)
        sendBody(Filler.repeating(fill.pattern, from: fill.offset, count: count))
        fill.left -= count
        fill.offset += count
        self.fill = fill
    }

    private func sendBody(_ bytes: [UInt8]) {
        send(head.endLines())
        if head.isChunked {
            if !bytes.isEmpty && values.request?.method != "HEAD" {
                send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
            }
        } else if head.status == nil || values.request?.method != "HEAD" {
            send(bytes)
        }
        flush()
    }

    /// At the end of the script: the end of the response, and then the next request.
    private func finishAnswer() {
        send(head.endLines())
        if head.isChunked && !head.isUnfinished && values.request?.method != "HEAD" {
            send(Array("0\r\n\r\n".utf8))
        }
        guard head.isFramed, !head.isUnfinished, values.request?.asksToClose == false else {
            end(.close)
            return
        }
        state = .reading
        takeRequest()
    }

    private func end(_ ending: Step.Ending) {
        send(head.endLines())
        self.ending = ending
        state = .leaving
    }

    private func leave() {
        switch ending {
        case .silence:
            state = .silent
            updateWatch()
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<linger>.size)
            setsockopt(socket.raw, SOL_SOCKET, SO_LINGER, &linger, size)
            state = .closed
            loop.unwatch(socket.raw)
            stage.forget(self)
        case .close, nil: close()
        }
    }

    // MARK: Sending

    private func send(_ bytes: [UInt8]) {
        budget -= bytes.count
        output += bytes
    }

    private func flush() {
        while sent < output.count, state != .closed {
            let count = output.withUnsafeBytes { bytes in
                let rest = bytes[sent...]
                return Glibc.send(
                    socket.raw, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count,
                    CInt(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                close()
            }
        }
        output.removeAll(keepingCapacity: output.capacity <= Self.mostPending)
        sent = 0
    }

    private func updateWatch() {
        // Writable at once when only this turn's share was used up: the next turn goes on.
        let wanted = !output.isEmpty || state == .playing
        guard wanted != isWatchingForWriting else { return }
        isWatchingForWriting = wanted
        do {
            try loop.rewatch(socket.raw, for: wanted ? [.readable, .writable] : .readable)
        } catch {
            close()
        }
    }
}

/// What has been said of a response's head.
struct ResponseHead {
    private(set) var status: String?
    private(set) var isChunked = false
    /// Whether the client can see the response's end without the connection's.
    private(set) var isFramed = false
    var isUnfinished = false
    private var isOpen = false

    mutating func begin(
        _ status: Template, _ type: Template?, _ values: Template.Values
    ) -> [UInt8] {
        let before = endLines()
        let code = String(decoding: status.bytes(values, forMarkup: false), as: UTF8.self)
        self = ResponseHead()
        self.status = code
        isOpen = true
        isFramed = ["204", "304"].contains(code)
        let line = "HTTP/1.1 \(code) \(Self.reasons[code] ?? "Unknown")\r\n"
        guard let type else { return before + line.utf8 }
        let value = type.bytes(values, forMarkup: false)
        return before + line.utf8 + "Content-Type: ".utf8 + value + [13, 10]
    }

    mutating func frame(
        _ framing: Step.Framing, _ values: Template.Values, bodySize: Int?
    ) -> [UInt8] {
        switch framing {
        case .untold: return []
        case .chunked:
            isChunked = true
            isFramed = true
            return Array("Transfer-Encoding: chunked\r\n".utf8)
        case .length(let length):
            let value = length.bytes(values, forMarkup: false)
            // With a wrong length, only the connection's end shows that nothing more comes.
            isFramed = Int(String(decoding: value, as: UTF8.self)) == bodySize
            return Array("Content-Length: ".utf8) + value + [13, 10]
        case .computed:
            guard let bodySize else { return [] }
            isFramed = true
            return Array("Content-Length: \(bodySize)\r\n".utf8)
        }
    }

    /// The empty line, if the head still lacks it.
    mutating func endLines() -> [UInt8] {
        guard isOpen else { return [] }
        isOpen = false
        return [13, 10]
    }

    private static let reasons = [
        "100": "Continue", "103": "Early Hints", "200": "OK", "204": "No Content",
        "205": "Reset Content", "206": "Partial Content", "300": "Multiple Choices",
        "301": "Moved Permanently", "302": "Found", "303": "See Other", "304": "Not Modified",
        "307": "Temporary Redirect", "308": "Permanent Redirect", "400": "Bad Request",
        "401": "Unauthorized", "403": "Forbidden", "404": "Not Found", "410": "Gone",
        "418": "I'm a teapot", "429": "Too Many Requests", "500": "Internal Server Error",
        "502": "Bad Gateway", "503": "Service Unavailable", "504": "Gateway Timeout",
    ]
}
