import PGMigrations
import PGStore
package import Postgres

/// The database, reached with the login that owns the tables: operations use it for what the serving role may not do.
package struct OwnerDatabase: Sendable {
    private let string: ConnectionString

    package init(_ string: ConnectionString) {
        self.string = string
    }

    /// Passes a session to `body`.
    ///
    /// - Throws: `NotOwner`, if the login was the reason; the errors of `DatabaseFitness`, if a setting was; the errors
    ///   of `body`.
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

    /// Records an action in the audit, for an operation that ran in the serving role.
    ///
    /// - Parameter detail: numbers and ids, never a secret or a subject.
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

    /// The error, or its cause if the cause is a setting or the wrong login.
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

/// The outcome of recording an action in the audit.
package enum AuditEntry: Sendable {
    case written
    /// The login does not own the tables, so the action was performed and is not in the audit.
    case notPermitted
}

/// The error of an operation that needs the login which owns the tables. Its text names that login.
package struct NotOwner: Error, Hashable, CustomStringConvertible {
    package let description: String
}
