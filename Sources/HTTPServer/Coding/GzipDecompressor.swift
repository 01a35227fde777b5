internal import CZlib

/// A decompressor that owns one inflate stream of zlib. Each body needs a new one.
struct GzipDecompressor: ~Copyable {
    // On the heap: inflate() checks that the stream has not moved since inflateInit2() (zlib 1.2.13,
    // inflateStateCheck).
    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // zlib.h, inflateInit2: "Add 16 to decode only the gzip format".
        let status = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has no memory for a stream")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses every gzip member of `bytes`, one after the other (RFC 1952 section 2.2 allows several), into at
    /// most `limit` bytes.
    func decompressed(_ bytes: [UInt8], limit: Int) throws(ContentCoding.Failure) -> [UInt8] {
        var output: [UInt8] = []
        let failure = bytes.withUnsafeBufferPointer { input -> ContentCoding.Failure? in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = uInt(input.count)
            while true {
                let status = appendChunk(to: &output)
                if output.count > limit { return .tooLarge }
                switch status {
                case Z_STREAM_END where stream.pointee.avail_in == 0: return nil
                case Z_STREAM_END: inflateReset(stream)
                // Z_BUF_ERROR: no progress was possible, so the input ended before the stream did.
                case Z_OK: continue
                default: return .malformed
                }
            }
        }
        if let failure { throw failure }
        return output
    }

    private func appendChunk(to output: inout [UInt8]) -> CInt {
        var status = Z_OK
        let chunk = [UInt8](unsafeUninitializedCapacity: ContentCoding.chunkSizeBytes) { buffer, count in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = uInt(buffer.count)
            status = inflate(stream, Z_NO_FLUSH)
            count = buffer.count - Int(stream.pointee.avail_out)
        }
        output += chunk
        return status
    }
}
