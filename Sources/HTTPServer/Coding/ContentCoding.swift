/// A compression of content (RFC 9110 section 8.4.1): gzip (RFC 1952) and zstd (RFC 8878).
enum ContentCoding: String, Sendable, CaseIterable {
    case zstd
    case gzip

    /// The reason why a body could not be decompressed.
    enum Failure: Error {
        /// The bytes are not in the coding's format, are cut short, or fail their checksum.
        case malformed
        /// The decompressed body would be longer than the given limit.
        case tooLarge
    }

    /// The smallest body that is compressed, in bytes. A shorter one fits one packet anyway, and the additional headers
    /// would cost more than compression saves.
    static let compressedSizeMinBytes = 1024

    /// Returns the coding that `Content-Encoding` declares: `.some(nil)` if it declares none, `nil` if it declares an
    /// unknown coding or more than one.
    static func declared(by headers: HTTPHeaders) -> ContentCoding?? {
        let tokens = headers.tokens(named: "Content-Encoding").filter { !$0.equalsIgnoringASCIICase("identity") }
        guard let token = tokens.first else { return .some(nil) }
        guard tokens.count == 1 else { return nil }
        return coding(token).map { .some($0) }
    }

    /// Returns the best coding that `Accept-Encoding` allows: the one with the highest weight (`q`), and zstd rather
    /// than gzip if their weights are equal (RFC 9110 section 12.5.3).
    ///
    /// Returns `nil` if the content must be sent uncompressed (identity). That is so if the header allows no known
    /// coding or is missing, or if identity has a higher weight.
    static func negotiated(by headers: HTTPHeaders) -> ContentCoding? {
        var weights: [ContentCoding: Double] = [:]
        var any = 0.0
        var identity = 0.0
        for token in headers.tokens(named: "Accept-Encoding") {
            let parts = token.split(separator: ";").map { $0.trimmingBlanks() }
            guard let name = parts.first else { continue }
            let weight =
                parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
                .map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if name == "*" {
                any = weight
            } else if name.equalsIgnoringASCIICase("identity") {
                identity = weight
            } else if let coding = coding(name) {
                weights[coding] = weight
            }
        }
        var best: (coding: ContentCoding, weight: Double)?
        for coding in allCases {
            let weight = weights[coding] ?? any
            if weight > best?.weight ?? 0 { best = (coding, weight) }
        }
        guard let best, best.weight >= identity else { return nil }
        return best.coding
    }

    /// Returns the coding that the name `token` denotes; `nil` if it is unknown. `x-gzip` is gzip (RFC 9110 section
    /// 8.4.1.3).
    private static func coding(_ token: String) -> ContentCoding? {
        token.equalsIgnoringASCIICase("x-gzip") ? .gzip : allCases.first { $0.rawValue.equalsIgnoringASCIICase(token) }
    }

    /// Decompresses `bytes` into at most `limit` bytes.
    ///
    /// - Throws: `.malformed`; `.tooLarge` as soon as the output exceeds the limit, so that a small body cannot fill
    ///   the memory.
    func decompressed(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        switch self {
        case .gzip: try GzipDecompressor().decompressed(bytes, limit: limit)
        case .zstd: try ZstdDecompressor().decompressed(bytes, limit: limit)
        }
    }

    /// Compresses `bytes` with a fast compression level. Returns `nil` if compression fails or saves nothing.
    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        let compressed =
            switch self {
            case .gzip: GzipCompressor().compressed(bytes)
            case .zstd: ZstdCompressor().compressed(bytes)
            }
        guard let compressed, compressed.count < bytes.count else { return nil }
        return compressed
    }

    /// The size of each output buffer, in bytes: large enough that few calls are needed, and small compared with the
    /// limits of bodies.
    static let chunkSizeBytes = 64 * 1024
}
