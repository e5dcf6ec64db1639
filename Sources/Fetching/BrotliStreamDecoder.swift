import CBrotli

/// br, RFC 7932.
final class BrotliStreamDecoder: ContentDecoder {
    private let state: OpaquePointer
    private var buffer = DecoderBuffer()
    private(set) var isComplete = false
    private(set) var mayHoldOutput = false

    init() throws(DecodingFailure) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func decode(
        _ input: inout UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> UnsafeRawBufferPointer {
        guard !isComplete else { return buffer.filled(0) }
        var left = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let room = buffer.room
        var free = room
        var target = buffer.start?.assumingMemoryBound(to: UInt8.self)
        let result = BrotliDecoderDecompressStream(state, &left, &next, &free, &target, nil)
        input = UnsafeRawBufferPointer(rebasing: input.suffix(left))
        mayHoldOutput = result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS: isComplete = true
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
        default: throw .corrupt(coding: "br")
        }
        return buffer.filled(room - free)
    }
}
