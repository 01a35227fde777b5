/// One budget, shared out: what was taken of it, in all and by each key.
///
/// The rule: all together take at most `limit`, and each at most `share` of it. A share is a fraction of the limit that
/// is ample for one, so that it takes several to leave nothing for the next; what nobody has taken is not kept for
/// anyone. Nothing waits here: who asks for too much is refused and told which of the two it was.
package struct FairShare<Key: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let share: Int
    package private(set) var taken = 0
    /// None of 0.
    private var takenByKey: [Key: Int] = [:]

    /// What would be passed.
    package enum Excess: Sendable {
        case limit
        case share
    }

    package init(limit: Int, share: Int) {
        self.limit = limit
        self.share = share
    }

    /// What keeps `key` from taking so much more; nil for nothing.
    package func excess(of amount: Int, for key: Key) -> Excess? {
        if takenByKey[key, default: 0] + amount > share { return .share }
        return taken + amount > limit ? .limit : nil
    }

    /// Takes all of `amount`, or nothing where that would be too much.
    package mutating func take(_ amount: Int, for key: Key) -> Excess? {
        if let excess = excess(of: amount, for: key) { return excess }
        takeAnyway(amount, for: key)
        return nil
    }

    /// Counts what is there in any case.
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
