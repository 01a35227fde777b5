/// The form in which an app sends its user's changes.
enum Manner: CaseIterable {
    /// Sends only the attributes that the user changed (patches).
    case patches
    /// Sends only the changed attributes, and gives the changes no stamps, as a device without a reliable clock does.
    case unstamped
    /// Sends all attributes of a record as if the user had changed each of them, because the app cannot send patches.
    case echoes
    /// Sends all attributes of a record, and declares in the request that its changes are whole records.
    case wholes

    /// Returns the manner of the device at index `number` of the fleet.
    init(of number: Int, _ faults: Set<Fault>) {
        self = Manner.allCases[number % Manner.allCases.count]
        if self == .unstamped && !faults.contains(.unstamped) || self == .wholes && !faults.contains(.whole) {
            self = .patches
        }
    }
}
