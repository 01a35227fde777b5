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

    mutating func count(_ verdict: Verdict, at place: Int) {
        switch verdict {
        case .applied, .merged: imported += 1
        case .unchanged: unchanged += 1
        case .superseded: overruled += 1
        case .rejected(let rejection):
            faults.append(ImportFault(place: place, reason: "\(rejection.code.rawValue): \(rejection.detail)"))
        case .held(let holding):
            let reason = "held (\(holding.code.rawValue)): it waits for ‘syncserver quarantine replay’"
            faults.append(ImportFault(place: place, reason: reason))
        }
    }
}
