internal import CZstd

/// A compressor that owns one compression context of zstd. Each body needs a new one.
struct ZstdCompressor: ~Copyable {
    // Level 1: JSON shrinks about as far as with gzip's level 6, at several hundred megabytes a second.
    private static let level: CInt = 1

    private let context: OpaquePointer

    init() {
        guard let context = ZSTD_createCCtx() else { preconditionFailure("zstd has no memory for a context") }
        self.context = context
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    /// Returns the compressed body as one zstd frame, whose header states the size of the content; `nil` if zstd fails.
    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var status = 0
        let output = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, count in
            status = bytes.withUnsafeBytes { input in
                ZSTD_compressCCtx(context, buffer.baseAddress, buffer.count, input.baseAddress, input.count, Self.level)
            }
            count = ZSTD_isError(status) == 0 ? status : 0
        }
        return ZSTD_isError(status) == 0 ? output : nil
    }
}
