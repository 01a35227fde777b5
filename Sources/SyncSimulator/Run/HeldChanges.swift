import SyncModel
import WireFormats

/// The changes that the server reported as held in quarantine, until an operator replays them.
struct HeldChanges {
    struct Held {
        let change: Change
        /// The stamp with which the server merges the change: the change's own, or its replacement.
        let stamp: Stamp
        let sender: ID
        let isWhole: Bool
        /// The possible sets of values that the change only repeats: its device had read them, so they are no edits.
        let readings: Set<ModelReading>
    }

    private var changes: [Name: Held] = [:]
    /// Changes without a stamp. The server gives such a change another stamp each time that it arrives.
    private var unstamped: [Name: Held] = [:]
    /// Changes that may be held, although the server never reported it to the simulation. The first answer was lost,
    /// and the retry was reported as merged because of a later change.
    private var possible: [Name: Held] = [:]

    /// The properties of a change that `syncserver quarantine list` reports. They identify the change, because a device
    /// gives each change another stamp.
    struct Name: Hashable {
        let device: ID
        let entity: String
        let record: ID
        let operation: String
        /// The stamp with which the server merges the change: the change's own, or its replacement.
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

    /// Records a held change.
    ///
    /// - Parameter stamp: the stamp with which the server merges it: the change's own, or its replacement.
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

    /// Removes and returns the held change with this name, with the stamp that the server gave it.
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

    /// Removes and returns the changes in the operator's list, by their numbers in the list. Throws if the list does
    /// not contain exactly the changes that are held.
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
