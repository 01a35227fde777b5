import OpenID
import Synchronization

/// Tokens of identity providers whose signature was found right: what they say, by their hash. Such a token is read and
/// its signature checked once, and no more while it is in use.
///
/// What is in use is never forgotten for what is new: when half of the memory is full, the half that was not asked for
/// since goes.
final class SignedInMemory: Sendable {
    private let halves = Mutex(Halves())

    /// Of each half. Every device that may listen at once (`HTTPServer.Limits.streamsMax`) fits in one, and one is some
    /// ten megabytes. A token that names many spaces counts for more.
    static let countMax = 25_000
    /// So many spaces take the memory of a token that names none, some 400 bytes.
    private static let spacesOfOne = 25

    private struct Halves {
        var young: [[UInt8]: SignedIn] = [:]
        var old: [[UInt8]: SignedIn] = [:]
        private var count = 0
        /// How often all was forgotten.
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

    /// What the token with this hash says, whether it has ended meanwhile or not.
    func claims(of hash: [UInt8]) -> SignedIn? {
        halves.withLock { halves in
            if let claims = halves.young[hash] { return claims }
            guard let claims = halves.old.removeValue(forKey: hash) else { return nil }
            halves.keep(claims, hash)
            return claims
        }
    }

    /// How often all was forgotten: what was found out before the last time may no longer be so.
    var generation: Int { halves.withLock(\.generation) }

    /// Forgets all.
    func forget() {
        halves.withLock { halves in
            let generation = halves.generation + 1
            halves = Halves()
            halves.generation = generation
        }
    }

    /// Keeps what a token says.
    ///
    /// - Parameter generation: in which its provider was found to be one of ours.
    /// - Returns: `false` where all was forgotten since.
    func keep(_ claims: SignedIn, of hash: [UInt8], since generation: Int) -> Bool {
        halves.withLock { halves in
            guard halves.generation == generation else { return false }
            halves.keep(claims, hash)
            return true
        }
    }
}
