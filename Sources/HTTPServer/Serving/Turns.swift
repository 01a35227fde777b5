/// Whose turn it is to be worked on: each holder has so many at once, and its further requests wait in a line of their
/// own.
///
/// So who sends many requests waits for itself, and not others for it: neither the database's sessions nor the cores
/// are behind its line. While there are others, each has fewer at once: what is worked on already cannot be made to
/// wait, so it must be little.
struct Turns<Waiter> {
    /// What the requests of one holder that are worked on may weigh together while nobody else sends any.
    let weightMax: Int
    /// The same while others do.
    let sharedWeightMax: Int
    /// Whose request was the latest to come.
    private var latest: Holder?
    /// Until when there are others: so long after two requests that were not of the same holder.
    private var sharedUntil: ContinuousClock.Instant?

    /// A device that is used sends a request every few hundred milliseconds.
    static var sharedFor: Duration { .seconds(1) }

    /// Those with requests under way.
    private var holders: [Holder: Line] = [:]

    private struct Line {
        var running = 0
        var waiting: [(waiter: Waiter, weight: Int)] = []
    }

    init(weightMax: Int, sharedWeightMax: Int) {
        self.weightMax = weightMax
        self.sharedWeightMax = sharedWeightMax
    }

    /// - Returns: whether it is its turn at once; otherwise it waits. `leave` with the same weight follows either.
    mutating func enter(
        _ waiter: Waiter, weight: Int, for holder: Holder, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        if let latest, latest != holder { sharedUntil = now + Self.sharedFor }
        latest = holder
        var line = holders[holder, default: Line()]
        let isFree = line.waiting.isEmpty && mayRun(weight, beside: line.running, at: now)
        if isFree { line.running += weight } else { line.waiting.append((waiter, weight)) }
        holders[holder] = line
        return isFree
    }

    /// Ends a turn.
    ///
    /// - Returns: whose turn it is now.
    mutating func leave(
        weight: Int, for holder: Holder, at now: ContinuousClock.Instant = .now
    ) -> [Waiter] {
        guard var line = holders[holder] else { return [] }
        line.running -= weight
        var next: [Waiter] = []
        while let first = line.waiting.first, mayRun(first.weight, beside: line.running, at: now) {
            line.running += first.weight
            next.append(first.waiter)
            line.waiting.removeFirst()
        }
        holders[holder] = line.running == 0 ? nil : line
        return next
    }

    /// The first runs whatever it weighs.
    private func mayRun(_ weight: Int, beside running: Int, at now: ContinuousClock.Instant) -> Bool {
        if running == 0 { return true }
        let isShared = sharedUntil.map { now < $0 } ?? false
        return running + weight <= (isShared ? sharedWeightMax : weightMax)
    }
}
