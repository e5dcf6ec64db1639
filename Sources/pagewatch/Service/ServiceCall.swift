import Control
import Events
import Glibc

/// A request to the running service, and what a command makes of its answer.
struct ServiceCall {
    /// The status of an answer that lists mistakes of the configuration.
    private static let refusedConfiguration = 422

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
    ///   - output: Nil to leave the answer away, and the mistakes of a configuration.
    /// - Returns: The answer's status and headers; nil if there was none, which was told.
    func send(
        _ method: String, _ target: String, accept: String, timeout: Duration? = .seconds(30),
        to output: StandardOutput?
    ) -> ServiceClient.Reply? {
        do throws(ServiceClient.Failure) {
            let reply = try client.send(
                method, target, headers: [("Accept", accept)], timeout: timeout
            ) { bytes in
                output?.write(bytes: bytes)
                return true
            }
            let isTold = output != nil || reply.status != Self.refusedConfiguration
            guard reply.status >= 400, isTold else { return reply }
            if let output, reply.status == Self.refusedConfiguration, accept == "application/json" {
                // The mistakes are the answer: one that a program reads has them all.
                output.write(bytes: reply.errorBody[...])
                output.flush()
            }
            StandardError.write(message(of: reply))
            return reply
        } catch {
            StandardError.write("pagewatch \(command): \(escaped(error.description))\n")
            return nil
        }
    }

    /// Asks for a text for people.
    ///
    /// - Returns: The text, and whether it is the service's reason for refusing.
    func text(
        _ target: String, timeout: Duration
    ) throws(ServiceClient.Failure) -> (text: String, isRefusal: Bool) {
        var bytes: [UInt8] = []
        let reply = try client.send(
            "GET", target, headers: [("Accept", "text/plain")], timeout: timeout
        ) { piece in
            bytes += piece
            return true
        }
        guard reply.status >= 400 else { return (String(decoding: bytes, as: UTF8.self), false) }
        return (message(of: reply), true)
    }

    /// Says what the service said: for people as it came, of JSON the sentence in it.
    private func message(of reply: ServiceClient.Reply) -> String {
        let text = String(decoding: reply.errorBody, as: UTF8.self)
        guard let answer = JSONFields(reply.errorBody[...]),
            let message = answer.fields("error")?.string("message")
        else { return text }
        return "pagewatch \(command): \(escaped(message))\n"
    }
}
