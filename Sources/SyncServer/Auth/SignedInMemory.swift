import OpenID
import Synchronization

/// A cache of the verified claims of identity providers' tokens, by token hash, so that the signature of a token in use
/// is checked only once.
///
/// The cache has a young and an old half. New tokens enter the young half, and so do tokens of the old half when they
/// are used again. When the young half is full, the old half has only tokens that were not used for long; it is
/// discarded, and the young half becomes the old one. So new tokens do not displace tokens in use.
final class SignedInMemory: Sendable {
    private let halves = Mutex(Halves())

    /// The maximum number of tokens in each half of the cache. That many tokens take some ten megabytes. One half has
    /// room for all devices that may listen at once (`HTTPServer.Limits.streamsMax`). A token that names many spaces
    /// counts as several tokens.
    static let countMax = 25_000
    /// The number of spaces that take as much memory as a token without spaces, some 400 bytes.
    private static let spacesOfOne = 25

    private struct Halves {
        var young: [[UInt8]: SignedIn] = [:]
        var old: [[UInt8]: SignedIn] = [:]
        private var count = 0
        /// The number of times that the whole cache was emptied.
        var generation = 0

        mutating func keep(_ claims: SignedIn, _ hash: [UInt8]) {
            if count >= SignedInMemory.countMax {
                old = young
                young = [:]
                count = 0
            }
            young[hash] = claims
            count += 1 + claims.spaces.count / SignedInMemory.spacesOfOne
        }
    }

    /// Returns the claims of the token with this hash, whether the token has expired or not.
    func claims(of hash: [UInt8]) -> SignedIn? {
        halves.withLock { halves in
            if let claims = halves.young[hash] { return claims }
            guard let claims = halves.old.removeValue(forKey: hash) else { return nil }
            halves.keep(claims, hash)
            return claims
        }
    }

    /// The number of times that the whole cache was emptied. Claims read under an earlier number may be outdated.
    var generation: Int { halves.withLock(\.generation) }

    /// Empties the cache and increases `generation`.
    func forget() {
        halves.withLock { halves in
            let generation = halves.generation + 1
            halves = Halves()
            halves.generation = generation
        }
    }

    /// Stores the claims of a token.
    ///
    /// - Parameter generation: the generation at the time when the token's provider was found to be accepted.
    /// - Returns: `false` if the cache was emptied since then; the claims are then not stored.
    func keep(_ claims: SignedIn, of hash: [UInt8], since generation: Int) -> Bool {
        halves.withLock { halves in
            guard halves.generation == generation else { return false }
            halves.keep(claims, hash)
            return true
        }
    }
}
