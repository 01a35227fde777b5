import Postgres
import SyncEngine

extension PGError {
    /// Advice to the operator on how to remove the error's cause; `nil` if there is no clear action for the operator.
    var advice: String? {
        switch self {
        case .diskFull: "Make room where PostgreSQL keeps its data, its log and temporary files."
        case .outOfResources, .tooManyConnections:
            "Give PostgreSQL's machine more memory, or lower what it may use; ‘syncserver migrate doctor’ counts"
                + " sessions."
        case .readOnly:
            "Is this the primary? Several hosts in DATABASE_URL find it. Otherwise find out who set"
                + " default_transaction_read_only."
        case .insufficientPrivilege: "‘syncserver migrate doctor’ says which privilege is missing."
        case .rollbackFailed(let cause as PGError, _): cause.advice
        case _ where isOfOtherTables:
            "A migration has changed the tables under this release, which answers 503 until it is replaced. Start the"
                + " release that the migration came with; ‘syncserver migrate status’ says which files were applied."
        case .statement(let report) where report.sqlState.hasPrefix("XX"):
            "PostgreSQL's own log says more; if files are damaged, restore a backup."
        default: nil
        }
    }

    /// True if the error usually lasts until the operator acts. It is then reported to the operator, although the
    /// client is also asked to try again.
    var needsOperator: Bool {
        switch self {
        case .diskFull, .outOfResources, .readOnly: true
        case _ where isOfOtherTables: true
        case .rollbackFailed(let cause as PGError, _): cause.needsOperator
        default: false
        }
    }
}
