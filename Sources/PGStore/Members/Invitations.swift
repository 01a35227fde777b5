package import Postgres
package import WireFormats

/// The statements on the table `sync.invitation`. A statement on one space runs in a transaction that began with
/// `Spaces.entering`.
package struct Invitations: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// An invitation that nobody has accepted yet.
    package struct Row: Sendable {
        package let id: ID
        package let role: String
        package let madeBy: Subject
        package let madeAt: Timestamp
        package let expiresAt: Timestamp

        /// Parses the invitations that the command `making` or `listing` returned.
        package static func all(_ rows: Rows) -> [Row] {
            (0..<rows.count).map {
                Row(
                    id: rows.id($0, 0), role: rows.string($0, 1), madeBy: Subject(rows.string($0, 2)),
                    madeAt: rows.timestamp($0, 3), expiresAt: rows.timestamp($0, 4))
            }
        }
    }

    /// Creates an invitation, unless the space already has `countMax` invitations that have not expired. The command
    /// returns the new `Row`, or no row.
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

    /// Lists the invitations of a space that have not expired. Returns `Row`s.
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

    /// Withdraws the invitations that a subject made. Returns `(table, rows)` if there were any; otherwise no row.
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

    /// Accepts an invitation. Runs outside of any space. Returns `(space, role)`. There is no row if the secret is
    /// invalid. The role is NULL if the space already has `membersMax` members, or the subject already has `spacesMax`
    /// spaces.
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
