/// The way in which an app sends its user's changes.
enum Manner: CaseIterable {
    /// Sends only the attributes that the user changed (patches), with stamps.
    case patches
    /// Only the attributes that the user changed, without stamps, as from a device that has no reliable clock.
    case unstamped
    /// Sends all attributes of the record, as if the user had changed each of them. Apps do so if they cannot send
    /// patches.
    case echoes
    /// Sends all attributes of the record, with the header `Change-Mode: whole`.
    case wholes

    /// Chooses the manner by the device's index in the fleet. If the simulation does not have the fault that a manner
    /// needs, the device sends patches.
    init(of number: Int, _ faults: Set<Fault>) {
        self = Manner.allCases[number % Manner.allCases.count]
        if self == .unstamped && !faults.contains(.unstamped) || self == .wholes && !faults.contains(.whole) {
            self = .patches
        }
    }
}
