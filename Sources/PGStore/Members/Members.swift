package import Postgres
package import WireFormats

/// The statements on `sync.member`, which has the members of an app's spaces. Statements on one space run in a
/// transaction that has entered the space.
package struct Members: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// A member of a space.
    package struct Row: Sendable {
        package let subject: Subject
        package let role: String
        package let isPersonal: Bool
        package let since: Timestamp

        /// Parses the members that the command `listing` returned.
        package static func all(_ rows: Rows) -> [Row] {
            (0..<rows.count).map {
                Row(
                    subject: Subject(rows.string($0, 0)), role: rows.string($0, 1), isPersonal: rows.bool($0, 2),
                    since: rows.timestamp($0, 3))
            }
        }
    }

    /// A space of which a subject is a member.
    package struct JoinedRow: Sendable {
        package let space: ID
        package let role: String
        package let isPersonal: Bool
        package let since: Timestamp
        /// The number of all members of the space; `owners` is the number of those that are owners.
        package let members: Int
        package let owners: Int

        /// Parses the spaces that the command `listingSpaces` returned.
        package static func all(_ rows: Rows) -> [JoinedRow] {
            (0..<rows.count).map {
                JoinedRow(
                    space: rows.id($0, 0), role: rows.string($0, 1), isPersonal: rows.bool($0, 2),
                    since: rows.timestamp($0, 3), members: Int(rows.int($0, 4)), owners: Int(rows.int($0, 5)))
            }
        }
    }

    /// Takes the lock on the list of a space's members. No other transaction can change the list until this one ends.
    package func locking(_ space: ID) -> Command {
        Command("SELECT sync.lock_members($1)", [.id(space)])
    }

    /// Lists the members of a space. Returns `Row`s, those of the members who joined first at the beginning.
    package func listing(_ space: ID) -> Command {
        Command(
            """
            SELECT subject, role, is_personal, since FROM sync.member
            WHERE space_id = $1 AND app = $2 ORDER BY since, subject
            """, [.id(space), .text(app)])
    }

    /// Lists the spaces of which a subject is a member, in the order in which the memberships began. Returns a
    /// `JoinedRow` for each. Runs outside of any space.
    package func listingSpaces(of subject: Subject) -> Command {
        Command(
            "SELECT space_id, role, is_personal, since, members, owners FROM sync.list_spaces($1, $2)",
            [.text(app), .text(subject.text)])
    }

    /// Locks a subject until the transaction ends. Requests by which the subject creates a space, accepts an invitation
    /// or ends its account are thus processed one after another. Runs outside of any space.
    ///
    /// A transaction that also locks the list of a space's members must lock the subject first. Otherwise two
    /// transactions could deadlock.
    package func locking(_ subject: Subject) -> Command {
        Command("SELECT sync.lock_subject($1, $2)", [.text(app), .text(subject.text)])
    }

    /// Checks that a token is still valid for the subject. Runs outside of any space. Returns one row with one Boolean.
    ///
    /// - Parameters:
    ///   - hash: the token's SHA-256.
    ///   - issued: the time at which an identity provider issued the token; `nil` for a token that this server issued.
    package func asking(_ subject: Subject, token hash: [UInt8], issued: Timestamp?) -> Command {
        Command(
            "SELECT sync.stands_for($1, $2, $3, $4)",
            [.text(app), .text(subject.text), .bytes(hash), .timestamp(issued)])
    }

    /// Counts the spaces of which a subject is a member, and the spaces that it erased in the last day. Runs outside of
    /// any space. Returns the sum as one number.
    package func counting(_ subject: Subject) -> Command {
        Command("SELECT sync.count_spaces($1, $2)", [.text(app), .text(subject.text)])
    }

    /// Adds a member to a space. It does nothing if the subject is a member already, or if `isPersonal` is true and the
    /// subject already has a personal space.
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

    /// Removes a member from a space, and returns what was removed: `(table, rows)` with the number of rows, or no row
    /// if the subject was not a member.
    package func leaving(_ subject: Subject, _ space: ID) -> Command {
        Command(
            """
            WITH gone AS (DELETE FROM sync.member WHERE space_id = $1 AND app = $2 AND subject = $3 RETURNING 1)
            SELECT 'sync.member', count(*) FROM gone HAVING count(*) > 0
            """, [.id(space), .text(app), .text(subject.text)])
    }

    /// Marks the account of a subject as erased, and removes the subject from the entries of its devices in the census.
    /// The subject must not be a member of any space.
    ///
    /// If the request was sent with a token that this server issued, all of the subject's tokens for the app are
    /// deleted, too. Runs outside of any space. Returns `(table, rows)` with the number of deleted tokens, or no row.
    ///
    /// - Parameters:
    ///   - token: the SHA-256 of the token with which the request was sent; `nil` for an operator.
    ///   - issued: the time at which an identity provider issued that token; `nil` for a token that this server issued.
    package func forgetting(_ subject: Subject, token: [UInt8]?, issued: Timestamp?) -> Command {
        Command(
            "SELECT table_name, row_count FROM sync.forget_account($1, $2, $3, $4)",
            [.text(app), .text(subject.text), .bytes(token), .timestamp(issued)])
    }

}
