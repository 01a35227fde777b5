/// The order in which requests are worked on. Each holder may have a limited number of requests running, and its
/// further requests wait in a queue of their own.
///
/// So a holder that sends many requests delays only itself: its queue occupies neither the database's sessions nor the
/// cores. While several holders send requests, each holder's limit is lower, because a request that is already running
/// cannot be interrupted for another holder.
struct Turns<Waiter> {
    /// The total weight of one holder's requests that are worked on while nobody else sends requests.
    let weightMax: Int
    /// The lower maximum weight of one holder's running requests while other holders send requests, too.
    let sharedWeightMax: Int
    /// The holder of the latest request.
    private var latest: Holder?
    /// The end of the time in which several holders count as active: `sharedFor` after the latest two successive
    /// requests of different holders.
    private var sharedUntil: ContinuousClock.Instant?

    /// The time for which requests of different holders keep the lower limit in force. A device in use sends a request
    /// every few hundred milliseconds.
    static var sharedFor: Duration { .seconds(1) }

    /// The running and waiting requests of each holder that has any.
    private var holders: [Holder: Line] = [:]

    private struct Line {
        var running = 0
        var waiting: [(waiter: Waiter, weight: Int)] = []
    }

    init(weightMax: Int, sharedWeightMax: Int) {
        self.weightMax = weightMax
        self.sharedWeightMax = sharedWeightMax
    }

    /// Adds a request, which runs at once or waits. A call of `leave` with the same weight must follow when the request
    /// has ended.
    ///
    /// - Returns: true if the request runs at once; false if it waits.
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

    /// Removes a request that has ended.
    ///
    /// - Returns: the waiting requests of the same holder that may run now.
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

    /// True if a request of `weight` may run beside requests of the total weight `running`. A holder's only request may
    /// always run.
    private func mayRun(_ weight: Int, beside running: Int, at now: ContinuousClock.Instant) -> Bool {
        if running == 0 { return true }
        let isShared = sharedUntil.map { now < $0 } ?? false
        return running + weight <= (isShared ? sharedWeightMax : weightMax)
    }
}
