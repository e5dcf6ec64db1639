import Titles

/// The reader of pages on trial: all that it tells may not depend on the cuts, neither at the end
/// nor on the way.
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
        let whole = PageReader(contentType: type, options: options)
        read(into: whole, .whole)
        let (asChosen, byByte, fault) = readSideBySide()
        if let fault { return fault }
        let answer = Reading(whole)
        return difference(answer, Reading(asChosen), "whole", "as cut")
            ?? difference(answer, Reading(byByte), "whole", "byte by byte")
    }

    /// Reads once, cut as chosen.
    func readOnce() {
        read(into: PageReader(contentType: type, options: options), .asChosen)
    }

    private func read(into reader: PageReader, _ cutting: Trial.Cutting) {
        trial.forEachPiece(cutting) {
            reader.read($0)
            return !reader.isSettled
        }
        reader.finish()
    }

    /// Reads cut as chosen and, beside it, byte by byte, and compares behind each piece.
    private func readSideBySide() -> (asChosen: PageReader, byByte: PageReader, fault: String?) {
        let asChosen = PageReader(contentType: type, options: options)
        let byByte = PageReader(contentType: type, options: options)
        var fault: String?
        var comparisons = 0
        trial.forEachPiece(.asChosen) { piece in
            asChosen.read(piece)
            for byte in piece where !byByte.isSettled {
                withUnsafeBytes(of: byte) { byByte.read($0) }
            }
            if comparisons < Self.mostComparisons {
                comparisons += 1
                fault = difference(Reading(asChosen), Reading(byByte), "on the way", "by byte")
            }
            return fault == nil && !(asChosen.isSettled && byByte.isSettled)
        }
        asChosen.finish()
        byByte.finish()
        return (asChosen, byByte, fault)
    }

    private func difference(
        _ one: Reading, _ other: Reading, _ first: String, _ second: String
    ) -> String? {
        guard one != other else { return nil }
        return """
            type \(type ?? "(none)"), options \(options):
              \(first): \(one)
              \(second): \(other)
            """
    }
}
