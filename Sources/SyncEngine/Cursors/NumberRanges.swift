/// Ranges of a space's sequence numbers, ascending and disjoint. A device's cursor has them: they are the numbers of
/// its own pushes whose answers it has received.
///
/// A cursor must stay small, so there are at most `countMax` ranges. A device that pushes and then pulls has one range
/// at a time. A device that only pushes gets one for each push, if others push in between. If a range was dropped, its
/// records are sent to the device once more.
package struct NumberRanges: Hashable, Sendable {
    /// The ranges of sequence numbers as half-open intervals: for each range its first number, and the first number
    /// after it.
    package private(set) var bounds: [Int64] = []

    /// The most ranges, 8. Each takes 16 bytes, so that a cursor stays below 300 characters.
    static let countMax = 8

    package init() {}

    /// Creates ranges from their bounds.
    ///
    /// - Parameter lower: the number that all bounds must exceed.
    /// - Returns: `nil` if the bounds are not ascending, or too many.
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

    /// The last number in the ranges; 0 if there are no ranges.
    package var last: Int64 { (bounds.last ?? 1) - 1 }

    package func contains(_ number: Int64) -> Bool {
        // An odd count: the number is after the beginning of a range, and before its end.
        bounds.count { $0 <= number } % 2 == 1
    }

    /// Adds a range: the numbers above `before` and up to `last`, all of which must be higher than the numbers in the
    /// ranges so far. If there are then more than `countMax` ranges, the first is dropped.
    package mutating func append(after before: Int64, through last: Int64) {
        guard before < last, last < .max else { return }
        if bounds.last == before + 1 {
            bounds[bounds.count - 1] = last + 1
        } else {
            bounds += [before + 1, last + 1]
        }
        if bounds.count > 2 * NumberRanges.countMax { bounds.removeFirst(2) }
    }

    /// Returns the parts of the ranges that are above `number`.
    package func above(_ number: Int64) -> NumberRanges {
        var rest = self
        rest.bounds.removeAll { $0 <= number }
        // The number lies in a range, and the rest of this range stays.
        if rest.bounds.count % 2 == 1 { rest.bounds.insert(number + 1, at: 0) }
        if rest.bounds.count >= 2, rest.bounds[0] == rest.bounds[1] { rest.bounds.removeFirst(2) }
        return rest
    }
}
