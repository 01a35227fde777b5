import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// Applies the increments of one push to counters: each once, however often and late it is sent.
///
/// A counter is the sum of all increments that were ever applied, so their order does not matter. Which those are is
/// remembered by record, device and stamp.
struct Counting {
    private let hub: Hub
    private let device: ID
    private let mode: ChangeMode
    /// Before this push and by it.
    private var applied: Set<Spaces.Increment> = []
    /// By this push.
    private var added: [Spaces.Increment] = []

    /// Of what creations begin with: several devices may tell of one creation.
    private static let nobody = ID(high: 0, low: 0)
    /// Of the other changes without a device. What a version sets that knows no counter may have a creation's stamp,
    /// and must not pass for it.
    private static let anonymous = ID(high: 0, low: 1)

    init(hub: Hub, device: ID?, mode: ChangeMode) {
        self.hub = hub
        self.device = device ?? Counting.anonymous
        self.mode = mode
    }

    /// Reads which increments of changes that count were applied before. Asks nothing where there are none.
    mutating func lookUp(
        _ changes: [(index: Int, change: Change, stamp: Stamp)], _ spaces: Spaces, _ space: ID,
        _ session: isolated Session
    ) throws {
        let counted = changes.filter { $0.change.stamp != nil }
        let stamps = counted.map(\.stamp)
        guard let first = stamps.min(), let last = stamps.max() else { return }
        let rows = try session.execute(
            spaces.recallingIncrements(
                of: Set(counted.map(\.change.id)), from: first, through: last, by: [device, Counting.nobody], in: space)
        )
        for row in 0..<rows.count { applied.insert(Spaces.Increment(rows, row)) }
    }

    /// What the counts of one change come to, before anything is done.
    struct Step {
        /// The new values by column, and the units that they belong to.
        fileprivate var values: [Int: Int64] = [:]
        fileprivate var units: Set<Int> = []
        fileprivate var increments: [Spaces.Increment] = []
        /// Counters, as the change's version names them, that were counted later than an older version set them.
        fileprivate(set) var kept: [String] = []
        /// Whether any counted, now or before.
        fileprivate(set) var hasWon = false

        fileprivate mutating func note(_ value: Int64, of field: Projection.Field) {
            values[field.column] = value
            units.insert(field.unit)
        }
    }

    /// - Parameters:
    ///   - sent: the change's stamp as the device sent it.
    ///   - stamp: the one that stands for it.
    ///   - begins: whether the record begins anew, of which its device repeats nothing.
    func step(
        for change: Change, sent: Stamp, at stamp: Stamp, on state: RecordState, begins: Bool = false
    ) throws(Rejection) -> Step {
        var step = Step()
        if change.counts.isEmpty { return step }
        let entity = hub.entities[change.projection.entity]
        for count in change.counts {
            let field = change.projection.fields[count.field]
            let increment = Spaces.Increment(
                entity: entity.table, attribute: entity.columns[field.column].name, record: change.id,
                device: count.isBeginning ? Counting.nobody : device, stamp: sent)
            step.hasWon = true
            // One without a stamp is another each time; and two servers may give two of them one time.
            let isRecognizable = change.stamp != nil
            if isRecognizable, applied.contains(increment) { continue }
            // What stood when it became a counter has all of it.
            let floor =
                PlantedBug.decidedCountsAgain.isPlanted ? .never : state.stamps.floor(of: field.unit, in: entity)
            if stamp <= floor, count.isBeginning || stamp == floor, !count.isIncrement { continue }
            guard case .int(let current) = state.values[field.column] else { continue }
            let now = step.values[field.column] ?? current
            let (next, isOver): (Int64, Bool)
            switch count.amount {
            case .beginning(let amount):
                // Of a whole record that is there, what it repeats says nothing.
                let isSaid = state.stamps[field.unit] != .never
                if mode == .imported, isSaid {
                    // Another change of its export has said so; the creation that arrives late is a part of it.
                    if amount != now { continue }
                    if stamp > state.stamps[field.unit] { step.note(now, of: field) }
                    if isRecognizable { step.increments.append(increment) }
                    continue
                }
                if mode == .whole && !begins && isSaid && amount == current { continue }
                (next, isOver) = now.addingReportingOverflow(amount)
            case .increment(let amount):
                (next, isOver) = now.addingReportingOverflow(amount)
            case .total(let total):
                if mode == .whole, total == current { continue }
                // What was added before a deletion and came after the record began anew has an earlier stamp than that:
                // to say with it what stands is to say it again.
                if total == now, stamp < floor, stamp >= state.stamps[field.unit] { continue }
                if stamp < max(state.stamps[field.unit], floor) {
                    step.kept.append(field.name)
                    continue
                }
                (next, isOver) = (total, false)
            }
            if isOver {
                throw Rejection(
                    code: .counterOverflow,
                    detail: "\(field.name) is \(now), and with this increment it would not fit in 64 bits.")
            }
            step.note(next, of: field)
            if isRecognizable { step.increments.append(increment) }
        }
        if step.kept.count == change.counts.count { step.hasWon = false }
        return step
    }

    mutating func take(_ step: Step, at stamp: Stamp, into state: inout RecordState, in entity: HubEntity) {
        // Most changes count nothing. To append nothing to an empty array makes a new one.
        if step.values.isEmpty, step.increments.isEmpty { return }
        for (column, value) in step.values { state.values[column] = .int(value) }
        for unit in step.units {
            state.stamps.noteFloor(state.stamps.floor(of: unit, in: entity), of: unit, in: entity)
            state.stamps[unit] = max(state.stamps[unit], stamp)
        }
        applied.formUnion(step.increments)
        added += step.increments
    }

    /// Remembers what the push applied; `nil` where that is nothing.
    func remembering(_ spaces: Spaces, at time: Stamp, in space: ID) -> Command? {
        added.isEmpty ? nil : spaces.remembering(added, at: time, in: space)
    }
}
