/// Replacements for stamps that were too far ahead of the server's clock. They are in the same order as the stamps that
/// one device sent.
///
/// A wrong clock is off by the same amount for all of a device's stamps. So the device's later edit stays later,
/// whichever edit arrives first.
struct ClampedOrder {
    /// The known pairs of a sent stamp and its replacement, sorted by `sent`.
    private let known: [(sent: Int64, given: Int64)]

    /// The distance between two new replacement stamps that follow each other, half a millisecond. An edit that was
    /// made between them may arrive later. Its replacement lies in the middle, and the distance can be halved ten
    /// times.
    static let step: Int64 = 1024

    /// Creates an order from the known replacements.
    ///
    /// - Parameters:
    ///   - known: the stamps that were replaced so far, each with its replacement.
    ///   - accepted: the stamps of the affected records that were accepted as sent. Such a stamp is added as its own
    ///     replacement, unless that would break the order of the replacements.
    init(_ known: [(sent: Int64, given: Int64)], around accepted: [Int64] = []) {
        let known = known.sorted { $0.sent < $1.sent }
        if known.isEmpty || accepted.isEmpty {
            self.known = known
            return
        }
        let inOrder = Set(accepted).filter { stamp in
            let next = known.firstIndex { $0.sent >= stamp } ?? known.count
            let isAfter = next == 0 || known[next - 1].given < stamp
            return isAfter && (next == known.count || known[next].sent > stamp && known[next].given > stamp)
        }
        self.known = (known + inOrder.map { ($0, $0) }).sorted { $0.sent < $1.sent }
    }

    /// Returns the replacements of the stamps `sent`, in the same order. Two replacements may be equal if they must lie
    /// between two known ones that are close together.
    ///
    /// - Parameters:
    ///   - sent: stamps that have no replacement yet, in ascending order.
    ///   - first: the least replacement for stamps that are later than all known ones.
    func given(for sent: [Int64], from first: Int64) -> [Int64] {
        var given: [Int64] = []
        given.reserveCapacity(sent.count)
        var (next, position) = (0, 0)
        while position < sent.count {
            while next < known.count, known[next].sent < sent[position] { next += 1 }
            let lower = next > 0 ? known[next - 1].given : nil
            guard next < known.count else {
                let start = max(first, lower.map { $0 + ClampedOrder.step } ?? 0)
                given += sent[position...].indices.map { start + ClampedOrder.step * Int64($0 - position) }
                break
            }
            let upper = known[next].given
            let end = sent[position...].firstIndex { $0 > known[next].sent } ?? sent.count
            let count = Int64(end - position)
            let begin = max(0, lower ?? upper - ClampedOrder.step * (count + 1))
            let (width, rest) = (upper - begin).quotientAndRemainder(dividingBy: count + 1)
            given += (1...count).map { max(1, begin + width * $0 + rest * $0 / (count + 1)) }
            position = end
        }
        return given
    }
}
