/// The place in a script that is being played.
struct Player {
    private struct Frame {
        let steps: [Step]
        var index = 0
        /// Rounds after this one; nil for ever.
        var roundsLeft: Int?
    }

    private var frames: [Frame]

    init(_ steps: [Step]) {
        frames = [Frame(steps: steps, roundsLeft: 0)]
    }

    /// The next step that is no repeat, or nil at the end.
    mutating func next() -> Step? {
        while var frame = frames.popLast() {
            if frame.index == frame.steps.count {
                if let left = frame.roundsLeft {
                    guard left > 0 else { continue }
                    frame.roundsLeft = left - 1
                }
                guard !frame.steps.isEmpty else { continue }
                frame.index = 0
            }
            let step = frame.steps[frame.index]
            frame.index += 1
            frames.append(frame)
            guard case .repeated(let count, let steps) = step else { return step }
            // No rounds, or nothing to do in them.
            if count == 0 || steps.isEmpty { continue }
            frames.append(Frame(steps: steps, roundsLeft: count.map { $0 - 1 }))
        }
        return nil
    }

    /// The steps that follow at this place, up to the next head.
    var upToNextHead: ArraySlice<Step> {
        guard let frame = frames.last else { return [] }
        return frame.steps[frame.index...].prefix { !$0.isHead }
    }
}

extension Sequence<Step> {
    /// How many bytes of a body these steps send; nil if they never end.
    func bodySize(_ values: Template.Values) -> Int? {
        var size = 0
        for step in self {
            switch step {
            case .text(let template, let fixed):
                size += fixed ?? template.bytes(values, forMarkup: true).count
            case .bytes(let bytes): size += bytes.count
            case .fill(let count, _): size += count
            case .repeated(let count, let steps):
                guard let count, let one = steps.bodySize(values) else { return nil }
                size += count * one
            default: break
            }
        }
        return size
    }
}
