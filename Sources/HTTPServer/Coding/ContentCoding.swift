/// A compression of content (RFC 9110 section 8.4.1): gzip (RFC 1952) and zstd (RFC 8878).
enum ContentCoding: String, Sendable, CaseIterable {
    case zstd
    case gzip

    /// Why a body could not be decompressed.
    enum Failure: Error {
        /// Not the format, cut short, or failing its checksum.
        case malformed
        /// It would be longer than the limit given.
        case tooLarge
    }

    /// Shorter bodies travel as they are: they fit one packet and headers outweigh what is saved.
    static let compressedSizeMinBytes = 1024

    /// What `Content-Encoding` declares: no coding is `.some(nil)`, more than one or an unknown one is nil.
    static func declared(by headers: HTTPHeaders) -> ContentCoding?? {
        let tokens = headers.tokens(named: "Content-Encoding").filter { !$0.equalsIgnoringASCIICase("identity") }
        guard let token = tokens.first else { return .some(nil) }
        guard tokens.count == 1 else { return nil }
        return coding(token).map { .some($0) }
    }

    /// The best coding that `Accept-Encoding` allows, by weight and then zstd before gzip (RFC 9110 section 12.5.3).
    ///
    /// Nil means identity: no header, nothing we know, weights of 0, or an explicit preference for identity.
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

    /// `x-gzip` is gzip (RFC 9110 section 8.4.1.3).
    private static func coding(_ token: String) -> ContentCoding? {
        token.equalsIgnoringASCIICase("x-gzip") ? .gzip : allCases.first { $0.rawValue.equalsIgnoringASCIICase(token) }
    }

    /// The content of `bytes`, at most `limit` bytes of it.
    ///
    /// - Throws: `.malformed`, or `.tooLarge` once the limit is passed; never holds more than the limit and one chunk.
    func decompressed(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        switch self {
        case .gzip: try GzipDecompressor().decompressed(bytes, limit: limit)
        case .zstd: try ZstdDecompressor().decompressed(bytes, limit: limit)
        }
    }

    /// `bytes` compressed quickly rather than tightly; nil when that fails or gains nothing.
    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        let compressed =
            switch self {
            case .gzip: GzipCompressor().compressed(bytes)
            case .zstd: ZstdCompressor().compressed(bytes)
            }
        guard let compressed, compressed.count < bytes.count else { return nil }
        return compressed
    }

    /// Output grows by this much at a time: large enough for few calls, small beside the limits.
    static let chunkSizeBytes = 64 * 1024
}
