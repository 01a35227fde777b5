import Glibc

extension SharedTurns {
    /// Returns a queue for small members into any space. They wait for each other only to share a turn.
    ///
    /// - Parameters:
    ///   - shareMax: the most members in one turn.
    ///   - turnsMax: the most quick turns at a time, enough to keep the processors busy.
    ///   - worthATurn: the number of members that must wait for another turn to begin.
    ///   - slowTurnsMax: the most turns at a time that may wait for the disk.
    ///   - slowAfter: the duration after which a turn is slow. Eight small pushes take 4 ms on two busy processors.
    static func acrossSpaces(
        shareMax: Int = smallMax, turnsMax: Int = smallTurnsMax, worthATurn: Int = worthASmallTurn, slowTurnsMax: Int,
        slowAfter: Duration = .milliseconds(5), waitMax: Duration
    ) -> SharedTurns {
        SharedTurns(
            Rules(
                key: { _ in nil }, turnsMax: turnsMax, worthATurn: worthATurn,
                slowTurnsMax: slowTurnsMax, slowAfter: slowAfter, mayWait: { _, _ in true },
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
