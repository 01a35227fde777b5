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

    /// Closes the space: what is under way in it ends first, and nothing follows.
    package func closing(_ space: ID) -> [Command] {
        [
            Command(
                """
                INSERT INTO sync.space AS s (space_id, app, record_size, level) VALUES ($1, $2, 0, $3)
                ON CONFLICT (space_id, app) DO UPDATE SET level = excluded.level
                """, [.id(space), .text(app), .int(Erasures.level)]),
            Command(
                "INSERT INTO sync.erasure (space_id, app) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [.id(space), .text(app)]),
        ]
    }

    /// Removes up to `rowsMax` rows. Returns `(table, rows)`, none once all are gone.
    package func removing(_ rowsMax: Int, of space: ID) -> Command {
        Command(
            "SELECT table_name, row_count FROM sync.erase_rows($1, $2, $3)",
            [.text(app), .id(space), .int(Int64(rowsMax))])
    }

    /// Notes that nothing is left but that there was a space.
    package func completing(_ space: ID) -> [Command] {
        [
            Command(
                """
                UPDATE sync.space SET head = 0, horizon = 0, swept = 0, era = NULL, ended_eras = NULL, clamped = false
                WHERE space_id = $1 AND app = $2
                """, [.id(space), .text(app)]),
            Command(
                """
                UPDATE sync.erasure SET ended_at = now() WHERE space_id = $1 AND app = $2 AND ended_at IS NULL
                """, [.id(space), .text(app)]),
        ]
    }

    /// Outside of any space: those whose erasure was begun before then, and has not ended.
    package func listing(begunBefore time: Timestamp) -> Command {
        Command("SELECT space_id FROM sync.list_erasing($1, $2)", [.text(app), .timestamp(time)])
    }
}
