/// An endpoint of the API: what is asked for, and who answers.
///
/// `docs/API.md` describes each; a test holds the two together.
package struct Route: Sendable {
    /// `GET` or `POST`.
    package let method: String
    /// Segments; one in capitals stands for any.
    package let path: String
    let answer: @Sendable (API) -> (APIRequest) throws(Refusal) -> Void

    init(
        _ method: String, _ path: String,
        _ answer: @escaping @Sendable (API) -> (APIRequest) throws(Refusal) -> Void
    ) {
        self.method = method
        self.path = path
        self.answer = answer
    }

    /// What stands for the segments in capitals; nil if the path is another one.
    func match(_ segments: [String]) -> [String]? {
        let pattern = path.split(separator: "/")
        guard pattern.count == segments.count else { return nil }
        var values: [String] = []
        for (wanted, segment) in zip(pattern, segments) {
            if wanted.allSatisfy(\.isUppercase) {
                values.append(segment)
            } else if wanted != segment {
                return nil
            }
        }
        return values
    }
}

/// A request on its way to its answer.
struct APIRequest {
    let request: Request
    /// What stands in the path for the segments in capitals.
    let values: [String]
    let responder: Responder

    /// The target that the path names.
    var target: String { values.first ?? "" }

    /// Whether the client is a person: the `Accept` header names text and nothing that is for programs.
    var wantsText: Bool { accepts("text/plain") }

    func accepts(_ type: String) -> Bool {
        (request.headers["accept"] ?? "").lowercased().split(separator: ",").contains { entry in
            entry.prefix { $0 != ";" }.filter { $0 != " " } == type
        }
    }

    /// Whether a parameter is set: there, and neither `0` nor `false`.
    func isSet(_ name: String) -> Bool {
        request.parameter(name).map { $0 != "0" && $0 != "false" } ?? false
    }

    /// All values of a parameter, which may be written one by one or with commas.
    func list(_ name: String) -> [String] {
        request.query.filter { $0.name == name }
            .flatMap { $0.value.split(separator: ",").map(String.init) }
    }

    /// A whole number.
    ///
    /// - Throws: ``Refusal`` if it is none of the range.
    func number(_ name: String, in range: ClosedRange<Int64>) throws(Refusal) -> Int64? {
        guard let text = request.parameter(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw .badParameter(
                "\(name) is \"\(text)\", not a whole number from \(range.lowerBound) to"
                    + " \(range.upperBound)")
        }
        return number
    }
}

extension Refusal {
    static func badParameter(_ message: String) -> Refusal {
        Refusal(status: 400, code: "badParameter", message: message)
    }
}
