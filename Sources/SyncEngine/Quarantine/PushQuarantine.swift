import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// The part of the quarantine that one push changes, in the push's own transaction: it puts changes into quarantine,
/// leaves them there, or removes them after they are merged.
struct PushQuarantine: Sendable {
    private let table: QuarantineTable
    private let shapes: [Schema]
    /// The reasons why changes are in quarantine instead of being merged, by index in the request.
    private(set) var reasons: [Int: QuarantineReason] = [:]
    /// The JSON bytes of the changes that enter quarantine with this push, by index in the request.
    private var texts: [Int: [UInt8]] = [:]
    /// In a replay (the later merging of quarantined changes): the id of each change in the quarantine, by index in the
    /// push.
    private let replayed: [Int: Int64]
    /// In a replay (the later merging of quarantined changes): the reasons for changes that this server cannot parse
    /// any more, by their ids in the quarantine.
    private let unreadable: [Int64: QuarantineReason]
    /// For each quarantined change, by its index in the push: the values of its record that its device had read before
    /// the change entered quarantine. Empty unless the push is a replay (the later merging of quarantined changes).
    private let readings: [Int: HeldReading]
    /// The replacements of stamps that were too far ahead of the server's clock when the quarantined changes arrived.
    /// `nil` unless the push is a replay (the later merging of these changes).
    let given: Clamps?
    private let mode: ChangeMode

    /// The most changes that a space may have in quarantine; `bytesMax` limits their bytes.
    ///
    /// If a fault affects more changes than that, it affects all devices of a version and needs an operator. Until it
    /// is repaired, the devices keep the changes in their outboxes.
    static let countMax = 1_000
    static let bytesMax = 32 << 20

    init(
        _ plan: Plan, mode: ChangeMode, replaying replayed: [Int: Int64] = [:],
        unreadable: [Int64: QuarantineReason] = [:], readings: [Int: HeldReading] = [:],
        given: Clamps? = nil
    ) {
        table = QuarantineTable(app: plan.app)
        shapes = plan.shapes
        self.replayed = replayed
        self.unreadable = unreadable
        self.readings = readings
        self.given = given
        self.mode = mode
    }

    var isReplay: Bool { given != nil }

    /// Returns the values that the device of a replayed change had read when the change entered quarantine; `nil` if
    /// they are not known.
    func reading(of index: Int) -> HeldReading? { readings.isEmpty ? nil : readings[index] }

    mutating func hold(_ holdings: [Int: QuarantineReason], texts: [Int: [UInt8]]) {
        reasons.merge(holdings) { $1 }
        self.texts.merge(texts) { $1 }
    }

    /// Returns the records that changes of this push update, although the records do not exist and their creation is in
    /// quarantine.
    ///
    /// The updates must wait for the creation. No other device knows the records, and every device would receive them
    /// with defaults only. No query is run if each record exists or is created by the push.
    func creations(
        awaitedBy changes: [(index: Int, change: Change, stamp: Stamp)], _ work: WorkingSet, _ hub: Hub, _ space: ID,
        _ session: isolated Session
    ) throws -> Set<WorkingSet.Key> {
        // Most pushes update no missing record, or none at all.
        guard changes.contains(where: { $0.change.operation == .update && !work.contains($0.change.key) }) else {
            return []
        }
        var (made, awaited) = (Set<WorkingSet.Key>(), Set<WorkingSet.Key>())
        for (index, change, _) in changes where reasons[index] == nil {
            let key = change.key
            if work.contains(key) { continue }
            if change.operation != .update {
                made.insert(key)
            } else if !made.contains(key) {
                awaited.insert(key)
            }
        }
        if awaited.isEmpty { return [] }
        let rows = try session.execute(table.heldCreations(of: Set(awaited.map(\.id)), in: space))
        var held: Set<WorkingSet.Key> = []
        for creation in QuarantineTable.HeldCreation.all(rows) {
            guard let entity = hub.entities.firstIndex(where: { $0.table == creation.table }) else { continue }
            held.insert(WorkingSet.Key(entity: entity, id: creation.record))
        }
        return held.intersection(awaited)
    }

    /// Stores the changes that enter or stay in quarantine, and removes those that a replay has merged.
    ///
    /// - Throws: `SyncError.quarantineFull`; `PGError`.
    func storeHeld(of context: PushContext, _ session: isolated Session) throws {
        let (outcome, space) = (context.outcome, context.space)
        if isReplay {
            try settleReplay(outcome, space, session)
            return
        }
        if reasons.isEmpty || PlantedBug.quarantineDropped.isPlanted { return }
        let commands = context.push.changes.compactMap { index, change, stamp -> Command? in
            guard let reason = reasons[index], let text = texts[index] else { return nil }
            let shape = shapes[change.projection.version]
            let content = QuarantinedChange.Content(
                device: context.push.device, table: context.entity(of: change.key).table,
                entity: change.projection.name, record: change.id, operation: change.operation.rawValue, sent: stamp,
                stamp: outcome.stamps[index] ?? stamp, mode: mode.rawValue, version: shape.version.description,
                fingerprint: shape.fingerprint, bytes: text, reading: context.readings[index]?.text)
            return table.holding(content, for: reason.reason, in: space)
        }
        guard let last = try session.pipeline(commands + [table.measuring(space)]).last else { return }
        let extent = QuarantineTable.Extent(last)
        guard extent.count <= PushQuarantine.countMax, extent.bytes <= PushQuarantine.bytesMax else {
            throw SyncError.quarantineFull
        }
    }

    private func settleReplay(_ outcome: Push.Outcome, _ space: ID, _ session: isolated Session) throws {
        var kept = unreadable
        var done: [Int64] = []
        for (index, id) in replayed {
            switch outcome.verdicts[index] {
            case .held(let holding): kept[id] = holding
            case .rejected(let rejection): kept[id] = QuarantineReason(rejection)
            default: done.append(id)
            }
        }
        let commands = kept.sorted { $0.key < $1.key }.map { table.keeping($0.key, for: $0.value.reason, in: space) }
        try session.pipeline(commands + [table.removing(done.sorted(), in: space)])
    }
}
