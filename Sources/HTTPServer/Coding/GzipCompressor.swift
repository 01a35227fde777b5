internal import CZlib

/// A compressor that owns one deflate stream of zlib. Each body needs a new one.
struct GzipCompressor: ~Copyable {
    // Level 1: a pull page of JSON shrinks about fivefold already, at three times the speed of the default level 6.
    private static let level: CInt = 1
    // zlib.h, deflateInit2: 8 is the default memLevel.
    private static let memoryLevel: CInt = 8

    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // zlib.h, deflateInit2: "Add 16 to windowBits to write a simple gzip header and trailer".
        let status = deflateInit2_(
            stream, Self.level, Z_DEFLATED, 16 + MAX_WBITS, Self.memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has no memory for a stream")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the compressed body as one gzip member. Returns `nil` if zlib fails, or if the result could be larger
    /// than zlib's 32-bit size, 4 GiB.
    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        // zlib.h, deflateBound: with that much room a single deflate(Z_FINISH) returns Z_STREAM_END.
        let bound = deflateBound(stream, uLong(bytes.count))
        guard bound <= UInt32.max else { return nil }
        var status = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: Int(bound)) { buffer, count in
            bytes.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = uInt(input.count)
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = uInt(buffer.count)
                status = deflate(stream, Z_FINISH)
            }
            count = buffer.count - Int(stream.pointee.avail_out)
        }
        return status == Z_STREAM_END ? output : nil
    }
}
