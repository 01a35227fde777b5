/// The form in which an app sends its user's changes.
enum Manner: CaseIterable {
    /// Sends only the attributes that the user changed.
    case patches
    /// Sends patches without stamps, as a device does that has no reliable clock.
    case unstamped
    /// Sends all attributes of a record as if the user had changed them all, because the app does not support patches.
    case echoes
    /// Sends all attributes of a record, and declares them as a whole record.
    case wholes

    /// Returns the manner of the device at index `number` of the fleet.
    init(of number: Int, _ faults: Set<Fault>) {
        self = Manner.allCases[number % Manner.allCases.count]
        if self == .unstamped && !faults.contains(.unstamped) || self == .wholes && !faults.contains(.whole) {
            self = .patches
        }
    }
}
