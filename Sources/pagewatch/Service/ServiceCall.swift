import Control
import Events
import Glibc

/// A request to the running service, and what a command makes of its answer.
struct ServiceCall {
    private let command: String
    private let client: ServiceClient

    /// Finds the service.
    ///
    /// - Parameter socket: As on the command line.
    /// - Throws: ``NoService`` with all places that were tried.
    init(_ command: String, socket: String?) throws(NoService) {
        self.command = command
        let places = ServiceSearch.candidates(named: socket) { name in
            getenv(name).map { String(cString: $0) }
        }
        client = ServiceClient(path: try ServiceSearch.served(places))
    }

    /// Sends the request and copies the answer to `output`.
    ///
    /// - Parameters:
    ///   - timeout: Nil for an answer that comes when a load has ended.
    /// - Returns: The answer's status and headers; nil if there was none, which was told.
    func send(
        _ method: String, _ target: String, accept: String, timeout: Duration? = .seconds(30),
        to output: StandardOutput
    ) -> ServiceClient.Reply? {
        do throws(ServiceClient.Failure) {
            let reply = try client.send(
                method, target, headers: [("Accept", accept)], timeout: timeout
            ) { bytes in
                output.write(bytes: bytes)
                return true
            }
            guard reply.status >= 400 else { return reply }
            StandardError.write(message(of: reply))
            return reply
        } catch {
            StandardError.write("pagewatch \(command): \(escaped(error.description))\n")
            return nil
        }
    }

    /// Asks for a text for people; an answer that is an error is one, too.
    func text(
        _ target: String, timeout: Duration
    ) throws(ServiceClient.Failure) -> String {
        var bytes: [UInt8] = []
        let reply = try client.send(
            "GET", target, headers: [("Accept", "text/plain")], timeout: timeout
        ) { piece in
            bytes += piece
            return true
        }
        return String(decoding: reply.status < 400 ? bytes : reply.errorBody, as: UTF8.self)
    }

    /// Says what the service said: for people as it came, of JSON the sentence in it.
    private func message(of reply: ServiceClient.Reply) -> String {
        let text = String(decoding: reply.errorBody, as: UTF8.self)
        guard text.hasPrefix("{"), let message = JSONText.message(in: text) else { return text }
        return "pagewatch \(command): \(message)\n"
    }
}

/// The one thing that commands read of the API's JSON: its errors' sentences.
enum JSONText {
    /// The value of the first `message`, with what JSON escapes of it undone; nil if there is none.
    static func message(in json: String) -> String? {
        guard let start = json.ranges(of: "\"message\":\"").first?.upperBound else { return nil }
        var text = ""
        var isEscaped = false
        for character in json[start...] {
            if isEscaped {
                // What is not a quote or a backslash stays escaped: it goes to a terminal.
                text += character == "\"" || character == "\\" ? "\(character)" : "\\\(character)"
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return text
            } else {
                text.append(character)
            }
        }
        return nil
    }
}
