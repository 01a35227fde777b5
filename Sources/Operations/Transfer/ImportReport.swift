import SyncEngine
import WireFormats

/// The counts and faults of an import.
package struct ImportReport: Hashable, Sendable {
    /// Records that now equal the file's, at least in part, and did not before.
    package var imported = 0
    /// Records that equalled the file's already, or did when they were deleted.
    package var unchanged = 0
    /// Records in the file that a later edit or a deletion in the space overrules.
    package var overruled = 0
    /// The records that were not imported, in the order of the file.
    package var faults: [ImportFault] = []

    package init() {}

    /// Counts one record.
    ///
    /// - Parameter verdicts: the verdicts on all changes of the record.
    /// - Returns: whether the record was accepted, or is held until it can be.
    mutating func count(_ verdicts: some Collection<Verdict>, at position: Int) -> Bool {
        var (isNews, isOverruled) = (false, false)
        for verdict in verdicts {
            switch verdict {
            case .applied, .merged: isNews = true
            case .unchanged: break
            case .superseded: isOverruled = true
            case .rejected(let rejection):
                let reason = "\(rejection.code.rawValue): \(rejection.detail)"
                faults.append(ImportFault(position: position, reason: reason))
                return false
            case .held(let holding):
                let reason = "held (\(holding.code.rawValue)): it waits for ‘syncserver quarantine replay’"
                faults.append(ImportFault(position: position, reason: reason))
                return true
            }
        }
        if isNews {
            imported += 1
        } else if isOverruled {
            overruled += 1
        } else {
            unchanged += 1
        }
        return true
    }
}
