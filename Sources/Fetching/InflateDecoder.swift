import CZlib

/// gzip and deflate through zlib.
final class InflateDecoder: ContentDecoder {
    /// The two names under which DEFLATE goes over the wire.
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
    private(set) var mayHoldOutput = false

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
        _ input: inout UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> UnsafeRawBufferPointer {
        guard !isStarted else { return try inflate(&input) }
        guard let second = firstByte == nil ? input.dropFirst().first : input.first else {
            firstByte = firstByte ?? input.first
            input = UnsafeRawBufferPointer(start: nil, count: 0)
            return buffer.filled(0)
        }
        guard let first = firstByte ?? input.first else { return buffer.filled(0) }
        try start(windowBits: Self.isZlibHeader(first, second) ? 15 : -15)
        if firstByte != nil {
            // One byte makes no output.
            try withUnsafeBytes(of: first) { byte throws(DecodingFailure) in
                var byte = byte
                _ = try inflate(&byte)
            }
        }
        return try inflate(&input)
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
        _ input: inout UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> UnsafeRawBufferPointer {
        guard !isComplete else { return buffer.filled(0) }
        // zlib only reads from `next_in`; its type lacks the const.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
        stream.pointee.avail_in = uInt(input.count)
        let room = buffer.room
        stream.pointee.next_out = buffer.start?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = uInt(room)
        let code = CZlib.inflate(stream, Z_NO_FLUSH)
        input = UnsafeRawBufferPointer(rebasing: input.suffix(Int(stream.pointee.avail_in)))
        // A full buffer may hide more output.
        mayHoldOutput = stream.pointee.avail_out == 0
        switch code {
        case Z_STREAM_END: isComplete = true
        // Z_BUF_ERROR: no input left and no output pending.
        case Z_OK, Z_BUF_ERROR: break
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .corrupt(coding: format.name)
        }
        if isComplete { mayHoldOutput = false }
        return buffer.filled(room - Int(stream.pointee.avail_out))
    }
}
