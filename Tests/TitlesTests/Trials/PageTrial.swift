import Titles

/// The reader of pages on trial: all that it tells may not depend on the cuts, neither at the end
/// nor, for HTML, on the way.
///
/// libxml2 looks ahead by as much as it was given, and so may find an error sooner or later.
struct PageTrial {
    /// So many pieces are compared on the way; comparing all would take longer than reading.
    private static let mostComparisons = 64

    private let trial: Trial
    private let type: String?
    private var options: PageReader.Options

    /// A page whose type and encoding are beyond doubt.
    init(html trial: Trial) {
        self.init(trial, type: "text/html; charset=utf-8")
        options.encoding = nil
    }

    /// A document whose type is XML; its encoding may be doubtful.
    init(xml trial: Trial) {
        let types = [
            "application/xhtml+xml", "text/xml; charset=utf-8", "image/svg+xml", "text/xml",
            "application/xhtml+xml; charset=iso-8859-1", "application/xml; charset=gb18030",
        ]
        self.init(trial, type: types[Int(trial.choice) % types.count])
    }

    /// A body that may be of any type and encoding; some begin with a line that belongs into the
    /// Content-Type header.
    init(encoding trial: Trial) {
        let line = String(decoding: trial.body.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let types: [(type: String?, takesLine: Bool)] = [
            (nil, false), ("text/html", false), ("text/html; charset=" + line, true),
            ("application/xhtml+xml", false), ("text/xml; charset=" + line, true), (line, true),
            ("text/html;" + line, true), ("text/plain", false), ("", false), ("text/html", false),
        ]
        let (type, takesLine) = types[Int(trial.choice) % types.count]
        var rest = trial
        if takesLine { rest.body = Array(trial.body.dropFirst(line.utf8.count + 1)) }
        self.init(rest, type: type)
    }

    /// - Parameter trial: The bits of its options are: the title's bytes are wanted, sniffing is
    ///   forbidden, and from bit 2 on the number of an encoding that overrides, or 0.
    private init(_ trial: Trial, type: String?) {
        self.trial = trial
        self.type = type
        let override = Int(trial.options >> 2)
        options = PageReader.Options(
            encoding: override == 0
                ? nil : Encoding.allCases[(override - 1) % Encoding.allCases.count],
            maySniff: trial.options & 2 == 0, keepsTitleBytes: trial.options & 1 != 0)
    }

    var fault: String? {
        let whole = reading(.whole)
        let byByte = reading(.byteByByte)
        guard whole == byByte else { return difference(whole, byByte, "whole", "byte by byte") }
        return faultOnTheWay(to: whole)
    }

    /// Reads once, cut as chosen.
    func readOnce() { _ = reading(.asChosen) }

    private func reading(_ cutting: Trial.Cutting) -> Reading {
        let reader = PageReader(contentType: type, options: options)
        trial.forEachPiece(cutting) {
            reader.read($0)
            return !reader.isSettled
        }
        reader.finish()
        return Reading(reader)
    }

    /// Reads cut as chosen and, beside it, byte by byte, and compares behind each piece.
    private func faultOnTheWay(to whole: Reading) -> String? {
        let reader = PageReader(contentType: type, options: options)
        let byByte = PageReader(contentType: type, options: options)
        var fault: String?
        var comparisons = 0
        trial.forEachPiece(.asChosen) { piece in
            reader.read(piece)
            guard comparisons < Self.mostComparisons, reader.kind != .xml else {
                return !reader.isSettled
            }
            comparisons += 1
            for byte in piece { withUnsafeBytes(of: byte) { byByte.read($0) } }
            let (one, other) = (Reading(reader), Reading(byByte))
            if one != other { fault = difference(one, other, "on the way", "byte by byte") }
            return fault == nil && !reader.isSettled
        }
        if let fault { return fault }
        reader.finish()
        let end = Reading(reader)
        return end == whole ? nil : difference(end, whole, "as cut", "whole")
    }

    private func difference(_ one: Reading, _ other: Reading, _ a: String, _ b: String) -> String {
        "type \(type ?? "(none)"), options \(options):\n  \(a): \(one)\n  \(b): \(other)"
    }
}
