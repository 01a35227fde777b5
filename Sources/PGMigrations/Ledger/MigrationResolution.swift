import Postgres
package import WireFormats

/// The verdict of an operator on a migration that the runner could not finish, with a reason: a row of
/// `sync.migration_resolution`.
package struct MigrationResolution: Sendable, Hashable {
    package let verdict: Verdict
    package let because: String
    /// The user who ran the command, and the login of the database.
    package let who: String
    package let at: Timestamp

    /// The state that an operator declares for the migration.
    package enum Verdict: String, Sendable, CaseIterable {
        /// The effects of the migration's steps were brought about by hand.
        case applied
        /// The operator has undone the effects of the failed step by hand. The step will run again from its beginning.
        case pending
    }

    /// Reads the latest resolution of each migration; empty if the table does not exist yet.
    static func latest(_ session: isolated Session) throws(PGError) -> [MigrationID: MigrationResolution] {
        let table = try session.execute(Command("SELECT to_regclass('sync.migration_resolution') IS NOT NULL"))
        guard table.bool(0, 0) else { return [:] }
        let rows = try session.execute(
            Command(
                """
                SELECT DISTINCT ON (line, number) line, number, verdict, because, who, at
                FROM sync.migration_resolution ORDER BY line, number, id DESC
                """))
        var resolutions: [MigrationID: MigrationResolution] = [:]
        for row in 0..<rows.count {
            let id = MigrationID(line: rows.string(row, 0), number: Int(rows.int(row, 1)))
            resolutions[id] = MigrationResolution(
                verdict: try Ledger.word(rows.string(row, 2), of: id), because: rows.string(row, 3),
                who: rows.string(row, 4), at: rows.timestamp(row, 5))
        }
        return resolutions
    }

    static func recording(_ id: MigrationID, _ verdict: Verdict, because: String, who: String) -> Command {
        Command(
            """
            INSERT INTO sync.migration_resolution (line, number, verdict, because, who)
            VALUES ($1, $2, $3, $4, $5 || ' as ' || session_user)
            """,
            [.text(id.line), .int(Int64(id.number)), .text(verdict.rawValue), .text(because), .text(who)])
    }
}
