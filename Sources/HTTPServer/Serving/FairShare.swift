/// A budget that several keys share. It records the amounts taken, in total and by each key.
///
/// All keys together may take at most `limit`, and each key at most `share`. The share is ample for one key, but only a
/// fraction of the limit, so that no single key can use up the budget. Unused amounts are not reserved for anyone. A
/// request for too much does not wait. It is refused, and the result names the bound that it would exceed.
package struct FairShare<Key: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let share: Int
    package private(set) var taken = 0
    /// The amount that each key has taken. Keys that have taken nothing have no entry.
    private var takenByKey: [Key: Int] = [:]

    /// The bound that would be exceeded: the limit of all keys together, or the share of one key.
    package enum Excess: Sendable {
        case limit
        case share
    }

    package init(limit: Int, share: Int) {
        self.limit = limit
        self.share = share
    }

    /// Returns the bound that would be exceeded if `key` took `amount` more; `nil` if none would be.
    package func excess(of amount: Int, for key: Key) -> Excess? {
        if takenByKey[key, default: 0] + amount > share { return .share }
        return taken + amount > limit ? .limit : nil
    }

    /// Takes `amount` of the budget for `key`, and returns `nil`. If that would exceed the limit of all keys or the
    /// share of one, takes nothing and returns the exceeded bound.
    package mutating func take(_ amount: Int, for key: Key) -> Excess? {
        if let excess = excess(of: amount, for: key) { return excess }
        takeAnyway(amount, for: key)
        return nil
    }

    /// Takes `amount` for `key` even if it exceeds a bound. Use it for an amount that is in use already.
    package mutating func takeAnyway(_ amount: Int, for key: Key) {
        taken += amount
        takenByKey[key, default: 0] += amount
    }

    package mutating func giveBack(_ amount: Int, for key: Key) {
        taken -= amount
        let rest = takenByKey[key, default: 0] - amount
        takenByKey[key] = rest == 0 ? nil : rest
    }
}
