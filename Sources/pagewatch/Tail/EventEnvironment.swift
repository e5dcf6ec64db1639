import Events
import Glibc

/// The environment of the command of `--exec`: ours, and the parts of an event.
enum EventEnvironment {
    /// The kernel takes no string longer than 128 KiB, and no more than 2 MiB of them. A longer value
    /// is left out: standard input has it.
    private static let longestValue = 64 << 10

    private static let names = [
        "EVENT", "TARGET", "SEQ", "TIME", "LOAD", "TITLE", "OLD_TITLE", "URL", "ERROR",
        "EVENT_STATE", "JSON",
    ].map { "PAGEWATCH_" + $0 }

    /// All variables, as `NAME=VALUE`. What an event does not have, or has as null, is not set.
    static func variables(_ line: ArraySlice<UInt8>, _ fields: JSONFields?) -> [String] {
        inherited
            + zip(names, values(line, fields)).compactMap { name, value in
                guard let value, value.utf8.count <= longestValue else { return nil }
                // A variable can't hold a NUL, which a title can.
                return "\(name)=\(value.replacing("\0", with: "\u{FFFD}"))"
            }
    }

    /// In the order of ``names``.
    private static func values(
        _ line: ArraySlice<UInt8>, _ fields: JSONFields?
    ) -> [String?] {
        [
            fields?.string("event"), fields?.string("target"),
            fields?.number("seq").map { String($0) }, fields?.string("time"),
            fields?.number("load").map { String($0) },
            fields?.string("title") ?? fields?.string("to"), fields?.string("from"),
            fields?.string("url"), error(fields?.fields("error")), fields?.string("state"),
            String(decoding: line, as: UTF8.self),
        ]
    }

    private static func error(_ fields: JSONFields?) -> String? {
        guard let fields else { return nil }
        let parts = ["phase", "code", "message"].compactMap { fields.string($0) }
        return parts.joined(separator: ": ")
    }

    /// Ours, without what an event may lack and would seem to have.
    private static let inherited: [String] = {
        var variables: [String] = []
        var place = environ
        while let variable = place.pointee {
            let text = String(cString: variable)
            let name = text.prefix { $0 != "=" }
            if !names.contains(String(name)) { variables.append(text) }
            place += 1
        }
        return variables
    }()
}
