package import Postgres
package import WireFormats

/// The statements on the log of operators' actions. Only the owner of the tables may run them.
package enum OperatorEvents {
    /// One action of an operator.
    package struct Row: Sendable, Hashable {
        package let at: Timestamp
        /// The operator's login in the database.
        package let by: String
        /// The command, such as `token create`.
        package let action: String
        /// The app of the action; `nil` if the action concerns all apps.
        package let app: String?
        package let detail: String

        /// Parses the operators' actions that the command `listing` returned.
        package static func all(_ rows: Rows) -> [Row] {
            (0..<rows.count).map {
                Row(
                    at: rows.timestamp($0, 0), by: rows.string($0, 1), action: rows.string($0, 2),
                    app: rows.stringIfPresent($0, 3), detail: rows.string($0, 4))
            }
        }
    }

    /// The largest number of actions that are kept; older ones are deleted. The limit is needed because a script may
    /// create a token for each person.
    package static let keptMax = 100_000

    /// Logs an action in the transaction that performs it.
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

    /// Lists the actions of operators, those on versions included. Returns `Row`s, the latest first.
    ///
    /// - Parameters:
    ///   - app: lists only actions on this app; `nil` for all apps.
    ///   - since: lists only actions from this time on; `nil` for all times.
    ///   - most: the most rows.
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
