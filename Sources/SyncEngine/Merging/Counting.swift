import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// Applies the increments of one push to counters: each increment once, however often and late it is sent.
///
/// A counter is the sum of all increments that were ever applied, so their order does not matter. The applied
/// increments are remembered by record, device and stamp.
struct Counting {
    private let hub: Hub
    private let device: ID
    private let mode: ChangeMode
    /// The increments that were applied by earlier pushes or by this one.
    private var applied: Set<Spaces.Increment> = []
    /// The increments that were applied by this push.
    private var added: [Spaces.Increment] = []

    /// The device id under which the initial values of creations are remembered, whichever device sends them, because
    /// several devices may send the same creation.
    private static let nobody = ID(high: 0, low: 0)
    /// The device id under which the increments of pushes without a device are remembered, except initial values.
    ///
    /// Initial values have another id, `nobody`. Otherwise an increment with the stamp of a creation could be taken for
    /// that creation's initial value.
    private static let anonymous = ID(high: 0, low: 1)

    init(hub: Hub, device: ID?, mode: ChangeMode) {
        self.hub = hub
        self.device = device ?? Counting.anonymous
        self.mode = mode
    }

    /// Reads which increments of these changes of counters were applied before. Runs no query if there are no such
    /// changes.
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

    /// The effect of one change on counters, computed before the change is applied.
    struct Step {
        /// The new values of the counters, by index of the column.
        fileprivate var values: [Int: Int64] = [:]
        fileprivate var units: Set<Int> = []
        fileprivate var increments: [Spaces.Increment] = []
        /// The counters that do not take the total which this change sets, because they have later increments. They
        /// have the names of the change's version.
        ///
        /// A total is set by an older version, in which the attribute is not a counter.
        fileprivate(set) var kept: [String] = []
        /// True if any increment of the change was applied, now or by an earlier push.
        fileprivate(set) var hasWon = false

        fileprivate mutating func note(_ value: Int64, of field: Projection.Field) {
            values[field.column] = value
            units.insert(field.unit)
        }
    }

    /// Computes the effect of a change on the counters of a record.
    ///
    /// - Parameters:
    ///   - sent: the change's stamp as the device sent it.
    ///   - stamp: the stamp with which the change is merged, in place of the sent one.
    ///   - begins: true if the change creates a deleted record again. A value of the change then counts even if it
    ///     repeats what the device has read.
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
            // An increment without a stamp is a new one each time; and two servers may give two such increments the
            // same stamp.
            let isRecognizable = change.stamp != nil
            if isRecognizable, applied.contains(increment) { continue }
            // The value at the time when the attribute became a counter includes all earlier increments.
            let floor =
                PlantedBug.decidedCountsAgain.isPlanted ? .never : state.stamps.floor(of: field.unit, in: entity)
            if stamp <= floor, count.isBeginning || stamp == floor, !count.isIncrement { continue }
            guard case .int(let current) = state.values[field.column] else { continue }
            let now = step.values[field.column] ?? current
            let (next, isOver): (Int64, Bool)
            switch count.amount {
            case .beginning(let amount):
                // In a whole record that exists already, a repeated value means nothing.
                let isSaid = state.stamps[field.unit] != .never
                if mode == .imported, isSaid {
                    // Another change of the same export has set the value; a creation that arrives later is a part of
                    // it.
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
                // An increment from before a deletion that arrives after the record was created again has an earlier
                // stamp than the new creation. A total with that stamp that equals the current value repeats the value.
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

    /// Returns the command that stores the increments which the push applied, so that a retry does not apply them
    /// again; `nil` if there are none.
    func remembering(_ spaces: Spaces, at time: Stamp, in space: ID) -> Command? {
        added.isEmpty ? nil : spaces.remembering(added, at: time, in: space)
    }
}
