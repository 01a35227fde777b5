import Glibc
import WireFormats

/// Pushes that share a transaction, and so wait for the disk once.
typealias GroupCommit = SharedTurns<Push, PushAttempt>

extension GroupCommit {
    /// The most pushes that may wait for one space when another arrives: a quarter of the requests that the server
    /// works on at the same time, so that other spaces find room. A push that is run again is always admitted.
    static var waitingMax: Int { 64 }

    /// Returns the queues for pushes into one space, each of which locks the space. While one push commits, the next
    /// may wait for the lock in PostgreSQL, so that the lock passes on at once.
    static func ofSpaces(waitMax: Duration) -> GroupCommit {
        GroupCommit(
            Rules(
                key: \.space, turnsMax: 1, worthATurn: 1, slowTurnsMax: 2, slowAfter: .seconds(600),
                admits: { push, waiting in waiting < waitingMax || push.attempts > 1 },
                share: sharing), waitMax: waitMax)
    }

    /// Returns how many of the waiting pushes share a transaction. Together they have no more changes than one push may
    /// have, because the space is locked for as long. A push that is rolled back in any case runs alone, and so does
    /// one that was interrupted.
    private static func sharing(_ waiting: [Push]) -> Int {
        var changes = 0
        let group = waiting.prefix { push in
            changes += push.count
            return changes <= SyncEngine.changesMax && push.purpose == .commit && push.isSociable
        }
        return max(group.count, 1)
    }
}

extension SharedTurns {
    /// Returns a queue for small members into any space. They wait for each other only to share a turn.
    ///
    /// - Parameters:
    ///   - shareMax: the most members in one turn.
    ///   - turnsMax: the most quick turns at a time, enough to keep the processors busy.
    ///   - worthATurn: the number of members that must wait for another turn to begin.
    ///   - slowTurnsMax: the most turns at a time that may wait for the disk.
    ///   - slowAfter: the duration after which a turn is slow. Eight small pushes take 4 ms on two busy processors.
    static func ofSmall(
        shareMax: Int = smallMax, turnsMax: Int = smallTurnsMax, worthATurn: Int = worthASmallTurn, slowTurnsMax: Int,
        slowAfter: Duration = .milliseconds(5), waitMax: Duration
    ) -> SharedTurns {
        SharedTurns(
            Rules(
                key: { _ in nil }, turnsMax: turnsMax, worthATurn: worthATurn,
                slowTurnsMax: slowTurnsMax, slowAfter: slowAfter, admits: { _, _ in true },
                share: { min($0.count, shareMax) }), waitMax: waitMax)
    }

    /// The most small members in one turn. More would save little, and the first of them would wait for the last.
    static var smallMax: Int { 8 }

    /// The number of small members that are worth a turn of their own. A group of four costs PostgreSQL half of what
    /// four turns cost, and causes a quarter of the server's thread switches. Fewer members wait for the turn before
    /// them to end, a millisecond or less.
    static var worthASmallTurn: Int { smallMax / 2 }

    static var smallTurnsMax: Int { max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
}
