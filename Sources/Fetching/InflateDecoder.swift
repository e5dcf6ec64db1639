import CZlib

/// gzip and deflate through zlib.
final class InflateDecoder: ContentDecoder {
    enum Format {
        case gzip
        /// The HTTP standard's "deflate" is a zlib stream; some servers send a raw one, and
        /// browsers read both.
        case deflate

        var name: String { self == .gzip ? "gzip" : "deflate" }
    }

    private let format: Format
    // On the heap, since zlib keeps the stream's address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = DecoderBuffer()
    private var isStarted = false
    /// The first byte of a deflate stream, kept until the second tells which kind it is.
    private var firstByte: UInt8?
    private(set) var isComplete = false

    init(_ format: Format) throws(DecodingFailure) {
        self.format = format
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        if format == .gzip { try start(windowBits: 31) }
    }

    deinit {
        if isStarted { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        output: (UnsafeRawBufferPointer) throws(DecodingFailure) -> Bool
    ) throws(DecodingFailure) {
        guard !isStarted else { return try inflate(input, output: output) }
        guard let second = firstByte == nil ? input.dropFirst().first : input.first else {
            firstByte = firstByte ?? input.first
            return
        }
        guard let first = firstByte ?? input.first else { return }
        try start(windowBits: Self.isZlibHeader(first, second) ? 15 : -15)
        guard firstByte != nil else { return try inflate(input, output: output) }
        let joined = UnsafeMutableRawBufferPointer.allocate(
            byteCount: input.count + 1, alignment: 1)
        defer { joined.deallocate() }
        joined[0] = first
        UnsafeMutableRawBufferPointer(rebasing: joined[1...]).copyMemory(from: input)
        try inflate(UnsafeRawBufferPointer(joined), output: output)
    }

    /// RFC 1950, section 2.2: method 8, and the two bytes a multiple of 31.
    private static func isZlibHeader(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 0x0F == 8 && (Int(first) << 8 | Int(second)) % 31 == 0
    }

    private func start(windowBits: CInt) throws(DecodingFailure) {
        guard pw_inflate_init(stream, windowBits) == Z_OK else { throw .outOfMemory }
        isStarted = true
        // As in browsers, the checksum is not compared: mostly the end is never decoded, and it
        // costs a fifth of the inflating. A stream that ends early is noticed all the same.
        inflateValidate(stream, 0)
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer,
        output: (UnsafeRawBufferPointer) throws(DecodingFailure) -> Bool
    ) throws(DecodingFailure) {
        guard !isComplete, let start = input.baseAddress else { return }
        // zlib only reads from `next_in`; its type lacks the const.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: start.assumingMemoryBound(to: Bytef.self))
        stream.pointee.avail_in = uInt(input.count)
        repeat {
            let room = buffer.room
            stream.pointee.next_out = buffer.start?.assumingMemoryBound(to: Bytef.self)
            stream.pointee.avail_out = uInt(room)
            let code = CZlib.inflate(stream, Z_NO_FLUSH)
            let count = room - Int(stream.pointee.avail_out)
            if count > 0, try !output(buffer.filled(count)) { return }
            switch code {
            case Z_STREAM_END:
                isComplete = true
                return
            case Z_OK: break
            // No input left and none pending: wait for the next bytes.
            case Z_BUF_ERROR: return
            case Z_MEM_ERROR: throw .outOfMemory
            default: throw .corrupt(coding: format.name)
            }
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }
}
