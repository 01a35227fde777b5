import OpenID
import Synchronization

/// The verified claims of identity providers' tokens, by token hash. A token's signature is checked once, and not again
/// while the token is in use.
///
/// New tokens never displace tokens in use: when half of the memory is full, the other half, with the tokens not asked
/// for since, is forgotten.
final class SignedInMemory: Sendable {
    private let halves = Mutex(Halves())

    /// The maximum count of each half, some ten megabytes. All devices that may listen at once
    /// (`HTTPServer.Limits.streamsMax`) fit in one half. A token that names many spaces counts for more than one.
    static let countMax = 25_000
    /// The number of spaces that take as much memory as a token without spaces, some 400 bytes.
    private static let spacesOfOne = 25

    private struct Halves {
        var young: [[UInt8]: SignedIn] = [:]
        var old: [[UInt8]: SignedIn] = [:]
        private var count = 0
        /// The number of times that everything was forgotten.
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

    /// The number of times that everything was forgotten; results from before the last time may be outdated.
    var generation: Int { halves.withLock(\.generation) }

    /// Forgets all claims.
    func forget() {
        halves.withLock { halves in
            let generation = halves.generation + 1
            halves = Halves()
            halves.generation = generation
        }
    }

    /// Keeps the claims of a token.
    ///
    /// - Parameter generation: the generation in which the token's provider was found to be accepted.
    /// - Returns: `false` if everything was forgotten since; the claims are then not kept.
    func keep(_ claims: SignedIn, of hash: [UInt8], since generation: Int) -> Bool {
        halves.withLock { halves in
            guard halves.generation == generation else { return false }
            halves.keep(claims, hash)
            return true
        }
    }
}
