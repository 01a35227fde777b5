import StrictJSON
import SyncClient
import WireFormats

/// A device of a fleet, with the process of its build, and with the values that the test expects the device to keep.
struct FleetDevice {
    let number: Int
    /// The device's version, as an index in the plan's `shapes`.
    var version: Int
    var process: ClientProcess
    var isRunning = false
    /// The error of the device's clock, in milliseconds; positive if it is ahead of the machine's clock.
    var aheadMilliseconds: Int64 = 0
    /// The ids of the records that the device has made or received, by the entity's index in the hub (the structure of
    /// the server's tables).
    var seen: [Int: [RecordID]] = [:]
    /// The records that no other device edits, by id, for each entity's index in the hub (the structure of the server's
    /// tables).
    var own: [Int: [RecordID: Own]] = [:]

    /// A record that only one device edits, with the values that the device must show at a check.
    struct Own {
        /// The expected values by attribute name. Attributes that the device has not written in its present version are
        /// missing.
        var fields: [String: Value]
        var isDeleted = false
        /// True if a change of the record lost against a later one: against the deletion of a record to which it
        /// belonged, or against a change by the same device.
        var hasLost = false
    }

    /// A user's change on a device, and the entity's index in the hub (the structure of the server's tables). `isOwn`
    /// is true if no other device edits the record.
    struct Step {
        let change: OutgoingChange
        let entity: Int
        let isOwn: Bool
    }

    /// Records a change that the device's build has stored.
    mutating func note(_ step: Step) {
        let id = step.change.id
        if step.change.operation == .create { seen[step.entity, default: []].append(id) }
        guard step.isOwn else { return }
        let fields = Dictionary(step.change.fields.map { ($0.name, $0.value) }) { $1 }
        switch step.change.operation {
        case .create: own[step.entity, default: [:]][id] = Own(fields: fields)
        case .update: own[step.entity]?[id]?.fields.merge(fields) { $1 }
        case .delete: own[step.entity]?[id]?.isDeleted = true
        }
    }

    /// Records which changes did not take effect on the server, as the build reports after a sync.
    ///
    /// - Parameter answer: the build's answer to `sync`.
    mutating func note(refusedIn answer: JSONNode) {
        for refused in answer["refused"]?.elements.map(Array.init) ?? [] {
            guard let id = refused["id"]?.string.map({ RecordID($0) }) else { continue }
            for entity in own.keys {
                if refused["verdict"]?.string == VerdictName.superseded.rawValue {
                    own[entity]?[id]?.hasLost = true
                } else {
                    // The effect that the change would have had on the record is not known any more.
                    own[entity]?[id] = nil
                }
            }
        }
    }
}
