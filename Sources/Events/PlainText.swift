/// `text` as it may stand in a line for people: the characters that JSON must escape here are
/// shown as `\uXXXX`, the rest is as it is.
///
/// The outcome is always part of one line and moves no cursor.
package func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    appendEscaped(text, also: 0, 0, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

/// A title between quotes, or `(none)`.
///
/// A quote and a backslash inside have a backslash before them, so the last quote is ours: a title
/// cannot pretend to end earlier. It is what JSON has, too.
package func quoted(_ title: String?) -> String {
    guard let title else { return "(none)" }
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    appendEscaped(title, also: UInt8(ascii: "\""), UInt8(ascii: "\\"), to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
}

/// Figures as people read them.
enum Figures {
    /// `0.12 s`: hundredths, rounded.
    static func seconds(_ seconds: Double) -> String { decimal(seconds, digits: 2) + " s" }

    /// `512 B`, `48.8 kB`, `1.2 MB`: units of 1000, with one digit behind the point from kB on.
    static func size(_ bytes: Int64) -> String {
        if bytes < 1000 { return "\(bytes) B" }
        var unit = 0
        var value = Double(bytes) / 1000
        // 999.95 would be told as 1000.0.
        while value >= 999.95, unit + 1 < units.count {
            value /= 1000
            unit += 1
        }
        return decimal(value, digits: 1) + " " + units[unit]
    }

    /// A number with exactly `digits` digits behind the point; not finite or huge is told as 0 or
    /// as the most that is told.
    static func decimal(_ value: Double, digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = value.isFinite ? (value * Double(scale)).rounded() : 0
        let number = Int(min(max(scaled, 0), most))
        let fraction = String(number % scale)
        return String(number / scale) + "."
            + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
    }

    private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
    /// Far above what is told, and far below what an Int holds.
    private static let most = 1e15
}
