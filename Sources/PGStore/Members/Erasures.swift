package import Postgres
package import WireFormats

/// The statements that erase a space. All but `listing` run in a transaction that entered it.
package struct Erasures: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// A space that is erased has this level, which no server reaches: so none of them, of whatever release, reads or
    /// writes it.
    package static let level = Int64(Int32.max)

    /// Closes the space, under the lock of its members: what is under way in it ends first, and nothing follows. Nobody
    /// is in it from then on, nor invited.
    ///
    /// - Parameter subject: who erases it, so that this counts among its spaces for a while; `nil` of an operator.
    /// - Returns: commands, of which each from `closingCount` on returns `(table, rows)` where there were some.
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

    /// When the space was erased. Returns `(begun)`; nothing where it was not, or where that is forgotten.
    package func reading(_ space: ID) -> Command {
        Command(
            "SELECT begun_at FROM sync.erasure WHERE space_id = $1 AND app = $2", [.id(space), .text(app)])
    }

    /// How many of the commands of `closing` return nothing.
    package static let closingCount = 2

    /// Removes up to `rowsMax` rows. Returns `(table, rows)`, none once all are gone.
    package func removing(_ rowsMax: Int, of space: ID) -> Command {
        Command(
            "SELECT table_name, row_count FROM sync.erase_rows($1, $2, $3)",
            [.text(app), .id(space), .int(Int64(rowsMax))])
    }

    /// Notes that nothing is left but that there was a space. Its count of rights is none that anybody's were read
    /// with.
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

    /// Says that tokens of identity providers may name any space, so that none loses its mark.
    package static let expectingNamedSpaces: Command = "SELECT sync.expect_named_spaces()"

    /// Outside of any space: removes up to `rowsMax` marks of spaces that a member erased, and those of accounts.
    /// Returns how many spaces.
    package func forgetting(endedBefore time: Timestamp, rowsMax: Int) -> Command {
        Command(
            "SELECT sync.forget_erasures($1, $2, $3)", [.text(app), .timestamp(time), .int(Int64(rowsMax))])
    }

    /// Outside of any space: those whose erasure was begun before then, and has not ended.
    package func listing(begunBefore time: Timestamp) -> Command {
        Command("SELECT space_id FROM sync.list_erasing($1, $2)", [.text(app), .timestamp(time)])
    }
}
