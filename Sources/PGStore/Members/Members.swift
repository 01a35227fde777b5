package import WireFormats

/// The statements on `sync.member`: who is in an app's spaces. Those on one space run in a transaction that entered it.
package struct Members: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// Somebody in a space.
    package struct Row: Sendable {
        package let subject: String
        package let role: String
        package let isPersonal: Bool
        package let since: Timestamp

        /// - Parameter rows: what `listing` returned.
        package static func all(_ rows: Rows) -> [Row] {
            (0..<rows.count).map {
                Row(
                    subject: rows.string($0, 0), role: rows.string($0, 1), isPersonal: rows.bool($0, 2),
                    since: rows.timestamp($0, 3))
            }
        }
    }

    /// A space that a subject is in.
    package struct JoinedRow: Sendable {
        package let space: ID
        package let role: String
        package let isPersonal: Bool
        package let since: Timestamp
        /// How many are in it, and how many of them own it.
        package let members: Int
        package let owners: Int

        /// - Parameter rows: what `listingSpaces` returned.
        package static func all(_ rows: Rows) -> [JoinedRow] {
            (0..<rows.count).map {
                JoinedRow(
                    space: rows.id($0, 0), role: rows.string($0, 1), isPersonal: rows.bool($0, 2),
                    since: rows.timestamp($0, 3), members: Int(rows.int($0, 4)), owners: Int(rows.int($0, 5)))
            }
        }
    }

    /// Lets no other transaction change who is in the space until this one ends.
    package func locking(_ space: ID) -> Command {
        Command("SELECT sync.lock_members($1)", [.id(space)])
    }

    /// Returns `Row`s, the longest there first.
    package func listing(_ space: ID) -> Command {
        Command(
            """
            SELECT subject, role, is_personal, since FROM sync.member
            WHERE space_id = $1 AND app = $2 ORDER BY since, subject
            """, [.id(space), .text(app)])
    }

    /// Outside of any space: returns `JoinedRow`s, the oldest first.
    package func listingSpaces(of subject: String) -> Command {
        Command(
            "SELECT space_id, role, is_personal, since, members, owners FROM sync.list_spaces($1, $2)",
            [.text(app), .text(subject)])
    }

    /// Adds a member who is none; of two personal spaces of a subject the second is not made.
    package func adding(_ subject: String, as role: String, isPersonal: Bool, to space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.member (space_id, app, subject, role, is_personal) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT DO NOTHING
            """, [.id(space), .text(app), .text(subject), .text(role), .bool(isPersonal)])
    }

    package func changing(_ subject: String, to role: String, in space: ID) -> Command {
        Command(
            "UPDATE sync.member SET role = $4 WHERE space_id = $1 AND app = $2 AND subject = $3",
            [.id(space), .text(app), .text(subject), .text(role)])
    }

    package func removing(_ subject: String, from space: ID) -> Command {
        Command(
            "DELETE FROM sync.member WHERE space_id = $1 AND app = $2 AND subject = $3",
            [.id(space), .text(app), .text(subject)])
    }

    /// Outside of any space: removes what is kept of a subject itself. Returns `(table, rows)`.
    package func forgetting(_ subject: String) -> Command {
        Command(
            "SELECT table_name, row_count FROM sync.forget_subject($1, $2)", [.text(app), .text(subject)])
    }
}
