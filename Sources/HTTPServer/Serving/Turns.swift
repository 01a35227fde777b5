/// The order in which requests are worked on: each holder has a limited number at once, and its further requests wait
/// in a queue of their own.
///
/// So a holder that sends many requests waits only for itself, and others do not wait for it: neither the database's
/// sessions nor the cores are blocked by its queue. While other holders send requests, each has fewer at once. Work
/// that has begun cannot be made to wait, so there must be little of it.
struct Turns<Waiter> {
    /// The total weight of one holder's requests that are worked on while nobody else sends requests.
    let weightMax: Int
    /// The same limit while others send requests.
    let sharedWeightMax: Int
    /// The holder of the latest request.
    private var latest: Holder?
    /// The end of the time in which several holders count as active: `sharedFor` after the latest two successive
    /// requests of different holders.
    private var sharedUntil: ContinuousClock.Instant?

    /// The time for which requests of different holders keep each other's limits low. A device in use sends a request
    /// every few hundred milliseconds.
    static var sharedFor: Duration { .seconds(1) }

    /// The queues of the holders with requests under way.
    private var holders: [Holder: Line] = [:]

    private struct Line {
        var running = 0
        var waiting: [(waiter: Waiter, weight: Int)] = []
    }

    init(weightMax: Int, sharedWeightMax: Int) {
        self.weightMax = weightMax
        self.sharedWeightMax = sharedWeightMax
    }

    /// Lets a request run or queues it; a call of `leave` with the same weight follows in either case.
    ///
    /// - Returns: true if it runs at once; otherwise it waits.
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
    /// - Returns: the requests whose turn begins now.
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

    /// True if a request of `weight` may run. The first request of a holder runs whatever its weight.
    private func mayRun(_ weight: Int, beside running: Int, at now: ContinuousClock.Instant) -> Bool {
        if running == 0 { return true }
        let isShared = sharedUntil.map { now < $0 } ?? false
        return running + weight <= (isShared ? sharedWeightMax : weightMax)
    }
}
