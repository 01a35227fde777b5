/// How an app tells what its user did.
enum Manner: CaseIterable {
    /// What the user changed.
    case patches
    /// The same, without stamps: it has no clock that it trusts.
    case unstamped
    /// All that it holds of a record, as if the user had changed all of it: it knows no patches, and no better.
    case echoes
    /// All that it holds of a record, and says so.
    case wholes

    /// Of the device in a place of the fleet.
    init(of number: Int, _ faults: Set<Fault>) {
        self = Manner.allCases[number % Manner.allCases.count]
        if self == .unstamped && !faults.contains(.unstamped) || self == .wholes && !faults.contains(.whole) {
            self = .patches
        }
    }
}
