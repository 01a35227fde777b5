import Glibc
import WireFormats

/// Pushes that share a transaction, and so one wait for the disk.
typealias GroupCommit = SharedTurns<Push, PushAttempt>

extension GroupCommit {
    /// The most pushes that wait for one space when another comes: a quarter of the requests that the server works on
    /// at once, so that others find room. What is run again was let in before.
    static var waitingMax: Int { 64 }

    /// Of pushes into one space, each of which locks it. While one commits, the next may wait for the lock in
    /// PostgreSQL, so that this goes from one to the other at once.
    static func ofSpaces(waitMax: Duration) -> GroupCommit {
        GroupCommit(
            Rules(
                key: \.space, turnsMax: 1, worthATurn: 1, slowTurnsMax: 2, slowAfter: .seconds(600),
                admits: { push, waiting in waiting < waitingMax || push.attempts > 1 },
                share: sharing), waitMax: waitMax)
    }

    /// No more changes than one push may have, since the space is locked for as long. What is rolled back in any case
    /// is alone, and so is what was interrupted.
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
    /// Of small members into any space, which nothing but a turn makes wait for each other.
    ///
    /// - Parameters:
    ///   - shareMax: the most members in one turn.
    ///   - turnsMax: as many as keep the processors busy.
    ///   - worthATurn: how many must wait for another turn to begin.
    ///   - slowTurnsMax: as many as may wait for the disk at a time.
    ///   - slowAfter: eight small pushes are 4 ms of two busy processors.
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

    /// The most small members in one turn. More would save little, and make the first of them wait for the last.
    static var smallMax: Int { 8 }

    /// A group of four costs PostgreSQL half of what four turns do, and the server's threads change a quarter as often.
    /// Fewer wait for the turn before them to end, a millisecond or less.
    static var worthASmallTurn: Int { smallMax / 2 }

    static var smallTurnsMax: Int { max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
}
