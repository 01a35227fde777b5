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

    var begin: Command {
        switch self {
        case .readWrite: TransactionMode.beginReadWrite
        case .readOnly: TransactionMode.beginReadOnly
        case .snapshot: TransactionMode.beginSnapshot
        case .serializable: TransactionMode.beginSerializable
        }
    }

    private static let beginReadWrite: Command = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    private static let beginReadOnly: Command = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
    private static let beginSnapshot: Command = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    private static let beginSerializable: Command = "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE"

    var mayWrite: Bool {
        switch self {
        case .readWrite, .serializable: true
        case .readOnly, .snapshot: false
        }
    }
}
