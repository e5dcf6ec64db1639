import CZstd

/// zstd, RFC 8878, as RFC 9659 bounds it for HTTP: a window of at most 8 MiB.
final class ZstdStreamDecoder: ContentDecoder {
    private static let largestWindowLog: CInt = 23

    private let context: OpaquePointer
    private var buffer = DecoderBuffer()
    private(set) var isComplete = false
    private(set) var mayHoldOutput = false

    init() throws(DecodingFailure) {
        guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
        self.context = context
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.largestWindowLog)
    }

    deinit { ZSTD_freeDCtx(context) }

    func decode(
        _ input: inout UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> UnsafeRawBufferPointer {
        guard !isComplete else { return buffer.filled(0) }
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: buffer.start, size: buffer.room, pos: 0)
        let code = ZSTD_decompressStream(context, &target, &source)
        guard ZSTD_isError(code) == 0 else { throw .corrupt(coding: "zstd") }
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(source.pos))
        isComplete = code == 0
        // A full buffer may hide more output.
        mayHoldOutput = !isComplete && target.pos == target.size
        return buffer.filled(target.pos)
    }
}
