package import Postgres
package import WireFormats

/// The statements on the count of revocations (withdrawals of members' rights) in a space. The directory counts them in
/// `sync.revocation`, beside the members. The row of the space in `sync.space`, which may be in another database, has
/// the count that its database was told last; pushes and pulls read it there.
package struct Revocations: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// Reads the count in the directory, in a transaction that has entered the space. Returns one number; no row if
    /// nobody ever lost rights.
    package func reading(_ space: ID) -> Command {
        Command(
            "SELECT count FROM sync.revocation WHERE space_id = $1 AND app = $2", [.id(space), .text(app)])
    }

    /// Stores the count in the space's row, in the database that serves the space, unless the row has a higher one.
    /// Creates the row if the space has none yet.
    package func taking(_ count: Int64, in space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.space AS s (space_id, app, record_size, records, bytes, counted_head, rights)
            VALUES ($1, $2, 0, 0, 0, 0, $3)
            ON CONFLICT (space_id, app) DO UPDATE SET rights = excluded.rights
            WHERE s.rights BETWEEN 0 AND excluded.rights - 1
            """, [.id(space), .text(app), .int(count)])
    }

    /// Stores in the directory that the space's database was told this count.
    package func told(_ count: Int64, in space: ID) -> Command {
        Command(
            """
            UPDATE sync.revocation SET told = $3 WHERE space_id = $1 AND app = $2 AND told < $3
            """, [.id(space), .text(app), .int(count)])
    }

    /// Lists spaces whose database was not told the latest count yet, at most `limit`. Runs outside of any space.
    package func listingUntold(_ limit: Int) -> Command {
        Command("SELECT space_id FROM sync.list_untold($1, $2)", [.text(app), .int(Int64(limit))])
    }
}
