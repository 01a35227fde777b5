internal import CZstd

/// A decompressor that owns one decompression context of zstd. Each body needs a new one.
struct ZstdDecompressor: ~Copyable {
    // RFC 9659: a decoder of the "zstd" content coding need not support windows over 8 MB, so encoders must not use
    // them. Without this limit the library would allocate up to 128 MiB if a frame header asks for it.
    private static let windowLogMax: CInt = 23

    private let context: OpaquePointer

    init() {
        guard let context = ZSTD_createDCtx() else { preconditionFailure("zstd has no memory for a context") }
        self.context = context
        let status = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLogMax)
        precondition(ZSTD_isError(status) == 0, "zstd refuses a window of 8 MiB")
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// Decompresses every zstd frame of `bytes`, one after the other (RFC 8878 section 3), into at most `limit` bytes.
    func decompressed(_ bytes: [UInt8], limit: Int) throws(ContentCoding.Failure) -> [UInt8] {
        var output: [UInt8] = []
        let failure = bytes.withUnsafeBytes { input -> ContentCoding.Failure? in
            var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            while true {
                let (hint, isFull) = appendChunk(to: &output, from: &source)
                if ZSTD_isError(hint) != 0 { return .malformed }
                if output.count > limit { return .tooLarge }
                // zstd.h: the result is 0 when a frame is completely decoded and flushed. If the output is not full and
                // the input is used up, any other result asks for input that will not come.
                if source.pos == source.size {
                    if hint == 0 { return nil }
                    if !isFull { return .malformed }
                }
            }
        }
        if let failure { throw failure }
        return output
    }

    private func appendChunk(to output: inout [UInt8], from source: inout ZSTD_inBuffer) -> (hint: Int, isFull: Bool) {
        var hint = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: ContentCoding.chunkSizeBytes) { buffer, count in
            var target = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
            hint = ZSTD_decompressStream(context, &target, &source)
            count = target.pos
        }
        output += chunk
        return (hint, chunk.count == ContentCoding.chunkSizeBytes)
    }
}
