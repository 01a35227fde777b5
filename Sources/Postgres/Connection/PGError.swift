/// An error of PostgreSQL or of the pool: one case for each reaction that a caller may need.
///
/// The property `description` is safe to send to an unauthenticated client. `logText` is safe to log, and includes the
/// SQL. `debugDescription` includes everything that the server reported, even values.
package indirect enum PGError: Error {
    /// No session could be opened: wrong address, server down, or refused credentials. Nothing was run.
    case unreachable(reason: String)
    /// The text is not a connection string that libpq understands.
    case invalidConnectionString(reason: String)
    /// The server has no free connection (53300). Try later.
    case tooManyConnections(ServerReport)
    /// The connection broke; the transaction, if any, did not commit. Retry on another session.
    case connectionLost(reason: String)
    /// The connection broke after COMMIT was sent and before the answer arrived, so the outcome is unknown. Repeat the
    /// transaction only if it is idempotent.
    case commitUnknown(reason: String)
    /// A concurrent transaction won (40001). Retry the whole transaction.
    case serialization(ServerReport)
    /// The transaction was chosen as the victim of a deadlock (40P01). Retry the whole transaction.
    case deadlock(ServerReport)
    /// A table's columns changed under a prepared statement (0A000). Retry: the session has forgotten its statements.
    case stalePlan(ServerReport)
    /// A table's column has another type than this release reads, as after a migration of a later release. No value of
    /// the rows was read.
    case changedTable(ServerReport)
    /// `lock_timeout` ran out, or a statement with NOWAIT found a lock (55P03).
    case lockTimeout(ServerReport)
    /// `statement_timeout` ran out, or an administrator cancelled the statement (57014).
    case statementTimeout(ServerReport)
    case uniqueViolation(constraint: String, ServerReport)
    /// A constraint was violated that is not a unique constraint (class 23).
    case constraintViolation(constraint: String, ServerReport)
    /// The role may not do this (42501), or row-level security refused it.
    case insufficientPrivilege(ServerReport)
    /// A write in a read-only transaction or on a standby (25006).
    case readOnly(ServerReport)
    /// The server's disk is full, or fails (53100, 58030). Nothing can be written until an administrator acts; reading
    /// may go on.
    case diskFull(ServerReport)
    /// Memory, or another bounded resource of the server, ran out (class 53). Try later.
    case outOfResources(ServerReport)
    /// A value was sent that the type of its column or parameter cannot hold (class 22).
    case invalidInput(ServerReport)
    /// The closure of a transaction went on after a statement in it had failed, so COMMIT rolled the transaction back.
    case transactionAborted
    /// The transaction failed with `cause`, and rolling it back then failed with `rollback`. The session is closed.
    case rollbackFailed(cause: any Error, rollback: PGError)
    /// Any error of the server that has no case of its own. It is a bug of this program, or a mistake of its operator.
    case statement(ServerReport)
    /// No session came free within the pool's wait limit.
    case poolTimeout
    /// The pool's limit of waiting callers is reached. Refuse the request at once.
    case poolOverloaded
    case poolClosed
    /// The task was cancelled while it waited.
    case cancelled
}

extension PGError {
    /// True if the same transaction, run again, can succeed. False for `commitUnknown`: only the caller knows if
    /// repeating is safe.
    package var isRetryable: Bool {
        switch self {
        case .serialization, .deadlock, .stalePlan, .connectionLost: true
        default: false
        }
    }

    /// True if a new session may not have this error, so that the session with the error must not be used again. In
    /// such an error, the database server is read-only, or reports an internal error (class XX).
    var spoilsSession: Bool {
        switch self {
        case .readOnly: true
        case .statement(let report): report.sqlState.hasPrefix("XX")
        default: false
        }
    }

    /// True if a table, a schema or a function does not exist: `undefined_table`, `invalid_schema_name`,
    /// `undefined_function` (manual, Appendix A).
    package var isMissingTable: Bool { ["42P01", "3F000", "42883"].contains(report?.sqlState) }

    /// True if the database's tables differ from those that this release was built for. A table or column is missing, a
    /// column has another type, or it does not accept the values (`undefined_table`, `undefined_column`,
    /// `changedTable`, `datatype_mismatch`).
    package var isOfOtherTables: Bool {
        switch self {
        case .changedTable: true
        case .statement(let report): ["42703", "42P01", "42804"].contains(report.sqlState)
        case .rollbackFailed(let cause as PGError, _): cause.isOfOtherTables
        default: false
        }
    }

    /// The server's report, if there is one.
    package var report: ServerReport? {
        switch self {
        case .tooManyConnections(let report), .serialization(let report), .deadlock(let report), .stalePlan(let report),
            .changedTable(let report), .lockTimeout(let report), .statementTimeout(let report),
            .uniqueViolation(_, let report),
            .constraintViolation(_, let report), .insufficientPrivilege(let report), .readOnly(let report),
            .diskFull(let report), .outOfResources(let report), .invalidInput(let report), .statement(let report):
            report
        case .unreachable, .invalidConnectionString, .connectionLost, .commitUnknown, .transactionAborted,
            .rollbackFailed, .poolTimeout, .poolOverloaded, .poolClosed, .cancelled:
            nil
        }
    }
}

extension PGError: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        switch self {
        case .unreachable: "The database cannot be reached."
        case .invalidConnectionString: "The database's connection string is not valid."
        case .tooManyConnections: "The database has no free connection."
        case .connectionLost: "The connection to the database was lost."
        case .commitUnknown: "The connection to the database was lost while committing; the outcome is not known."
        case .serialization, .deadlock: "A concurrent change got in the way."
        case .stalePlan: "The database's tables changed meanwhile."
        case .changedTable: "The database's tables are not those that this release reads."
        case .lockTimeout: "Waiting for a lock took too long."
        case .statementTimeout: "The database took too long."
        case .uniqueViolation: "Such a record exists already."
        case .constraintViolation: "A rule of the database refused the change."
        case .insufficientPrivilege: "The database refused access."
        case .readOnly: "The database is read-only."
        case .diskFull: "The database has no room left on its disk."
        case .outOfResources: "The database has run out of memory or another resource."
        case .invalidInput: "The database cannot hold a value."
        case .transactionAborted: "The transaction was rolled back because a part of it had failed."
        case .rollbackFailed(let cause as PGError, _): cause.description
        case .rollbackFailed: "The transaction failed and could not be rolled back."
        case .statement: "The database refused a statement."
        case .poolTimeout: "No database session came free in time."
        case .poolOverloaded: "Too many requests wait for the database."
        case .poolClosed: "The database is being closed."
        case .cancelled: "Cancelled."
        }
    }

    package var debugDescription: String {
        switch self {
        case .unreachable(let reason), .invalidConnectionString(let reason), .connectionLost(let reason),
            .commitUnknown(let reason):
            "\(description) \(reason)"
        case .rollbackFailed(let cause, let rollback):
            "\(String(reflecting: cause)); then the rollback failed: \(rollback.debugDescription)"
        default:
            if let report { "\(description) \(report.debugDescription)" } else { description }
        }
    }
}
