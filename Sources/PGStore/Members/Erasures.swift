package import Postgres
package import WireFormats

/// The statements that erase a space. They run in a transaction that has entered the space. The exceptions are
/// `expectingNamedSpaces`, `forgetting` and `listing`, which run outside of any space.
package struct Erasures: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// The level of an erased space. The level is otherwise the number of migrations that a server must know to use a
    /// space. No server knows this many, so no server of any release reads or writes an erased space.
    package static let level = Int64(Int32.max)

    /// Shuts the space in the database that serves it: the command waits until all other transactions in the space
    /// have ended, and no new one can begin.
    package func shutting(_ space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.space AS s (space_id, app, record_size, level) VALUES ($1, $2, 0, $3)
            ON CONFLICT (space_id, app) DO UPDATE SET level = excluded.level
            """, [.id(space), .text(app), .int(Erasures.level)])
    }

    /// Closes the space, so that it can be erased. From then on, the space has no members and no invitations.
    ///
    /// The transaction must hold the lock on the list of the space's members.
    ///
    /// - Parameter subject: the subject that erases the space; `nil` for an operator. The space counts towards the
    ///   subject's limit of spaces for another day.
    /// - Returns: the commands to execute. The first one returns no rows. Each further command returns `(table, rows)`
    ///   if it removed rows.
    package func closing(_ space: ID, by subject: Subject?) -> [Command] {
        [
            Command(
                """
                INSERT INTO sync.erasure (space_id, app, subject_hash)
                VALUES ($1, $2, sync.subject_hash($2, $3)) ON CONFLICT DO NOTHING
                """, [.id(space), .text(app), .text(subject?.text)]),
            Command(
                """
                WITH gone AS (DELETE FROM sync.invitation WHERE space_id = $1 AND app = $2 RETURNING 1)
                SELECT 'sync.invitation', count(*) FROM gone HAVING count(*) > 0
                """, [.id(space), .text(app)]),
            Command(
                """
                WITH gone AS (DELETE FROM sync.member WHERE space_id = $1 AND app = $2 RETURNING 1)
                SELECT 'sync.member', count(*) FROM gone HAVING count(*) > 0
                """, [.id(space), .text(app)]),
        ]
    }

    /// Reads the time at which the erasure of the space began, as `(begun)`. The command returns no row if the space
    /// was not erased, or if the mark that it was erased has been removed.
    package func reading(_ space: ID) -> Command {
        Command(
            "SELECT begun_at FROM sync.erasure WHERE space_id = $1 AND app = $2", [.id(space), .text(app)])
    }

    /// Removes up to `rowsMax` rows of the space. The command returns `(table, rows)` for each table from which it
    /// removed rows, so it returns no row if none are left.
    package func removing(_ rowsMax: Int, of space: ID) -> Command {
        Command(
            "SELECT table_name, row_count FROM sync.erase_rows($1, $2, $3)",
            [.text(app), .id(space), .int(Int64(rowsMax))])
    }

    /// Empties the row of the erased space, in the database that serves it. Only a mark is left that says that the
    /// space was erased.
    ///
    /// Requests in the space that are still running are refused from then on. A request may proceed only if the number
    /// of times that rights in the space were revoked is still the number that it read at first. This number becomes
    /// -1, which no request has read.
    package func emptying(_ space: ID) -> Command {
        Command(
            """
            UPDATE sync.space SET created_at = to_timestamp(0), head = 0, horizon = 0, swept = 0, cleared = 0,
                era = NULL, ended_eras = NULL, clamped = false, judged = false, record_size = 0, records = 0,
                bytes = 0, counted_head = 0, records_max = NULL, bytes_max = NULL, rights = -1
            WHERE space_id = $1 AND app = $2
            """, [.id(space), .text(app)])
    }

    /// Records in the directory that the erasure of the space is complete.
    package func completing(_ space: ID) -> [Command] {
        [
            Command(
                "DELETE FROM sync.revocation WHERE space_id = $1 AND app = $2", [.id(space), .text(app)]),
            Command(
                "UPDATE sync.erasure SET ended_at = now() WHERE space_id = $1 AND app = $2 AND ended_at IS NULL",
                [.id(space), .text(app)]),
        ]
    }

    /// Records that tokens of an identity provider can name any space id. From then on, the marks of erased spaces are
    /// kept forever. If the mark of an erased space were removed, such a token could create the space again.
    package static let expectingNamedSpaces: Command = "SELECT sync.expect_named_spaces()"

    /// Removes the marks of accounts and spaces whose erasure ended before `time`. Of the marks of spaces, it removes
    /// at most `rowsMax`, and only those of spaces that a member erased. Runs outside of any space. Returns the number
    /// of spaces whose marks were removed.
    package func forgetting(endedBefore time: Timestamp, rowsMax: Int) -> Command {
        Command(
            "SELECT sync.forget_erasures($1, $2, $3)", [.text(app), .timestamp(time), .int(Int64(rowsMax))])
    }

    /// Lists the spaces whose erasure began before a time and has not ended. Runs outside of any space.
    package func listing(begunBefore time: Timestamp) -> Command {
        Command("SELECT space_id FROM sync.list_erasing($1, $2)", [.text(app), .timestamp(time)])
    }
}
