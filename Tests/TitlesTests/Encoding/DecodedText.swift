@testable import Titles

/// What the bytes say in an encoding, decoded in pieces that end at `cuts`.
func decoded(_ bytes: [UInt8], as encoding: Encoding, cutAt cuts: [Int] = []) -> String {
    var decoder = Decoder(encoding)
    var output: [UInt8] = []
    bytes.withUnsafeBytes { all in
        var start = 0
        for end in cuts + [all.count] {
            decoder.decode(UnsafeRawBufferPointer(rebasing: all[start..<end]), into: &output)
            start = end
        }
    }
    decoder.finish(into: &output)
    return String(decoding: output, as: UTF8.self)
}

/// Whether two strings are the same code points: `==` takes é and e + ´ for equal.
func areSame(_ left: String, _ right: String) -> Bool {
    left.unicodeScalars.elementsEqual(right.unicodeScalars)
}
