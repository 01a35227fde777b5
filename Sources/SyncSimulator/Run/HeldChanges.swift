import SyncModel
import WireFormats

/// The changes that the server reported as held in quarantine, until an operator replays them.
struct HeldChanges {
    struct Held {
        let change: Change
        /// The stamp with which the server will merge the change: the device's stamp, or the server's replacement for
        /// it.
        let stamp: Stamp
        let sender: ID
        let isWhole: Bool
        /// The possible sets of the values that the device did not edit, but sent back as it had read them.
        let readings: Set<ModelReading>
    }

    private var changes: [Name: Held] = [:]
    /// The held changes without a stamp. The server gives such a change a new stamp each time that it arrives.
    private var unstamped: [Name: Held] = [:]
    /// The changes that may be in quarantine, although no answer has reported them as held.
    ///
    /// This happens if the first answer to a push was lost, and the push is sent again. Because of a later change, the
    /// second answer may report the quarantined change as `merged`.
    private var possible: [Name: Held] = [:]

    /// The properties of a change that the output of `syncserver quarantine list` shows. Together they identify the
    /// change, because each change of a device has another stamp.
    struct Name: Hashable {
        let device: ID
        let entity: String
        let record: ID
        let operation: String
        /// The stamp with which the server will merge the change: the device's stamp, or the server's replacement for
        /// it.
        var stamp: Int64

        init(device: ID, entity: String, record: ID, operation: String, stamp: Int64) {
            (self.device, self.entity, self.record) = (device, entity, record)
            (self.operation, self.stamp) = (operation, stamp)
        }

        fileprivate init(_ change: Change, _ stamp: Stamp, _ request: Request) {
            self.init(
                device: request.sender, entity: change.key.entity, record: change.key.id,
                operation: change.operation.rawValue, stamp: stamp.rawValue)
        }
    }

    /// Records that the server has put a change into quarantine.
    ///
    /// - Parameters:
    ///   - stamp: the stamp with which the server will merge the change: the device's stamp, or the server's
    ///     replacement for it.
    ///   - readings: the possible sets of the values in the change that the device did not edit, but sent back as it
    ///     had read them.
    mutating func take(_ change: Change, at stamp: Stamp, of request: Request, _ readings: Set<ModelReading>) {
        let held = Held(
            change: change, stamp: stamp, sender: request.sender, isWhole: request.isWhole,
            readings: readings.union(changes[Name(change, stamp, request)]?.readings ?? []))
        if change.isStamped {
            changes[Name(change, stamp, request)] = held
        } else {
            unstamped[Name(change, .never, request)] = held
        }
    }

    mutating func suspect(_ change: Change, at stamp: Stamp, of request: Request, _ readings: Set<ModelReading>) {
        let held = Held(
            change: change, stamp: stamp, sender: request.sender, isWhole: request.isWhole, readings: readings)
        possible[Name(change, stamp, request)] = held
    }

    /// Removes and returns the quarantined change with this identity; `nil` if there is none.
    ///
    /// A change without a stamp gets the stamp in `name`, which the server has given it.
    private mutating func takeOut(_ name: Name) -> Held? {
        if let held = changes.removeValue(forKey: name) ?? possible[name] { return held }
        var unsaid = name
        unsaid.stamp = 0
        return unstamped[unsaid].map {
            Held(
                change: $0.change, stamp: Stamp(unchecked: name.stamp), sender: $0.sender, isWhole: $0.isWhole,
                readings: $0.readings)
        }
    }

    /// Removes the changes that the operator's list contains, and returns them by the ids that they have in this list.
    ///
    /// - Throws: `Breach` if the list does not contain exactly the changes that are held.
    mutating func takeOut(_ entries: [Site.HeldEntry]) throws -> [Int64: Held] {
        var found: [Int64: Held] = [:]
        var creations: Set<ID> = []
        for entry in entries {
            guard let held = takeOut(entry.name) else {
                throw Breach("nobody was told that this is held: \(entry.name)")
            }
            found[entry.id] = held
            if held.change.operation == .create { creations.insert(held.change.key.id) }
            guard entry.code != HoldCode.behindHeld.rawValue || creations.contains(held.change.key.id) else {
                throw Breach("held behind a creation that is not: \(held.change)")
            }
        }
        if let lost = changes.values.first {
            throw Breach("a held change is not in the quarantine: \(lost.change)")
        }
        return found
    }
}
