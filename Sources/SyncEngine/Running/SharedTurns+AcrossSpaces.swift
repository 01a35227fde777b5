import Glibc

extension SharedTurns {
    /// Returns a queue for small requests (the members) in any space. They wait for each other only to share a turn,
    /// which is one transaction or one query.
    ///
    /// - Parameters:
    ///   - shareMax: the most members in one turn.
    ///   - turnsMax: the most quick turns at a time, enough to keep the processors busy.
    ///   - worthATurn: the number of waiting members at which another turn begins while a quick one is under way.
    ///   - slowTurnsMax: the most turns at a time, including slow ones, which wait for the disk.
    ///   - slowAfter: the duration after which a turn counts as slow. Eight small pushes take 4 ms on two busy
    ///     processors.
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

    /// The most small pushes or small pulls that share one turn (one transaction). More would save little, and the
    /// first of them would wait for the last.
    static var smallMax: Int { 8 }

    /// The number of waiting requests at which another turn (one transaction) begins beside a turn that is under way.
    ///
    /// Fewer requests wait until that turn has ended, a millisecond or less. By waiting, more of them share a turn. A
    /// turn of four requests costs PostgreSQL half of what four separate turns cost, and a quarter of the server's
    /// thread switches.
    static var worthASmallTurn: Int { smallMax / 2 }

    static var smallTurnsMax: Int { max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
}
