import WireFormats

/// A queue of pushes. Pushes that waited together share a transaction, so they wait for the disk only once.
typealias PushQueue = SharedTurns<Push, PushAttempt>

extension PushQueue {
    /// The most pushes that may wait for one space when another arrives: a quarter of the requests that the server
    /// works on at the same time, so that other spaces find room. A push that is run again is always admitted.
    static var waitingMax: Int { 64 }

    /// Returns a queue in which pushes into the same space wait for each other. Each transaction locks its space. While
    /// one push commits, the next may already wait for the lock in PostgreSQL, and so gets it without delay.
    static func perSpace(waitMax: Duration) -> PushQueue {
        PushQueue(
            Rules(
                key: \.space, turnsMax: 1, worthATurn: 1, slowTurnsMax: 2, slowAfter: .seconds(600),
                mayWait: { push, waiting in waiting < waitingMax || push.attempts > 1 },
                share: sharing), waitMax: waitMax)
    }

    /// Returns how many of the waiting pushes share the next transaction, counted from the first.
    ///
    /// Together they have at most as many changes as one push may have, because the space is locked for all of them. A
    /// dry run always has a transaction alone. So does a push that has failed in a shared transaction before.
    private static func sharing(_ waiting: [Push]) -> Int {
        var changes = 0
        let group = waiting.prefix { push in
            changes += push.count
            return changes <= SyncEngine.changesMax && push.purpose == .commit && push.isSociable
        }
        return max(group.count, 1)
    }
}
