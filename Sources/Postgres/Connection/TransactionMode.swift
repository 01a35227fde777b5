/// The access mode and the isolation level of a transaction (manual, chapter 13.2 "Transaction Isolation").
package enum TransactionMode: Sendable, Hashable {
    /// READ COMMITTED, may write. Each statement sees everything that was committed before it began. Writes fail if the
    /// database is set to `default_transaction_read_only`, as some providers do when a disk is nearly full.
    case readWrite
    /// READ COMMITTED, and may not write.
    case readOnly
    /// REPEATABLE READ, and may not write: every statement sees the same snapshot of the data.
    case snapshot
    /// SERIALIZABLE, and may write as `readWrite` may; callers must be ready to repeat the transaction after
    /// `serialization`.
    case serializable

    var begin: Command {
        switch self {
        case .readWrite: TransactionMode.beginReadWrite
        case .readOnly: TransactionMode.beginReadOnly
        case .snapshot: TransactionMode.beginSnapshot
        case .serializable: TransactionMode.beginSerializable
        }
    }

    private static let beginReadWrite: Command = "BEGIN ISOLATION LEVEL READ COMMITTED"
    private static let beginReadOnly: Command = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
    private static let beginSnapshot: Command = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    private static let beginSerializable: Command = "BEGIN ISOLATION LEVEL SERIALIZABLE"

    var mayWrite: Bool {
        switch self {
        case .readWrite, .serializable: true
        case .readOnly, .snapshot: false
        }
    }
}
