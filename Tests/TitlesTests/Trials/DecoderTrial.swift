@testable import Titles

/// One encoding's decoder on trial: its output may not depend on the cuts, is UTF-8 whatever comes,
/// and is right where that can be told without a second decoder.
struct DecoderTrial {
    private let encoding: Encoding
    private let trial: Trial

    init(_ trial: Trial) {
        self.trial = trial
        encoding = Encoding.allCases[Int(trial.choice) % Encoding.allCases.count]
    }

    var fault: String? {
        let whole = decoded(.whole)
        let byByte = decoded(.byteByByte)
        let asChosen = decoded(.asChosen)
        return whole.fault ?? byByte.fault ?? asChosen.fault
            ?? difference(whole.output, byByte.output, "whole and byte by byte")
            ?? difference(whole.output, asChosen.output, "whole and as cut")
            ?? sizeFault(whole.output)
            ?? expected.flatMap { difference(whole.output, $0, "decoded and expected") }
    }

    /// Decodes once, cut as chosen.
    func readOnce() { _ = decoded(.asChosen) }

    private func decoded(_ cutting: Trial.Cutting) -> (output: [UInt8], fault: String?) {
        var decoder = Decoder(encoding)
        var output: [UInt8] = []
        var fault: String?
        func take(_ piece: UnsafeRawBufferPointer) {
            if piece.isEmpty { fault = "\(encoding.name): an empty piece" }
            if String(validating: piece, as: UTF8.self) == nil {
                fault = "\(encoding.name): not UTF-8: \(Array(piece.prefix(64)))"
            }
            output.append(contentsOf: piece)
        }
        trial.forEachPiece(cutting) {
            decoder.decode($0, take)
            return fault == nil
        }
        decoder.finish(take)
        return (output, fault)
    }

    private func difference(_ one: [UInt8], _ other: [UInt8], _ names: String) -> String? {
        guard one != other else { return nil }
        let at = zip(one, other).prefix { $0 == $1 }.count
        return "\(encoding.name): \(names) differ at byte \(at) of \(one.count) and \(other.count)"
    }

    private func sizeFault(_ output: [UInt8]) -> String? {
        output.count <= 3 * trial.body.count + 3
            ? nil : "\(encoding.name): \(trial.body.count) bytes became \(output.count)"
    }

    /// What the standard library, or the encoding's nature, says about the output.
    private var expected: [UInt8]? {
        switch encoding {
        case .utf8: Array(String(decoding: trial.body, as: UTF8.self).utf8)
        case .utf16LE: utf16 { UInt16($0) | UInt16($1) << 8 }
        case .utf16BE: utf16 { UInt16($0) << 8 | UInt16($1) }
        case .replacement: Array("\u{FFFD}".utf8)
        case .userDefined:
            text(trial.body.map { $0 < 0x80 ? UInt16($0) : 0xF700 + UInt16($0) })
        default: nil
        }
    }

    private func utf16(_ unit: (UInt8, UInt8) -> UInt16) -> [UInt8] {
        let body = trial.body
        let units = (0..<(body.count / 2)).map { unit(body[2 * $0], body[2 * $0 + 1]) }
        let isCut = body.count % 2 == 1
        // The standard counts half a unit behind half a character as one error.
        let isErrorOfItsOwn = isCut && units.last.map { 0xD800...0xDBFF ~= $0 } != true
        return text(units) + (isErrorOfItsOwn ? Array("\u{FFFD}".utf8) : [])
    }

    private func text(_ units: [UInt16]) -> [UInt8] {
        Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
