import SyncEngine
import WireFormats

/// The result of an import: the number of records with each outcome, and the records that were not imported.
package struct ImportReport: Hashable, Sendable {
    /// The number of records in which the import changed at least one attribute to the file's value.
    package var imported = 0
    /// The number of records that the import did not change, because they already had the file's values. A deleted
    /// record counts, too, if it had these values when it was deleted.
    package var unchanged = 0
    /// The number of records that were not changed because a later edit or deletion in the space wins.
    package var overruled = 0
    /// The records that were not imported, with the reasons, in the order of the file.
    package var faults: [ImportFault] = []

    package init() {}

    /// Adds an imported record to the report. The record is counted, or added to the faults if one of its changes was
    /// not merged.
    ///
    /// - Parameters:
    ///   - verdicts: the server's results for all changes of the record.
    ///   - position: the record's line or row in the file, from 1.
    /// - Returns: false if a change of the record was rejected; true if all were accepted or one is in quarantine.
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
