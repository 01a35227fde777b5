import SyncClient
import WireFormats

/// A build of an app's own on one device of a fleet, with what it must not lose.
struct FleetDevice {
    let number: Int
    /// A place in the plan's shapes.
    var version: Int
    var process: ClientProcess
    var isRunning = false
    /// What its clock shows more than the machine's.
    var aheadMilliseconds: Int64 = 0
    /// Records that it has made or was told of, by entity of the hub.
    var seen: [Int: [RecordID]] = [:]
    /// Records that nobody else edits, by entity of the hub.
    var own: [Int: [RecordID: Own]] = [:]

    /// A record of which its device must find what it wrote.
    struct Own {
        /// By attribute in the device's version; only those that were written in it.
        var fields: [String: Value]
        var isDeleted = false
        /// Whether a change of it lost against a later one: perhaps a deletion that took it along, else one of its own.
        var hasLost = false
    }

    /// A change, and what must hold once the device has answered for it.
    struct Step {
        let change: OutgoingChange
        let entity: Int
        let isOwn: Bool
    }

    /// What was answered for is kept from now on.
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

    /// Notes what a build says of changes that did not take effect.
    ///
    /// - Parameter answer: to `sync`.
    mutating func note(refusedIn answer: JSONNode) {
        for refused in answer["refused"]?.elements.map(Array.init) ?? [] {
            guard let id = refused["id"]?.string.map({ RecordID($0) }) else { continue }
            for entity in own.keys {
                if refused["verdict"]?.string == "superseded" {
                    own[entity]?[id]?.hasLost = true
                } else {
                    // What it would have made of the record is not known any more.
                    own[entity]?[id] = nil
                }
            }
        }
    }
}
