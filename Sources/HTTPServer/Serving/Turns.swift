/// Whose turn it is to be worked on: each holder has so many at once, and its further requests wait in a line of their
/// own.
///
/// So who sends many requests waits for itself, and not others for it: neither the database's sessions nor the cores
/// are behind its line.
struct Turns<Waiter> {
    /// What the requests of one holder that are worked on may weigh together.
    let weightMax: Int
    /// Those with requests under way.
    private var holders: [Holder: Line] = [:]

    private struct Line {
        var running = 0
        var waiting: [(waiter: Waiter, weight: Int)] = []
    }

    init(weightMax: Int) {
        self.weightMax = weightMax
    }

    /// - Returns: whether it is its turn at once; otherwise it waits. `leave` with the same weight follows either.
    mutating func enter(_ waiter: Waiter, weight: Int, for holder: Holder) -> Bool {
        var line = holders[holder, default: Line()]
        let isFree = line.waiting.isEmpty && mayRun(weight, beside: line.running)
        if isFree { line.running += weight } else { line.waiting.append((waiter, weight)) }
        holders[holder] = line
        return isFree
    }

    /// Ends a turn.
    ///
    /// - Returns: whose turn it is now.
    mutating func leave(weight: Int, for holder: Holder) -> [Waiter] {
        guard var line = holders[holder] else { return [] }
        line.running -= weight
        var next: [Waiter] = []
        while let first = line.waiting.first, mayRun(first.weight, beside: line.running) {
            line.running += first.weight
            next.append(first.waiter)
            line.waiting.removeFirst()
        }
        holders[holder] = line.running == 0 ? nil : line
        return next
    }

    /// The first runs whatever it weighs.
    private func mayRun(_ weight: Int, beside running: Int) -> Bool {
        running == 0 || running + weight <= weightMax
    }
}
