import COpenSSL
import Synchronization
import WireFormats

/// The secret of a bearer token, and the hash under which it is known. The server keeps the hash only.
package struct Secret: Sendable {
    /// What the client sends: `sync_` and 43 characters. Shown once, never logged.
    package let text: String

    private static let prefix = "sync_"
    /// 256 bits: beyond guessing.
    private static let randomBytes = 32

    /// A new secret from the system's generator.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<Secret.randomBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        text = Secret.prefix + Base64.encodeURLSafe(bytes)
    }

    /// What a client presented.
    package init(presented text: String) {
        self.text = text
    }

    /// SHA-256 of the text's UTF-8, 32 bytes. The secret has full entropy, so no salt or slow hash is needed.
    package var hash: [UInt8] {
        Secret.hasher.withLock { $0.hash(text) }
    }

    private static let hasher = Mutex(SHA256())

    /// Whether two hashes are equal, in a time that does not depend on where they differ (CRYPTO_memcmp(3)).
    package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}

extension Secret: CustomStringConvertible {
    /// Never the secret.
    package var description: String { "sync_…" }
}
