/// A whole request, as the server's owner gets it.
///
/// Input: what `Exchange` gathered from libmicrohttpd's callbacks. Output: to the handler.
package struct Request {
    /// As it was sent; `GET` for `HEAD`, whose answer only loses its body on the way.
    package let method: String
    /// The decoded segments of the path; none for `/`. One may hold a slash that was escaped.
    package let path: [String]
    /// The decoded names and values of the query, in their order.
    package let query: [(name: String, value: String)]
    /// By name in lower case; values of lines with the same name are joined by a comma.
    package let headers: [String: String]
    package let body: [UInt8]

    /// The first value of that name in the query.
    package func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }
}
