package import Postgres
package import WireFormats

/// The statements on `sync.invitation`. Those on one space run in a transaction that entered it.
package struct Invitations: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// One that nobody has accepted yet.
    package struct Row: Sendable {
        package let id: ID
        package let role: String
        package let madeBy: Subject
        package let madeAt: Timestamp
        package let expiresAt: Timestamp

        /// - Parameter rows: what `making` or `listing` returned.
        package static func all(_ rows: Rows) -> [Row] {
            (0..<rows.count).map {
                Row(
                    id: rows.id($0, 0), role: rows.string($0, 1), madeBy: Subject(rows.string($0, 2)),
                    madeAt: rows.timestamp($0, 3), expiresAt: rows.timestamp($0, 4))
            }
        }
    }

    /// Makes one, unless the space has `countMax` already, of which the expired do not count. Returns a `Row`.
    package func making(
        _ secretHash: [UInt8], role: String, by subject: Subject, seconds: Int64, countMax: Int, to space: ID
    ) -> Command {
        Command(
            """
            INSERT INTO sync.invitation (space_id, app, secret_hash, role, made_by, expires_at)
            SELECT $1, $2, $3, $4, $5, now() + make_interval(secs => $6)
            WHERE (SELECT count(*) FROM sync.invitation WHERE space_id = $1 AND app = $2 AND expires_at > now()) < $7
            RETURNING invitation_id, role, made_by, made_at, expires_at
            """,
            [
                .id(space), .text(app), .bytes(secretHash), .text(role), .text(subject.text), .double(Double(seconds)),
                .int(Int64(countMax)),
            ])
    }

    /// Returns `Row`s.
    package func listing(_ space: ID) -> Command {
        Command(
            """
            SELECT invitation_id, role, made_by, made_at, expires_at FROM sync.invitation
            WHERE space_id = $1 AND app = $2 AND expires_at > now() ORDER BY made_at, invitation_id
            """, [.id(space), .text(app)])
    }

    package func withdrawing(_ invitation: ID, to space: ID) -> Command {
        Command(
            "DELETE FROM sync.invitation WHERE space_id = $1 AND app = $2 AND invitation_id = $3",
            [.id(space), .text(app), .id(invitation)])
    }

    /// Withdraws what a subject offered. Returns `(table, rows)` where there was something.
    package func withdrawing(madeBy subject: Subject, to space: ID) -> Command {
        Command(
            """
            WITH gone AS (
                DELETE FROM sync.invitation WHERE space_id = $1 AND app = $2 AND made_by = $3 RETURNING 1
            )
            SELECT 'sync.invitation', count(*) FROM gone HAVING count(*) > 0
            """, [.id(space), .text(app), .text(subject.text)])
    }

    package func withdrawingExpired(to space: ID) -> Command {
        Command(
            "DELETE FROM sync.invitation WHERE space_id = $1 AND app = $2 AND expires_at <= now()",
            [.id(space), .text(app)])
    }

    /// Outside of any space: takes one up. Returns `(space, role)`; no row where the secret is none, and no role where
    /// the space has as many members, or the subject as many spaces, as there may be.
    package func accepting(
        _ secretHash: [UInt8], by subject: Subject, membersMax: Int, spacesMax: Int
    ) -> Command {
        Command(
            "SELECT space_id, role FROM sync.accept_invitation($1, $2, $3, $4, $5)",
            [
                .text(app), .bytes(secretHash), .text(subject.text), .int(Int64(membersMax)), .int(Int64(spacesMax)),
            ])
    }
}
