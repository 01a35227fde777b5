import Synchronization

/// A rate meter by the generic cell rate algorithm (ITU-T I.371, annex A). It stores one number for each key: the time
/// at which the key's past use is paid off at the sustained rate. So a key costs 16 bytes, and the entry of a key that
/// is not used for a while can be removed.
final class RateMeter: Sendable {
    let limit: RateLimit
    private let paid = Mutex<[Int: Int64]>([:])

    /// The maximum number of keys. At this number, the keys whose use is paid off are removed. If there are none, all
    /// keys are removed, which allows each of them another burst. A client gains no more by that than it could have
    /// gained by using as many different names.
    static let keysMax = 50_000

    init(_ limit: RateLimit) {
        self.limit = limit
    }

    /// The result of a request for one key.
    struct Reply: Equatable {
        /// True if the request is granted.
        let isGranted: Bool
        /// The cost that would still be granted at once after this request.
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
