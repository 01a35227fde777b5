import PGMigrations
import PGStore
package import Postgres

/// The database, opened with the login that owns the tables. Operations use it for statements that the role which
/// serves requests is not permitted to run.
package struct OwnerDatabase: Sendable {
    private let string: ConnectionString

    package init(_ string: ConnectionString) {
        self.string = string
    }

    /// Opens a session, passes it to `body`, and closes it.
    ///
    /// - Throws: the errors of `body`, with two exceptions. `NotOwner` replaces the error of a statement for which the
    ///   login lacks the rights because it does not own the tables. An error of `DatabaseFitness` replaces the error of
    ///   a statement that failed because of a database setting, and names the setting.
    package func withSession<Value>(_ body: (Session) async throws -> Value) async throws -> Value {
        let session = try await Session.open(string)
        do {
            let value = try await body(session)
            await session.close()
            return value
        } catch {
            let cause = await OwnerDatabase.explained(error, session)
            await session.close()
            throw cause
        }
    }

    /// Records an action in the audit log. It is for an operation that made its changes in other sessions, in the role
    /// that serves requests.
    ///
    /// - Parameter detail: numbers and ids, never a secret or a subject.
    /// - Returns: `written`; or `notPermitted` if the login does not own the tables, in which case no error is thrown.
    package func note(_ action: String, app: String?, _ detail: String) async throws -> AuditEntry {
        do {
            try await withSession { session in
                _ = try await session.execute(OperatorEvents.noting(action, app: app, detail: detail))
            }
            return .written
        } catch is NotOwner {
            return .notPermitted
        }
    }

    /// Returns the cause of an error: a setting of the database, or a login that does not own the tables. If neither is
    /// the cause, returns the error itself.
    private static func explained(_ error: any Error, _ session: Session) async -> any Error {
        switch error {
        case PGError.readOnly, PGError.insufficientPrivilege: break
        default: return error
        }
        do {
            try await DatabaseFitness.check(session)
            guard case PGError.insufficientPrivilege = error else { return error }
            let rights = try await LoginRights.read(session)
            return rights.mayActAsOwner ? error : NotOwner(description: rights.notOwner)
        } catch {
            return error
        }
    }
}

/// The outcome of recording an action in the audit log.
package enum AuditEntry: Sendable {
    case written
    /// An action that was performed but is not in the audit log, because the login does not own the tables.
    case notPermitted
}

/// The error of an operation that needs the login which owns the tables. `description` names that login.
package struct NotOwner: Error, Hashable, CustomStringConvertible {
    package let description: String
}
