import Synchronization

/// Counts by the generic cell rate algorithm (ITU-T I.371, annex A): of each key one number is kept, the time until
/// which what came is paid for. So a key costs 16 bytes, and one that is not heard of for a while costs nothing.
final class RateMeter: Sendable {
    let limit: RateLimit
    private let paid = Mutex<[Int: Int64]>([:])

    /// The most keys that are kept. Those of which all is paid are forgotten first; if there are none, all are, which
    /// gives each another burst: nobody gains who could not have sent as much under as many names.
    static let keysMax = 50_000

    init(_ limit: RateLimit) {
        self.limit = limit
    }

    /// What there is for one key.
    struct Standing: Equatable {
        /// Whether what was asked for is granted.
        let isGranted: Bool
        /// How much could come at once afterwards.
        let remaining: Int
        /// Nanoseconds after which what was asked for would be granted; 0 where it is.
        let wait: Int64
    }

    /// Takes `cost` from what a key may have.
    ///
    /// - Parameters:
    ///   - key: the hash of a name. Two names of one hash share.
    ///   - now: in nanoseconds, by any clock that does not go back.
    func take(_ cost: Int, for key: Int, now: Int64) -> Standing {
        let interval = 1e9 / Double(limit.perSecond)
        let tolerance = Int64(Double(limit.burst) * interval)
        let price = Int64(Double(cost) * interval)
        return paid.withLock { paid in
            let before = max(paid[key] ?? now, now)
            let after = before + price
            guard after - now <= tolerance else {
                return Standing(isGranted: false, remaining: left(before), wait: after - now - tolerance)
            }
            if paid[key] == nil, paid.count >= RateMeter.keysMax {
                paid = paid.filter { $0.value > now }
                if paid.count >= RateMeter.keysMax { paid = [:] }
            }
            paid[key] = after
            return Standing(isGranted: true, remaining: left(after), wait: 0)
        }
        func left(_ until: Int64) -> Int { max(0, Int(Double(tolerance - (until - now)) / interval)) }
    }

    var keyCount: Int { paid.withLock { $0.count } }
}
