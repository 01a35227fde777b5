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
        /// The expected values by attribute name. It has only the attributes that the device has written in its present
        /// version.
        var fields: [String: Value]
        var isDeleted = false
        /// True if a change of the record lost against a later change: another one by the same device, or the deletion
        /// of a record to which this one belonged.
        var hasLost = false
    }

    /// A change that a user makes on a device. `isOwn` is true if no other device edits the record.
    struct Step {
        let change: OutgoingChange
        let entity: Int
        let isOwn: Bool
    }

    /// Records that the device's app has stored a user's change, so that its values are expected from now on.
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

    /// Records the changes that did not take effect on the server, as the app reports them after a sync. Their values
    /// are no longer expected.
    ///
    /// - Parameter answer: the answer of the app's process to the command `sync`.
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
