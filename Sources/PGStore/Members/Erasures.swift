package import Postgres
package import WireFormats

/// The statements that erase a space. All but `listing` run in a transaction that has entered the space.
package struct Erasures: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// The level that marks an erased space. A level is the count of migrations that a server must know to use a space.
    /// No server reaches this one, so no server of any release reads or writes the space.
    package static let level = Int64(Int32.max)

    /// Closes the space, under the lock of its members. Transactions in the space end first, and no further one begins.
    /// From then on the space has no members and no invitations.
    ///
    /// - Parameter subject: the subject that erases the space, so that the space still counts among the subject's
    ///   spaces for a while; `nil` for an operator.
    /// - Returns: commands. Each of them from index `closingCount` on returns `(table, rows)` if it removed rows.
    package func closing(_ space: ID, by subject: Subject?) -> [Command] {
        [
            Command(
                """
                INSERT INTO sync.space AS s (space_id, app, record_size, level) VALUES ($1, $2, 0, $3)
                ON CONFLICT (space_id, app) DO UPDATE SET level = excluded.level
                """, [.id(space), .text(app), .int(Erasures.level)]),
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

    /// Reads the time at which the space was erased. Returns `(begun)`; no row if it was not, or if its mark is
    /// forgotten.
    package func reading(_ space: ID) -> Command {
        Command(
            "SELECT begun_at FROM sync.erasure WHERE space_id = $1 AND app = $2", [.id(space), .text(app)])
    }

    /// The count of commands at the beginning of `closing` that return nothing.
    package static let closingCount = 2

    /// Removes up to `rowsMax` rows. Returns `(table, rows)`, none once all are gone.
    package func removing(_ rowsMax: Int, of space: ID) -> Command {
        Command(
            "SELECT table_name, row_count FROM sync.erase_rows($1, $2, $3)",
            [.text(app), .id(space), .int(Int64(rowsMax))])
    }

    /// Records that the erasure is complete, so that only the mark of the space is left. The space's count of
    /// revocations becomes -1, which no caller's rights can have been read with.
    package func completing(_ space: ID) -> [Command] {
        [
            Command(
                """
                UPDATE sync.space SET created_at = to_timestamp(0), head = 0, horizon = 0, swept = 0, cleared = 0,
                    era = NULL, ended_eras = NULL, clamped = false, judged = false, record_size = 0, records = 0,
                    bytes = 0, counted_head = 0, records_max = NULL, bytes_max = NULL, rights = -1
                WHERE space_id = $1 AND app = $2
                """, [.id(space), .text(app)]),
            Command(
                """
                UPDATE sync.erasure SET ended_at = now() WHERE space_id = $1 AND app = $2 AND ended_at IS NULL
                """, [.id(space), .text(app)]),
        ]
    }

    /// Records that tokens of identity providers may name any space. From then on the mark of an erased space is never
    /// removed, because such a token could name the space again.
    package static let expectingNamedSpaces: Command = "SELECT sync.expect_named_spaces()"

    /// Removes old marks: those of erased accounts, and up to `rowsMax` of spaces that a member erased. Runs outside of
    /// any space. Returns the count of the spaces' marks.
    package func forgetting(endedBefore time: Timestamp, rowsMax: Int) -> Command {
        Command(
            "SELECT sync.forget_erasures($1, $2, $3)", [.text(app), .timestamp(time), .int(Int64(rowsMax))])
    }

    /// Lists the spaces whose erasure began before a time and has not ended. Runs outside of any space.
    package func listing(begunBefore time: Timestamp) -> Command {
        Command("SELECT space_id FROM sync.list_erasing($1, $2)", [.text(app), .timestamp(time)])
    }
}
