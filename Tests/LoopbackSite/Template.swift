/// Text with placeholders that are filled in when it is sent.
struct Template: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case bytes([UInt8])
        case target, path, query, method, count, port, site
        case header(String)
        case queryValue(String)
        /// A parameter of the path, less a number.
        case parameter(String, minus: Int)
    }

    /// What the placeholders stand for.
    struct Values {
        let request: Request?
        let parameters: [String: String]
        /// How many requests for the route there have been, this one included.
        let count: Int
        let port: UInt16
    }

    let parts: [Part]

    init(bytes: [UInt8]) {
        parts = [.bytes(bytes)]
    }

    /// The text, if it has no placeholder.
    var constant: [UInt8]? {
        var all: [UInt8] = []
        for part in parts {
            guard case .bytes(let bytes) = part else { return nil }
            all += bytes
        }
        return all
    }

    /// The bytes to send; for markup, `&` and `<` in what the client sent are written as entities.
    func bytes(_ values: Values, forMarkup: Bool) -> [UInt8] {
        var all: [UInt8] = []
        for part in parts {
            if case .bytes(let bytes) = part {
                all += bytes
            } else {
                for byte in Self.text(part, values).utf8 {
                    switch byte {
                    case UInt8(ascii: "&") where forMarkup: all += "&amp;".utf8
                    case UInt8(ascii: "<") where forMarkup: all += "&lt;".utf8
                    default: all.append(byte)
                    }
                }
            }
        }
        return all
    }

    private static func text(_ part: Part, _ values: Values) -> String {
        let target = values.request?.target ?? ""
        switch part {
        case .bytes: return ""
        case .target: return target
        case .path: return values.request?.path ?? ""
        case .query: return String(target.drop { $0 != "?" }.dropFirst())
        case .method: return values.request?.method ?? ""
        case .count: return String(values.count)
        case .port: return String(values.port)
        case .site: return "http://127.0.0.1:\(values.port)"
        case .header(let name): return values.request?.header(name) ?? ""
        case .queryValue(let name): return values.request?.query(name) ?? ""
        case .parameter(let name, let less):
            let value = values.parameters[name] ?? ""
            return less == 0 ? value : Int(value).map { String($0 - less) } ?? value
        }
    }
}

extension Template {
    /// A mistake in the text, in words.
    struct Mistake: Error {
        let words: String
    }

    /// Reads text with escapes (`\n \r \t \0 \\ \{ \xHH`) and placeholders in braces.
    init(_ text: Substring, parameters: [String]) throws(Mistake) {
        var parts: [Part] = []
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                bytes.append(try Self.escape(&rest))
            case UInt8(ascii: "{"):
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                    throw Mistake(words: "\"{\" without \"}\" (a brace itself is \"\\{\")")
                }
                if !bytes.isEmpty { parts.append(.bytes(bytes)) }
                bytes = []
                let name = String(decoding: rest[..<end], as: UTF8.self)
                parts.append(try Self.placeholder(name, parameters))
                rest = rest[(end + 1)...]
            default:
                bytes.append(byte)
            }
        }
        if !bytes.isEmpty { parts.append(.bytes(bytes)) }
        self.parts = parts
    }

    private static func escape(_ rest: inout ArraySlice<UInt8>) throws(Mistake) -> UInt8 {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "0"): return 0
        case UInt8(ascii: "s"): return 32
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "{"): return UInt8(ascii: "{")
        case UInt8(ascii: "x"):
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else {
                throw Mistake(words: "\"\\x\" needs two hexadecimal digits")
            }
            rest = rest.dropFirst(2)
            return value
        default:
            throw Mistake(words: "an escape is one of \\n \\r \\t \\0 \\s \\\\ \\{ \\xHH")
        }
    }

    private static func placeholder(
        _ name: String, _ parameters: [String]
    ) throws(Mistake) -> Part {
        let words = name.split(separator: " ")
        switch (words.first, words.count) {
        case ("target", 1): return .target
        case ("path", 1): return .path
        case ("query", 1): return .query
        case ("method", 1): return .method
        case ("count", 1): return .count
        case ("port", 1): return .port
        case ("site", 1): return .site
        case ("header", 2): return .header(String(words[1]))
        case ("query", 2): return .queryValue(String(words[1]))
        default: break
        }
        let halves = name.split(separator: "-", maxSplits: 1)
        let minus = halves.count == 2 ? Int(halves[1]) : 0
        guard let first = halves.first, parameters.contains(String(first)), let minus else {
            throw Mistake(words: "{\(name)} stands for nothing here")
        }
        return .parameter(String(first), minus: minus)
    }
}
