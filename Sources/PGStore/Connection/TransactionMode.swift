/// What a transaction may do and which snapshots it sees (manual, chapter 13.2 "Transaction Isolation").
package enum TransactionMode: Sendable, Hashable {
    /// READ COMMITTED, may write. Each statement sees what was committed before it began.
    case readWrite
    /// READ COMMITTED, may not write.
    case readOnly
    /// REPEATABLE READ, may not write: every statement sees the same snapshot.
    case snapshot
    /// SERIALIZABLE, may write; be ready to retry.
    case serializable

    var begin: Statement {
        switch self {
        case .readWrite: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
        case .readOnly: "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE"
        }
    }

    var mayWrite: Bool {
        switch self {
        case .readWrite, .serializable: true
        case .readOnly, .snapshot: false
        }
    }
}
