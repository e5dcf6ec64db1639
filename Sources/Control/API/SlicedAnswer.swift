/// An answer about all targets, made a few at a time: however many there are, no load waits for it.
///
/// What a target is may change between two slices; each piece says what was true when it was made.
final class SlicedAnswer: StreamSource {
    /// A run over all targets.
    struct Section {
        /// What comes before the targets.
        var head: [UInt8] = []
        /// What there is to tell of a target; empty for nothing.
        var piece: (String) -> [UInt8]
        /// What comes behind the targets.
        var foot: [UInt8] = []
    }

    /// Targets of a slice at most: of some there is nothing to tell, and looking costs too.
    private static let targetsPerSlice = 256

    let needsProgress = true
    private let names: [String]
    private let onEnd: () -> Void
    private var sections: ArraySlice<Section>
    /// The place of the next target; nil before the section's head.
    private var next: Int?

    /// - Parameter onEnd: Called once, when nothing more is wanted.
    init(_ names: [String], _ sections: [Section], onEnd: @escaping () -> Void = {}) {
        self.names = names
        self.onEnd = onEnd
        self.sections = sections[...]
    }

    func nextBytes(atMost count: Int) -> StreamChunk {
        var bytes: [UInt8] = []
        var looked = 0
        while bytes.count < count, looked < Self.targetsPerSlice {
            guard let section = sections.first else {
                return bytes.isEmpty ? .end : .bytes(bytes)
            }
            guard let place = next else {
                bytes += section.head
                next = 0
                continue
            }
            guard place < names.count else {
                bytes += section.foot
                sections.removeFirst()
                next = nil
                continue
            }
            bytes += section.piece(names[place])
            next = place + 1
            looked += 1
        }
        return bytes.isEmpty ? .later : .bytes(bytes)
    }

    func streamEnded() {
        sections = []
        onEnd()
    }
}
