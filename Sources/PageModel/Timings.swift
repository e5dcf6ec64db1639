/// How long each phase of a load took, in seconds; over several hops, the sum of each.
///
/// A phase that did not happen (a kept connection, no TLS) is 0. `total` runs from the start of
/// the load to its end and is more than the sum: it holds the body and any refresh delay too.
package struct Timings: Equatable, Sendable {
    /// Looking up the host's name.
    package var resolve: Double
    /// From the name's answer to an open connection.
    package var connect: Double
    /// The TLS handshake.
    package var tls: Double
    /// From the request sent to the first byte of the answer.
    package var firstByte: Double
    package var total: Double

    package init(
        resolve: Double = 0, connect: Double = 0, tls: Double = 0, firstByte: Double = 0,
        total: Double = 0
    ) {
        self.resolve = resolve
        self.connect = connect
        self.tls = tls
        self.firstByte = firstByte
        self.total = total
    }
}
