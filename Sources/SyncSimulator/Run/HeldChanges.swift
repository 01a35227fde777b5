import SyncModel
import WireFormats

/// What the server said that it holds, until its operator has it replayed.
struct HeldChanges {
    typealias Held = (change: Change, stamp: Stamp, device: ID)

    private var changes: [Name: Held] = [:]
    /// What may be held: the first answer was lost, and the retry found it merged by what came after it.
    private var possible: [Name: Held] = [:]

    /// What the operator is told of a change, which is enough to recognise it: a device makes each with another stamp.
    struct Name: Hashable {
        let device: ID
        let entity: String
        let record: ID
        let operation: String
        /// The one that counts.
        let stamp: Int64
    }

    /// - Parameter stamp: the one that counts.
    mutating func take(_ change: Change, at stamp: Stamp, of device: ID) {
        changes[name(change, stamp, device)] = (change, stamp, device)
    }

    mutating func suspect(_ change: Change, at stamp: Stamp, of device: ID) {
        possible[name(change, stamp, device)] = (change, stamp, device)
    }

    private func name(_ change: Change, _ stamp: Stamp, _ device: ID) -> Name {
        Name(
            device: device, entity: change.key.entity, record: change.key.id, operation: change.operation.rawValue,
            stamp: stamp.rawValue)
    }

    /// Takes out what the operator was told, by its number there: exactly what was held.
    mutating func takeOut(_ entries: [Site.HeldEntry]) throws -> [Int64: Held] {
        var found: [Int64: Held] = [:]
        var creations: Set<ID> = []
        for entry in entries {
            guard let held = changes.removeValue(forKey: entry.name) ?? possible[entry.name] else {
                throw Breach("nobody was told that this is held: \(entry.name)")
            }
            found[entry.id] = held
            if held.change.operation == .create { creations.insert(held.change.key.id) }
            guard entry.code != "behind-held" || creations.contains(held.change.key.id) else {
                throw Breach("held behind a creation that is not: \(held.change)")
            }
        }
        if let lost = changes.values.first {
            throw Breach("a held change is not in the quarantine: \(lost.change)")
        }
        return found
    }
}
