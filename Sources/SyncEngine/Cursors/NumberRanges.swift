/// Ranges of a space's numbers, in their order and apart from each other: what a cursor's device was acknowledged.
///
/// A cursor must stay small, so there are at most `countMax`. Devices that push and then pull have one at a time; one
/// that only pushes, beside others, gets one for each push. What does not fit is told to the device once more.
package struct NumberRanges: Hashable, Sendable {
    /// Half-open: of each range the first number, and the first behind it.
    package private(set) var bounds: [Int64] = []

    /// Sixteen bytes each, so that a cursor stays below 300 characters.
    static let countMax = 8

    package init() {}

    /// - Parameter lower: what all of them are above.
    /// - Returns: `nil` for what is not in order, or too much.
    init?(bounds: [Int64], above lower: Int64) {
        guard bounds.count % 2 == 0, bounds.count <= 2 * NumberRanges.countMax else { return nil }
        var last = lower
        for bound in bounds {
            if bound <= last { return nil }
            last = bound
        }
        self.bounds = bounds
    }

    package var isEmpty: Bool { bounds.isEmpty }

    /// The last number; 0 where there are none.
    package var last: Int64 { (bounds.last ?? 1) - 1 }

    package func contains(_ number: Int64) -> Bool {
        // Odd: behind the beginning of one, and before its end.
        bounds.count { $0 <= number } % 2 == 1
    }

    /// Adds the numbers after `before` through `last`, which are above all that there are. Beyond `countMax` the first
    /// range goes.
    package mutating func append(after before: Int64, through last: Int64) {
        guard before < last, last < .max else { return }
        if bounds.last == before + 1 {
            bounds[bounds.count - 1] = last + 1
        } else {
            bounds += [before + 1, last + 1]
        }
        if bounds.count > 2 * NumberRanges.countMax { bounds.removeFirst(2) }
    }

    /// What is left of them above `number`.
    package func above(_ number: Int64) -> NumberRanges {
        var rest = self
        rest.bounds.removeAll { $0 <= number }
        // It lies in a range, of which there is a rest.
        if rest.bounds.count % 2 == 1 { rest.bounds.insert(number + 1, at: 0) }
        if rest.bounds.count >= 2, rest.bounds[0] == rest.bounds[1] { rest.bounds.removeFirst(2) }
        return rest
    }
}
