import CBrotli

/// br, RFC 7932.
final class BrotliStreamDecoder: ContentDecoder {
    private let state: OpaquePointer
    private var buffer = DecoderBuffer()
    private(set) var isComplete = false

    init() throws(DecodingFailure) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func decode(
        _ input: UnsafeRawBufferPointer,
        output: (UnsafeRawBufferPointer) throws(DecodingFailure) -> Bool
    ) throws(DecodingFailure) {
        guard !isComplete else { return }
        var left = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        while true {
            let room = buffer.room
            var free = room
            var target = buffer.start?.assumingMemoryBound(to: UInt8.self)
            let result = BrotliDecoderDecompressStream(state, &left, &next, &free, &target, nil)
            let count = room - free
            if count > 0, try !output(buffer.filled(count)) { return }
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS:
                isComplete = true
                return
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
            default: throw .corrupt(coding: "br")
            }
        }
    }
}
