import Reactor

/// A body on its way to its reader: undoes its codings, a slice at a time, and holds what is not
/// read in this turn.
///
/// Input: the bytes of a body as ``Transfer`` gets them. Output: plain bytes to the hop's consumer.
final class BodyReading {
    /// Bytes of content that are handed out at a time; at worst they take 3 ms to read.
    private static let slice = 2 << 10

    private let decoding: ContentDecoding?
    /// Plain bytes in the last decoder's buffer, which is not written again before they are read.
    private var plain = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Bytes that have come and are to be read in a later turn, from `heldStart` on.
    private var held: [UInt8] = []
    private var heldStart = 0

    /// Whether something is to be read in a later turn.
    private(set) var isHolding = false

    /// - Parameter maxBytes: How much may come out of each coding.
    init(codings: [String], maxBytes: Int64) throws(DecodingFailure) {
        decoding = try ContentDecoding(codings: codings, mostOutput: maxBytes)
    }

    /// Whether the body ended before its codings did.
    var isCutShort: Bool { decoding.map { !$0.isComplete } ?? false }

    /// Reads the next bytes, or as many as the share allows, but one slice.
    func read(
        _ bytes: UnsafeRawBufferPointer, for consumer: any TransferConsumer, share: TurnShare
    ) throws(DecodingFailure) {
        guard !isHolding else {
            held += bytes
            return
        }
        var rest = bytes
        try advance(&rest, for: consumer, share: share)
        if isHolding {
            held = Array(rest)
            heldStart = 0
        }
    }

    /// Goes on with what was held.
    func readHeld(
        for consumer: any TransferConsumer, share: TurnShare
    ) throws(DecodingFailure) {
        isHolding = false
        let bytes = held
        held = []
        var failure: DecodingFailure?
        bytes.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(heldStart))
            do throws(DecodingFailure) {
                try advance(&rest, for: consumer, share: share)
            } catch {
                failure = error
            }
            heldStart = bytes.count - rest.count
        }
        if let failure { throw failure }
        if isHolding { held = bytes }
    }

    private func advance(
        _ rest: inout UnsafeRawBufferPointer, for consumer: any TransferConsumer, share: TurnShare
    ) throws(DecodingFailure) {
        var time = MonotonicClock.now()
        while try takeSlice(&rest, for: consumer) {
            guard consumer.wantsContent else { return }
            time = share.count(since: time)
            guard !share.isUsedUp else {
                isHolding = true
                return
            }
        }
    }

    /// - Returns: Whether there was anything to do.
    private func takeSlice(
        _ rest: inout UnsafeRawBufferPointer, for consumer: any TransferConsumer
    ) throws(DecodingFailure) -> Bool {
        if let decoding {
            if plain.isEmpty {
                guard let next = try decoding.next(&rest) else { return false }
                plain = next
            }
            hand(&plain, to: consumer)
        } else {
            guard !rest.isEmpty else { return false }
            hand(&rest, to: consumer)
        }
        return true
    }

    private func hand(
        _ bytes: inout UnsafeRawBufferPointer, to consumer: any TransferConsumer
    ) {
        guard !bytes.isEmpty else { return }
        let count = min(bytes.count, Self.slice)
        consumer.transferReceived(content: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
    }
}
