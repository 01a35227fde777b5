import Synchronization
import WireFormats

/// The secret of a bearer token or of an invitation, and the hash under which it is known. The server keeps only that.
package struct Secret: Sendable {
    /// What the client sends: the purpose and 43 characters. Shown once, never logged.
    package let text: String

    /// What a secret is for, and what its text begins with.
    package enum Purpose: String, Sendable {
        case token = "sync_"
        case invitation = "invite_"
    }

    /// 256 bits: beyond guessing.
    private static let randomBytes = 32

    private static let characters = 43

    /// Whether it has the form of those that are given out for a purpose: any other was never one.
    package func isWellFormed(as purpose: Purpose) -> Bool {
        text.utf8.count == purpose.rawValue.utf8.count + Secret.characters && text.hasPrefix(purpose.rawValue)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    /// A new secret from the system's generator.
    package init(_ purpose: Purpose = .token) {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<Secret.randomBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        text = purpose.rawValue + Base64.encodeURLSafe(bytes)
    }

    /// What a client presented.
    package init(presented text: String) {
        self.text = text
    }

    /// SHA-256 of the text's UTF-8, 32 bytes. The secret has full entropy, so no salt or slow hash is needed; and how
    /// long it takes to compare hashes tells nothing of a secret.
    package var hash: [UInt8] {
        Secret.hasher.withLock { $0.hash(text) }
    }

    private static let hasher = Mutex(SHA256())
}

extension Secret: CustomStringConvertible {
    /// Never the secret.
    package var description: String { "sync_…" }
}
