package import Postgres
package import WireFormats

/// The statements on what operators did. Only the owner of the tables may run them.
package enum OperatorEvents {
    /// Something that was done.
    package struct Row: Sendable, Hashable {
        package let at: Timestamp
        /// The login in the database.
        package let by: String
        /// The command, such as `token create`.
        package let action: String
        /// `nil`: about all apps.
        package let app: String?
        package let detail: String

        /// - Parameter rows: what `listing` returned.
        package static func all(_ rows: Rows) -> [Row] {
            (0..<rows.count).map {
                Row(
                    at: rows.timestamp($0, 0), by: rows.string($0, 1), action: rows.string($0, 2),
                    app: rows.stringIfPresent($0, 3), detail: rows.string($0, 4))
            }
        }
    }

    /// So many are kept, the latest: a script that makes a token for each person is bounded by it, too.
    package static let keptMax = 100_000

    /// Writes down what is done in the same transaction.
    ///
    /// - Parameter detail: numbers and ids, never a secret or a subject.
    package static func noting(_ action: String, app: String?, detail: String) -> Command {
        Command(
            """
            WITH gone AS (
                DELETE FROM sync.operator_event
                WHERE id <= (SELECT max(id) FROM sync.operator_event) - CAST($4 AS bigint)
            )
            INSERT INTO sync.operator_event (action, app, detail) VALUES ($1, $2, $3)
            """, [.text(action), .text(app), .text(detail), .int(Int64(keptMax - 1))])
    }

    /// Returns `Row`s, the latest first, with what was done to versions.
    ///
    /// - Parameters:
    ///   - app: only of this app; `nil` for all.
    ///   - since: only from then on; `nil` for all.
    ///   - most: how many at most.
    package static func listing(app: String?, since: Timestamp?, most: Int) -> Command {
        Command(
            """
            SELECT at, by, action, app, detail FROM (
                SELECT id, at, by, action, app, detail FROM sync.operator_event
                UNION ALL
                SELECT id, at, by, 'version ' || action, app,
                    version || ': ' || detail || CASE WHEN is_forced THEN ' (forced)' ELSE '' END
                FROM sync.version_event
            ) AS event
            WHERE (CAST($1 AS text) IS NULL OR app = $1 OR app IS NULL)
                AND (CAST($2 AS timestamptz) IS NULL OR at >= $2)
            ORDER BY at DESC, id DESC LIMIT $3
            """, [.text(app), .timestamp(since), .int(Int64(most))])
    }
}
