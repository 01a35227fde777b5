package import Postgres
package import WireFormats

/// The statements on `sync.member`: who is in an app's spaces. Those on one space run in a transaction that entered it.
package struct Members: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// Somebody in a space.
    package struct Row: Sendable {
        package let subject: Subject
        package let role: String
        package let isPersonal: Bool
        package let since: Timestamp

        /// - Parameter rows: what `listing` returned.
        package static func all(_ rows: Rows) -> [Row] {
            (0..<rows.count).map {
                Row(
                    subject: Subject(rows.string($0, 0)), role: rows.string($0, 1), isPersonal: rows.bool($0, 2),
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
    package func listingSpaces(of subject: Subject) -> Command {
        Command(
            "SELECT space_id, role, is_personal, since, members, owners FROM sync.list_spaces($1, $2)",
            [.text(app), .text(subject.text)])
    }

    /// Outside of any space: lets what a subject makes, accepts and ends go one after the other, until the transaction
    /// ends. Never after `locking`.
    package func locking(_ subject: Subject) -> Command {
        Command("SELECT sync.lock_subject($1, $2)", [.text(app), .text(subject.text)])
    }

    /// Outside of any space: asks whether a token still stands for the subject. Returns one row with one Boolean.
    ///
    /// - Parameters:
    ///   - hash: the token's SHA-256.
    ///   - issued: when an identity provider issued it; `nil` for one of our own.
    package func asking(_ subject: Subject, token hash: [UInt8], issued: Timestamp?) -> Command {
        Command(
            "SELECT sync.stands_for($1, $2, $3, $4)",
            [.text(app), .text(subject.text), .bytes(hash), .timestamp(issued)])
    }

    /// Outside of any space: counts the spaces that a subject is in, and those that it erased within a day. Returns one
    /// number.
    package func counting(_ subject: Subject) -> Command {
        Command("SELECT sync.count_spaces($1, $2)", [.text(app), .text(subject.text)])
    }

    /// Adds a member who is none; of two personal spaces of a subject the second is not made.
    package func adding(_ subject: Subject, as role: String, isPersonal: Bool, to space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.member (space_id, app, subject, role, is_personal) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT DO NOTHING
            """, [.id(space), .text(app), .text(subject.text), .text(role), .bool(isPersonal)])
    }

    package func changing(_ subject: Subject, to role: String, in space: ID) -> Command {
        Command(
            "UPDATE sync.member SET role = $4 WHERE space_id = $1 AND app = $2 AND subject = $3",
            [.id(space), .text(app), .text(subject.text), .text(role)])
    }

    package func removing(_ subject: Subject, from space: ID) -> Command {
        Command(
            "DELETE FROM sync.member WHERE space_id = $1 AND app = $2 AND subject = $3",
            [.id(space), .text(app), .text(subject.text)])
    }

    /// The same, returning `(table, rows)`.
    package func leaving(_ subject: Subject, _ space: ID) -> Command {
        Command(
            """
            WITH gone AS (DELETE FROM sync.member WHERE space_id = $1 AND app = $2 AND subject = $3 RETURNING 1)
            SELECT 'sync.member', count(*) FROM gone HAVING count(*) > 0
            """, [.id(space), .text(app), .text(subject.text)])
    }

    /// Outside of any space: ends the account of a subject that is in no space any more. Its tokens go if `token` is
    /// one of them. Returns `(table, rows)`.
    ///
    /// - Parameters:
    ///   - token: the SHA-256 of the token by which it is asked; `nil` of an operator.
    ///   - issued: when an identity provider issued that token; `nil` for one of our own.
    package func forgetting(_ subject: Subject, token: [UInt8]?, issued: Timestamp?) -> Command {
        Command(
            "SELECT table_name, row_count FROM sync.forget_account($1, $2, $3, $4)",
            [.text(app), .text(subject.text), .bytes(token), .timestamp(issued)])
    }

}
