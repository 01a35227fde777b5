import Synchronization
import WireFormats

/// The secret of a bearer token or of an invitation, and its hash. The server stores only the hash.
package struct Secret: Sendable {
    /// The text that the client sends: the prefix `sync_` or `invite_`, and 43 characters. It is shown once, and never
    /// logged.
    package let text: String

    /// The purpose of a secret; its raw value is the prefix of the secret's text.
    package enum Purpose: String, Sendable {
        case token = "sync_"
        case invitation = "invite_"
    }

    /// The count of random bytes: 256 bits, which cannot be guessed.
    private static let randomBytes = 32

    private static let characters = 43

    /// Returns true if the secret has the form of the secrets issued for a purpose; any other was never issued.
    package func isWellFormed(as purpose: Purpose) -> Bool {
        text.utf8.count == purpose.rawValue.utf8.count + Secret.characters && text.hasPrefix(purpose.rawValue)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    /// Creates a secret from the system's random number generator.
    package init(_ purpose: Purpose = .token) {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<Secret.randomBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        text = purpose.rawValue + Base64.encodeURLSafe(bytes)
    }

    /// Creates a secret from the text that a client presented.
    package init(presented text: String) {
        self.text = text
    }

    /// The SHA-256 of the text's UTF-8, 32 bytes. The secret has full entropy, so no salt or slow hash is needed, and
    /// the time of comparing hashes reveals nothing of a secret.
    package var hash: [UInt8] {
        Secret.hasher.withLock { $0.hash(text) }
    }

    private static let hasher = Mutex(SHA256())
}

extension Secret: CustomStringConvertible {
    /// A constant text that never contains the secret.
    package var description: String { "sync_…" }
}
