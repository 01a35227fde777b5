/// The way in which an app sends its user's changes.
enum Manner: CaseIterable {
    /// Only the attributes that the user changed (patches), with stamps.
    case patches
    /// Only the attributes that the user changed, without stamps, as from a device that has no reliable clock.
    case unstamped
    /// All attributes of the record, as if the user had changed each of them, because the app cannot send patches.
    case echoes
    /// All attributes of the record, with a header that declares the changes as whole records.
    case wholes

    /// Chooses the way for the device at this index of the fleet. If the faults exclude it, the device sends patches.
    init(of number: Int, _ faults: Set<Fault>) {
        self = Manner.allCases[number % Manner.allCases.count]
        if self == .unstamped && !faults.contains(.unstamped) || self == .wholes && !faults.contains(.whole) {
            self = .patches
        }
    }
}
