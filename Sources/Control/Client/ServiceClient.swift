import CCurl
import Reactor

/// Asks the service, and hands over its answer piece by piece.
///
/// Input: a request of a command. Output: the answer's bytes, for the command to copy. Blocks until
/// the answer has ended: a command has nothing else to do.
package final class ServiceClient {
    /// How an answer ended.
    package struct Reply: Equatable, Sendable {
        package let status: Int
        /// The body of an answer that is an error, whose bytes were not handed over.
        package let errorBody: [UInt8]
        /// Whether the reader had enough before the end.
        package let wasStopped: Bool
        /// Of our own headers, by name in lower case.
        let ownHeaders: [String: String]

        /// The value of a header whose name begins with `Pagewatch-`; nil if it is not there.
        package func header(_ name: String) -> String? { ownHeaders[name.lowercased()] }
    }

    /// The headers that commands go by.
    private static let ownHeaders = ["pagewatch-load", "pagewatch-error", "pagewatch-healthy"]

    /// Why there was no whole answer.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        /// `PATH: REASON`.
        package let description: String
        /// Whether the service closed the connection without an answer.
        var hasGone = false
    }

    /// What is kept of an answer that is an error.
    private static let errorBytes = 64 << 10

    private let path: String
    private var onBody: (UnsafeRawBufferPointer) -> Bool = { _ in false }
    private var errorBody: [UInt8] = []
    private var status = 0
    private var wasStopped = false
    /// Of the request under way, to ask for the status when its first bytes come.
    private var easy: OpaquePointer?

    /// - Parameter path: Of the service's socket.
    package init(path: String) {
        self.path = path
    }

    /// Sends a request and reads its answer.
    ///
    /// A request that came just as the service ended is sent once more, for the one that a restart
    /// brings, unless something may have been done about it. If there is none, the first answer stands.
    ///
    /// - Parameters:
    ///   - target: The path and query, escaped.
    ///   - timeout: For the whole answer; nil for none.
    ///   - onBody: Receives each piece, valid only during the call, unless the answer is an error.
    ///     Returns false to stop.
    package func send(
        _ method: String, _ target: String, headers: [(String, String)] = [],
        body: [UInt8]? = nil, timeout: Duration? = nil,
        onBody: @escaping (UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) -> Reply {
        self.onBody = onBody
        let first = Result { () throws(Failure) in
            try perform(method, target, headers, body, timeout)
        }
        guard mayBeRepeated(first, method) else { return try first.get() }
        do throws(Failure) {
            return try perform(method, target, headers, body, timeout)
        } catch {
            return try first.get()
        }
    }

    /// Whether the request met the service's end, and nobody minds if it is carried out twice.
    private func mayBeRepeated(_ result: Result<Reply, Failure>, _ method: String) -> Bool {
        switch result {
        case .success(let reply):
            reply.errorBody == Refusal.stopping.body
                || (method == "GET" && reply.errorBody == Refusal.stopped.body)
        // A piece that was handed over can't be taken back.
        case .failure(let failure): method == "GET" && failure.hasGone && status == 0
        }
    }

    private func perform(
        _ method: String, _ target: String, _ headers: [(String, String)], _ body: [UInt8]?,
        _ timeout: Duration?
    ) throws(Failure) -> Reply {
        guard let easy = curl_easy_init() else {
            throw Failure(description: "\(path): no memory for a request")
        }
        self.easy = easy
        defer {
            self.easy = nil
            curl_easy_cleanup(easy)
        }
        (errorBody, status, wasStopped) = ([], 0, false)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for (name, value) in headers { list = curl_slist_append(list, "\(name): \(value)") }
        set(easy, method, target, list, body)
        let milliseconds = timeout.map { Int(clamping: $0.millisecondsRoundedUp) } ?? 0
        _ = pw_easy_set_long(easy, CURLOPT_TIMEOUT_MS, milliseconds)
        let result = curl_easy_perform(easy)
        var code = 0
        _ = pw_easy_get_long(easy, CURLINFO_RESPONSE_CODE, &code)
        guard result == CURLE_OK || wasStopped else {
            throw Failure(
                description: "\(path): \(Self.reason(result))",
                hasGone: Self.endings.contains(result))
        }
        return Reply(
            status: code, errorBody: errorBody, wasStopped: wasStopped,
            ownHeaders: Self.ownHeaders(of: easy))
    }

    /// What there is to see of a service that ends with the connection.
    private static let endings = [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR]

    private static func reason(_ result: CURLcode) -> String {
        // With its socket opened by systemd, that is all there is to see of a service that can't run.
        if endings.contains(result) {
            return "the service has gone before it answered (\"systemctl status pagewatch\" tells"
                + " why it does not run)"
        }
        if result == CURLE_OPERATION_TIMEDOUT {
            return
                "the service does not answer (\"systemctl status pagewatch\" and its log tell what"
                + " it does)"
        }
        return String(cString: curl_easy_strerror(result))
    }

    private static func ownHeaders(of easy: OpaquePointer) -> [String: String] {
        var found: [String: String] = [:]
        for name in ownHeaders {
            var header: UnsafeMutablePointer<curl_header>?
            // The header lives until the handle's next transfer.
            if curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
                let value = header?.pointee.value
            {
                found[name] = String(cString: value)
            }
        }
        return found
    }

    private func set(
        _ easy: OpaquePointer, _ method: String, _ target: String,
        _ headers: UnsafeMutablePointer<curl_slist>?, _ body: [UInt8]?
    ) {
        _ = pw_easy_set_string(easy, CURLOPT_URL, "http://pagewatch\(target)")
        _ = pw_easy_set_string(easy, CURLOPT_UNIX_SOCKET_PATH, path)
        // The environment's proxies are for pages.
        _ = pw_easy_set_string(easy, CURLOPT_PROXY, "")
        _ = pw_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
        _ = pw_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, method)
        _ = pw_easy_set_list(easy, CURLOPT_HTTPHEADER, headers)
        if let body {
            _ = pw_easy_set_long(easy, CURLOPT_POSTFIELDSIZE, body.count)
            // It copies so many bytes, whatever they are; of none it needs a place all the same.
            (body + [0]).withUnsafeBytes { bytes in
                if let first = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) {
                    _ = pw_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, first)
                }
            }
        }
        // The object outlives the transfer, which ends within `send`.
        pw_easy_set_write(easy, receiveAnswer, Unmanaged.passUnretained(self).toOpaque())
    }

    fileprivate func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if status == 0, let easy { _ = pw_easy_get_long(easy, CURLINFO_RESPONSE_CODE, &status) }
        guard status < 400 else {
            errorBody.append(contentsOf: bytes.prefix(Self.errorBytes - errorBody.count))
            return true
        }
        wasStopped = !onBody(bytes)
        return !wasStopped
    }

    /// A part of a path, such as a target's name, as it stands in a request.
    package static func escaped(_ part: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        for byte in part.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "+"):
                escaped.append(byte)
            default:
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

/// The one place where libcurl's context pointer becomes a client.
private func receiveAnswer(
    bytes: UnsafeMutablePointer<CChar>?, _: Int, count: Int, context: UnsafeMutableRawPointer
) -> Int {
    let client = Unmanaged<ServiceClient>.fromOpaque(context).takeUnretainedValue()
    // Any answer but `count` makes libcurl end the transfer.
    return client.receive(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}
