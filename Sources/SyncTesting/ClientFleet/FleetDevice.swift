import StrictJSON
import SyncClient
import WireFormats

/// A build of an app on one device of a fleet, with the values that the test expects it to keep.
struct FleetDevice {
    let number: Int
    /// The device's version, as an index in the plan's shapes.
    var version: Int
    var process: ClientProcess
    var isRunning = false
    /// The difference between the device's clock and the machine's, in milliseconds; positive if the device's is ahead.
    var aheadMilliseconds: Int64 = 0
    /// The records that the device has made or received, by the entity's index in the hub (the shape of the server's
    /// tables).
    var seen: [Int: [RecordID]] = [:]
    /// The records that no other device edits, by the entity's index in the hub (the shape of the server's tables).
    var own: [Int: [RecordID: Own]] = [:]

    /// A record that only one device edits, with the values that the device must show at a check.
    struct Own {
        /// The values by attribute in the device's version. Attributes that the device has not written are missing.
        var fields: [String: Value]
        var isDeleted = false
        /// True if a change of the record lost against a later one: the deletion of a record to which it belonged, or a
        /// change by the same device.
        var hasLost = false
    }

    /// A change by a user, with the values that the device must show once it has accepted the change.
    struct Step {
        let change: OutgoingChange
        let entity: Int
        let isOwn: Bool
    }

    /// Records a change that the device's build has accepted.
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

    /// Records the changes that did not take effect, as a build reports after a sync.
    ///
    /// - Parameter answer: the answer to `sync`.
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
