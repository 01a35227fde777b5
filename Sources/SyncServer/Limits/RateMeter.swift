import Synchronization

/// A rate meter by the generic cell rate algorithm (ITU-T I.371, annex A). It stores one number for each key: the time
/// at which the key can use its full burst again. A key therefore costs only 16 bytes, and its entry can be removed
/// after that time.
final class RateMeter: Sendable {
    let limit: RateLimit
    private let paid = Mutex<[Int: Int64]>([:])

    /// The maximum number of keys. When it is reached, the keys that can use their full burst again are removed. If
    /// there are none, all keys are removed, and each of them may use a full burst again. A client that provokes this
    /// gains nothing: it has to use that many names, and each new name has a full burst anyway.
    static let keysMax = 50_000

    init(_ limit: RateLimit) {
        self.limit = limit
    }

    /// The result of charging a request to the rate limit of a key.
    struct Reply: Equatable {
        /// True if the request is granted.
        let isGranted: Bool
        /// The cost that a further request could have and still be granted at once.
        let remaining: Int
        /// The time after which the request would be granted, in nanoseconds; 0 if it is granted.
        let wait: Int64
    }

    /// Takes `cost` from the allowance of a key.
    ///
    /// - Parameters:
    ///   - key: the hash of a name. Two names with the same hash share one allowance.
    ///   - now: the time in nanoseconds, by any monotonic clock.
    func take(_ cost: Int, for key: Int, now: Int64) -> Reply {
        let interval = 1e9 / Double(limit.perSecond)
        let tolerance = Int64(Double(limit.burst) * interval)
        let price = Int64(Double(cost) * interval)
        return paid.withLock { paid in
            let before = max(paid[key] ?? now, now)
            let after = before + price
            guard after - now <= tolerance else {
                return Reply(isGranted: false, remaining: left(before), wait: after - now - tolerance)
            }
            if paid[key] == nil, paid.count >= RateMeter.keysMax {
                paid = paid.filter { $0.value > now }
                if paid.count >= RateMeter.keysMax { paid = [:] }
            }
            paid[key] = after
            return Reply(isGranted: true, remaining: left(after), wait: 0)
        }
        func left(_ until: Int64) -> Int { max(0, Int(Double(tolerance - (until - now)) / interval)) }
    }

    var keyCount: Int { paid.withLock { $0.count } }
}
