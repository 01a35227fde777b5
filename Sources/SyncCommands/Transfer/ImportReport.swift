import SyncEngine

/// What became of an import.
package struct ImportReport: Hashable, Sendable {
    /// Records that are now as the file has them, at least in part, and were not before.
    package var imported = 0
    /// Records that were like that already, or were so when they were deleted.
    package var unchanged = 0
    /// Records that a later edit or a deletion in the space overrules.
    package var overruled = 0
    /// In the order of the file.
    package var faults: [ImportFault] = []

    package init() {}

    /// - Parameter verdicts: of all changes of one record.
    /// - Returns: whether the record was taken, or is held until it can be.
    mutating func count(_ verdicts: some Collection<Verdict>, at place: Int) -> Bool {
        var (isNews, isOverruled) = (false, false)
        for verdict in verdicts {
            switch verdict {
            case .applied, .merged: isNews = true
            case .unchanged: break
            case .superseded: isOverruled = true
            case .rejected(let rejection):
                let reason = "\(rejection.code.rawValue): \(rejection.detail)"
                faults.append(ImportFault(place: place, reason: reason))
                return false
            case .held(let holding):
                let reason = "held (\(holding.code.rawValue)): it waits for ‘syncserver quarantine replay’"
                faults.append(ImportFault(place: place, reason: reason))
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
