package import PGStore
package import Postgres
import WireFormats

/// The audit log: the actions of operators, each with the database login that performed it.
package struct AuditLog: Sendable {
    private let session: Session

    /// - Parameter session: a session with the login that owns the tables.
    package init(_ session: Session) {
        self.session = session
    }

    /// Reads actions from the audit log, the latest first.
    ///
    /// - Parameters:
    ///   - app: the app whose actions are read; `nil` for the actions of all apps.
    ///   - age: the largest age of an action by the database's clock; `nil` for any age.
    ///   - most: the largest number of actions to return.
    /// - Throws: `PGError`.
    package func events(app: String? = nil, since age: Duration? = nil, most: Int) async throws -> [OperatorEvents.Row]
    {
        let now = try await session.currentTime()
        let since = age.map { now.adding(.zero - $0) }
        return OperatorEvents.Row.all(
            try await session.execute(OperatorEvents.listing(app: app, since: since, most: most)))
    }
}
