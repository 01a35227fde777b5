/// The order in which requests are worked on. Each holder (the party that requests are charged to) may have a limited
/// number of requests running, and its further requests wait in a queue of their own.
///
/// A holder that sends many requests therefore delays only itself: its waiting requests occupy neither database
/// sessions nor cores. While several holders send requests, each holder's limit is lower. Otherwise the others would
/// wait for one holder's running requests, which cannot be interrupted.
struct Turns<Waiter> {
    /// The maximum total weight of the requests that one holder (the party that they are charged to) runs at a time
    /// while no other holder sends requests. A long request weighs more than a short one.
    let weightMax: Int
    /// The maximum total weight of the requests that one holder (the party that they are charged to) runs at a time
    /// while several holders send requests. It is lower than `weightMax`.
    let sharedWeightMax: Int
    /// The holder (the party that requests are charged to) of the latest request.
    private var latest: Holder?
    /// The time until which `sharedWeightMax` applies. If two consecutive requests have different holders (the parties
    /// that requests are charged to), it is set to the current time plus `sharedFor`.
    private var sharedUntil: ContinuousClock.Instant?

    /// The time for which `sharedWeightMax` applies after requests of two different holders (the parties that requests
    /// are charged to). It is longer than the few hundred milliseconds between the requests of a device in use.
    static var sharedFor: Duration { .seconds(1) }

    /// The running and waiting requests of each holder (the party that requests are charged to) that has any.
    private var holders: [Holder: Line] = [:]

    private struct Line {
        var running = 0
        var waiting: [(waiter: Waiter, weight: Int)] = []
    }

    init(weightMax: Int, sharedWeightMax: Int) {
        self.weightMax = weightMax
        self.sharedWeightMax = sharedWeightMax
    }

    /// Adds a request, which runs at once or waits. When the request has ended, call `leave` with the same weight.
    ///
    /// - Parameter weight: the weight with which the request counts towards the limit of its holder (the party that it
    ///   is charged to).
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
    /// - Returns: the waiting requests of the same holder (the party that they are charged to) that may run now.
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

    /// Returns true if a request of `weight` may run now. `running` is the total weight of the requests of the same
    /// holder that already run. If it is 0, the request may always run.
    private func mayRun(_ weight: Int, beside running: Int, at now: ContinuousClock.Instant) -> Bool {
        if running == 0 { return true }
        let isShared = sharedUntil.map { now < $0 } ?? false
        return running + weight <= (isShared ? sharedWeightMax : weightMax)
    }
}
