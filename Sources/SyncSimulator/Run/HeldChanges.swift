import SyncModel
import WireFormats

/// What the server said that it holds, until its operator has it replayed.
struct HeldChanges {
    struct Held {
        let change: Change
        /// The one that counts.
        let stamp: Stamp
        let sender: ID
        let isWhole: Bool
        /// The possible readings: the values that it may only repeat of what its device had read.
        let readings: Set<ModelReading>
    }

    private var changes: [Name: Held] = [:]
    /// Those without a stamp, which the server gives another each time that they arrive.
    private var unstamped: [Name: Held] = [:]
    /// What may be held: the first answer was lost, and the retry found it merged by what came after it.
    private var possible: [Name: Held] = [:]

    /// What the operator is told of a change, which is enough to recognise it: a device makes each with another stamp.
    struct Name: Hashable {
        let device: ID
        let entity: String
        let record: ID
        let operation: String
        /// The one that counts.
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

    /// - Parameter stamp: the one that counts.
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

    /// What was held under a name, with the stamp that the server gave it.
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

    /// Takes out what the operator was told, by its number there: exactly what was held.
    mutating func takeOut(_ entries: [Site.HeldEntry]) throws -> [Int64: Held] {
        var found: [Int64: Held] = [:]
        var creations: Set<ID> = []
        for entry in entries {
            guard let held = takeOut(entry.name) else {
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
