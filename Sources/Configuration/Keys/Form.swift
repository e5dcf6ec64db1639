/// How the values of one type are written: what reads them, and what writes them back.
struct Form<Value: Equatable & Sendable>: Sendable {
    /// For people: the type, its unit and its range.
    let type: String
    /// The value of a node; nil if it is wrong, which is among the mistakes then.
    let read: @Sendable (YAMLNode, Reading.Spot, inout Reading) -> Value?
    /// The value in YAML, in one line. The same for the same value.
    let write: @Sendable (Value, Writing) -> String
}

/// What a value is written for.
enum Writing: Sendable {
    /// To read it back: secrets that stand in the configuration itself are left out.
    case keeping
    /// To tell whether it is another: so little of secrets that they can't be found from it.
    case comparing
}

extension Form {
    /// A value of one scalar, which `parse` reads.
    init(
        type: String, a article: String,
        parse: @escaping @Sendable (String, Reading.Spot, Reading) throws(ValueError) -> Value,
        write: @escaping @Sendable (Value) -> String
    ) {
        self.type = type
        read = { node, spot, reading in
            guard let text = reading.text(node, spot, a: article) else { return nil }
            do throws(ValueError) {
                return try parse(text, spot, reading)
            } catch {
                reading.refuse(node, spot, error)
                return nil
            }
        }
        self.write = { value, _ in write(value) }
    }

    /// The same, or `null` for none.
    var optional: Form<Value?> {
        Form<Value?>(
            type: type,
            read: { node, spot, reading in
                node.isNull ? .some(nil) : read(node, spot, &reading).map { .some($0) }
            },
            write: { value, writing in value.map { write($0, writing) } ?? "null" })
    }

    /// A list of at most `most`; one alone needs no brackets.
    func list(type: String, most: Int) -> Form<[Value]> {
        Form<[Value]>(
            type: type,
            read: { node, spot, reading in
                guard case .sequence(let nodes) = node.content else {
                    return read(node, spot, &reading).map { [$0] }
                }
                guard nodes.count <= most else {
                    reading.refuse(
                        node, "\(spot.key) has \(nodes.count) items",
                        remedy: "write \(most) or fewer")
                    return nil
                }
                let values = nodes.map { read($0, spot, &reading) }
                let good = values.compactMap { $0 }
                return good.count == values.count ? good : nil
            },
            write: { values, writing in
                "[" + values.map { write($0, writing) }.joined(separator: ", ") + "]"
            })
    }
}

extension Form<Bool> {
    /// `true` or `false`, or what YAML 1.1 takes for these.
    static let flag = Form(
        type: "`true` or `false`", a: "true or false",
        parse: { text, _, _ throws(ValueError) in
            switch text {
            case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON": return true
            case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF": return false
            default:
                throw ValueError(
                    "\(Quoted.shown(text)) is neither true nor false",
                    remedy: "write true or false")
            }
        }, write: { $0 ? "true" : "false" })
}

extension Form<Duration> {
    /// A length of time with its unit.
    static func duration(
        _ range: ClosedRange<Duration> = WrittenDuration.widest
    ) -> Form {
        let least = WrittenDuration.write(range.lowerBound)
        let most = WrittenDuration.write(range.upperBound)
        return Form(
            type: "duration, \(least) to \(most)", a: "a duration",
            parse: { text, _, _ throws(ValueError) in
                try WrittenDuration.read(text, bareNumber: .mistake, in: range)
            }, write: WrittenDuration.write)
    }
}

extension Form<Int> {
    /// A whole number.
    static func count(_ range: ClosedRange<Int>) -> Form {
        Form(
            type: "number, \(range.lowerBound) to \(range.upperBound)", a: "a number",
            parse: { text, _, _ throws(ValueError) in try WrittenCount.read(text, in: range) },
            write: { String($0) })
    }
}

extension Form<Int64> {
    /// A number of bytes.
    static let size = Form(
        type: "size, 1 to 1024TiB", a: "a size",
        parse: { text, _, _ throws(ValueError) in try WrittenSize.read(text) },
        write: WrittenSize.write)
}

extension Form<String> {
    /// A text that goes out as part of a line.
    static func line(
        type: String, check: @escaping @Sendable (String, Reading) -> ValueError? = { _, _ in nil }
    ) -> Form {
        Form(
            type: type, a: "a text",
            parse: { text, _, reading throws(ValueError) in
                if let error = Line.problem(with: text) { throw error }
                if let error = check(text, reading) { throw error }
                return text
            }, write: { Quoted.whole($0) })
    }

    /// A PCRE2 pattern.
    static let pattern = line(type: "pattern (PCRE2)") { text, reading in
        reading.surroundings.problem(withPattern: text)
    }

    /// A label of the Encoding standard.
    static let encoding = line(type: "label of an encoding") { text, reading in
        guard !reading.surroundings.isEncoding(label: text) else { return nil }
        return ValueError(
            "\(Quoted.shown(text)) is no encoding's label",
            remedy: "write one of the Encoding standard's, such as \"shift_jis\"")
    }

    /// A file that must be there.
    static let readableFile = Form(
        type: "path of a file", a: "a path",
        parse: { text, _, reading throws(ValueError) in
            let path = try Line.path(text, in: reading)
            if !reading.isKept, let error = reading.surroundings.problem(withFile: path) {
                throw error
            }
            return path
        }, write: { Quoted.whole($0) })

    /// A file or folder that may yet be made.
    static let path = Form(
        type: "path", a: "a path",
        parse: { text, _, reading throws(ValueError) in try Line.path(text, in: reading) },
        write: { Quoted.whole($0) })

    /// A mark that targets can be told apart by.
    static let tag = line(type: "text") { text, _ in
        guard text.utf8.count > 64 || text.contains(where: \.isWhitespace) else { return nil }
        return ValueError(
            "\(Quoted.shown(text)) is no tag", remedy: "write at most 64 bytes, without spaces")
    }
}

/// Texts of one line.
enum Line {
    /// What goes out as a line must not be able to end it.
    static func problem(with text: String) -> ValueError? {
        guard text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            return nil
        }
        return ValueError(
            "holds a line break or another control character", remedy: "leave it out")
    }

    /// A path as it is opened.
    static func path(_ text: String, in reading: Reading) throws(ValueError) -> String {
        if let error = problem(with: text) { throw error }
        return reading.resolved(path: text)
    }
}
