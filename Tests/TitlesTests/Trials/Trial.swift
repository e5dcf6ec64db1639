/// A body, how it is to be cut, and what it is to be read as: one input of the fuzzer.
///
/// Its bytes are ``headerLength`` bytes of choices, then the body, so that what changes a byte of
/// the input changes one of these things.
struct Trial: Sendable {
    static let headerLength = 8

    /// How the body is cut into pieces.
    enum Cutting { case whole, byteByByte, asChosen }

    /// What the body is read as; each ``TrialSubject`` has a list of its own.
    var choice: UInt8
    /// What the reader is told besides; see ``PageTrial``.
    var options: UInt8
    /// Where the part of the body begins that ``repeated(to:)`` repeats: a share of 256.
    var repeatedFrom: UInt8
    /// Stands for the lengths of the pieces, again and again: up to 128 bytes, or up to 8 KiB.
    var cuts: [UInt8]
    var body: [UInt8]

    /// Reads an input; nil if there is no body.
    init?(_ input: some Collection<UInt8>) {
        guard input.count > Self.headerLength else { return nil }
        let header = Array(input.prefix(Self.headerLength))
        choice = header[0]
        options = header[1]
        repeatedFrom = header[2]
        cuts = Array(header[3...])
        body = Array(input.dropFirst(Self.headerLength))
    }

    init(_ body: [UInt8], choice: UInt8 = 0, options: UInt8 = 0, cuts: [UInt8]) {
        self.choice = choice
        self.options = options
        repeatedFrom = 0
        self.cuts = cuts
        self.body = body
    }

    /// Hands out the body piece by piece, until `take` says that it is enough.
    ///
    /// Each piece lies in memory of its very length, so that a sanitizer finds a read beyond it.
    func forEachPiece(_ cutting: Cutting, take: (UnsafeRawBufferPointer) -> Bool) {
        var at = 0
        var turn = 0
        while at < body.count {
            let length =
                switch cutting {
                case .whole: body.count
                case .byteByByte: 1
                case .asChosen: Self.length(cuts[turn % cuts.count])
                }
            let end = min(at + length, body.count)
            guard Array(body[at..<end]).withUnsafeBytes(take) else { return }
            at = end
            turn += 1
        }
    }

    private static func length(_ cut: UInt8) -> Int {
        cut < 128 ? Int(cut) + 1 : (Int(cut) - 127) * 64
    }

    /// The trial of a body that is as much longer as it takes to have `count` bytes.
    func repeated(to count: Int) -> Trial {
        var longer = self
        let unit = body[(body.count * Int(repeatedFrom) / 256)...]
        longer.body.reserveCapacity(count + unit.count)
        while longer.body.count < count { longer.body += unit }
        return longer
    }
}
