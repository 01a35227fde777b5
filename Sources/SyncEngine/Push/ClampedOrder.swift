/// What stands for stamps that were too far ahead, in the order in which one device sent them: a wrong clock is wrong
/// by the same for all, so that its later edit is later whichever arrives first.
struct ClampedOrder {
    /// By `sent`.
    private let known: [(sent: Int64, given: Int64)]

    /// How far apart stamps are given, half a millisecond, so that those which were sent in between and arrive later
    /// find room: ten halvings.
    static let step: Int64 = 1024

    /// - Parameter standing: stamps that were not replaced, of the records in question. Each stands for itself, where
    ///   that is in order with what is known.
    init(_ known: [(sent: Int64, given: Int64)], around standing: [Int64] = []) {
        let known = known.sorted { $0.sent < $1.sent }
        if known.isEmpty || standing.isEmpty {
            self.known = known
            return
        }
        let inOrder = Set(standing).filter { stamp in
            let next = known.firstIndex { $0.sent >= stamp } ?? known.count
            let isAfter = next == 0 || known[next - 1].given < stamp
            return isAfter && (next == known.count || known[next].sent > stamp && known[next].given > stamp)
        }
        self.known = (known + inOrder.map { ($0, $0) }).sorted { $0.sent < $1.sent }
    }

    /// - Parameters:
    ///   - sent: stamps of which none is known, in their order.
    ///   - first: the least for those that are later than all that is known.
    /// - Returns: in the order of `sent`. Where there is no room left, two have the same.
    func given(for sent: [Int64], from first: Int64) -> [Int64] {
        var given: [Int64] = []
        given.reserveCapacity(sent.count)
        var (next, place) = (0, 0)
        while place < sent.count {
            while next < known.count, known[next].sent < sent[place] { next += 1 }
            let lower = next > 0 ? known[next - 1].given : nil
            guard next < known.count else {
                let start = max(first, lower.map { $0 + ClampedOrder.step } ?? 0)
                given += sent[place...].indices.map { start + ClampedOrder.step * Int64($0 - place) }
                break
            }
            let upper = known[next].given
            let end = sent[place...].firstIndex { $0 > known[next].sent } ?? sent.count
            let count = Int64(end - place)
            let begin = max(0, lower ?? upper - ClampedOrder.step * (count + 1))
            let (width, rest) = (upper - begin).quotientAndRemainder(dividingBy: count + 1)
            given += (1...count).map { max(1, begin + width * $0 + rest * $0 / (count + 1)) }
            place = end
        }
        return given
    }
}
