import PGStore
import PlantedBugs
import WireFormats

/// Interprets cursors for an app's versions: the records that a device has read, the start of the next pull, and the
/// cursor that the device receives next.
struct CursorRules: Sendable {
    private let plan: Plan
    /// The version and fingerprint of each shape, as cursors state them, by index in `plan.shapes`.
    private let stated: [(version: Schema.Version, fingerprint: UInt64)]
    private let answered = PlantedBug.rangesOfDevice.isPlanted ? RangesOfDevices() : nil

    init(_ plan: Plan) {
        self.plan = plan
        stated = plan.shapes.map { ($0.version, $0.fingerprintNumber) }
    }

    /// The point from which a pull continues.
    enum Start {
        case nothing
        case after(seq: Int64, acknowledged: NumberRanges)
        /// A widening: the device was updated from an older shape (`from`, an index in `plan.shapes`), and may see more
        /// of some records now. The pull sends this for the records numbered above `reached` and up to `seq`.
        case widening(from: Int, reached: Int64, seq: Int64)
    }

    func start(from cursor: Cursor?, _ caller: SyncEngine.Caller) -> Start {
        guard let cursor else { return .nothing }
        if isPlain(cursor, caller) { return .after(seq: cursor.seq, acknowledged: acknowledged(cursor, caller)) }
        // A device starts anew if its version went back or is not known. So does a device that was updated a second
        // time during a widening, because its store is a mixture of views.
        guard let older = older(than: caller, in: cursor) else { return .nothing }
        return .widening(from: older, reached: cursor.widening?.reached ?? 0, seq: cursor.seq)
    }

    /// Returns true if the device was updated from a version whose ids are UUIDs to one whose ids are texts. The device
    /// may have stored records under keys that the newer version does not use, so it must start anew.
    func renames(_ cursor: Cursor, _ caller: SyncEngine.Caller) -> Bool {
        guard plan.hub.hasTextIDs, let older = older(than: caller, in: cursor) else { return false }
        return zip(plan.projections[older], plan.projections[caller.version]).contains { before, after in
            before?.identityType == .uuid && after?.identityType == .string
        }
    }

    /// Returns the part of the space that the device of `cursor` has read. During a widening (the pull of what an app's
    /// older version could not see), pushes that the device made in the older version do not count: it does not have
    /// those records as the newer version reads them.
    func reading(of cursor: Cursor, _ caller: SyncEngine.Caller) -> ReadProgress {
        guard goesOn(from: cursor, caller) else { return .nothing }
        let acknowledged = isPlain(cursor, caller) ? acknowledged(cursor, caller) : NumberRanges()
        return .through(cursor.seq, acknowledged: acknowledged)
    }

    /// Returns true if the cursor was made for the caller's version, and no widening (the pull of what an app's older
    /// version could not see) is under way. The cursor's sequence numbers alone then determine the next records.
    func isPlain(_ cursor: Cursor, _ caller: SyncEngine.Caller) -> Bool {
        if cursor.widening != nil { return false }
        let shape = shape(cursor.version, cursor.fingerprint)
        return shape == caller.version || PlantedBug.newerCursorGoesOn.isPlanted && shape ?? 0 > caller.version
    }

    /// Returns the cursor that a device receives with a page.
    ///
    /// - Parameter cursor: the cursor that the device sent; `nil` if it sent none.
    func advanced(_ cursor: Cursor?, by page: Pull.Page, _ caller: SyncEngine.Caller) -> Cursor {
        var next = self.cursor(
            epoch: page.epoch, era: page.space.eras.latest, seq: page.seq, head: page.head,
            cleared: cursor?.informedThrough ?? page.head, caller)
        guard let cursor else { return next }
        if isPlain(cursor, caller) { next.acknowledged = cursor.acknowledged.above(page.seq) }
        if let reached = page.reached, let older = older(than: caller, in: cursor) {
            next.widening = Cursor.Widening(from: plan.shapes[older], reached: reached)
        }
        return next
    }

    /// Returns the cursor that a device receives with the answer to a push.
    ///
    /// If the device then has everything in the space, the cursor's position is the new head. Otherwise its position
    /// stays, and the push's sequence numbers are added to the acknowledged ones. During a widening (the pull of what
    /// an app's older version could not see), the cursor does not change.
    ///
    /// - Parameter cursor: the cursor that the device sent; `nil` if it sent none.
    func advanced(_ cursor: Cursor?, by outcome: Push.Outcome, _ caller: SyncEngine.Caller) -> Cursor {
        answered?.note(caller.device, after: outcome.headBefore, through: outcome.head)
        guard let cursor, goesOn(from: cursor, caller) else {
            var first = self.cursor(
                epoch: outcome.epoch, era: outcome.era, seq: 0, head: outcome.head,
                cleared: cursor?.informedThrough ?? outcome.headBefore, caller)
            first.advance(by: outcome)
            return first
        }
        // During a widening, the device does not know everything up to the cursor's number.
        guard isPlain(cursor, caller) else { return cursor }
        var next = cursor
        next.advance(by: outcome)
        return next
    }

    private func cursor(
        epoch: ID, era: Int64?, seq: Int64, head: Int64, cleared: Int64, _ caller: SyncEngine.Caller
    ) -> Cursor {
        Cursor(
            epoch: epoch, era: era, seq: seq, head: head, cleared: cleared, schema: plan.shapes[caller.version],
            app: plan.app, space: caller.space)
    }

    /// Returns true if a pull can continue from `cursor`. If the app was updated, the pull first sends what the older
    /// version could not see.
    private func goesOn(from cursor: Cursor, _ caller: SyncEngine.Caller) -> Bool {
        isPlain(cursor, caller) || older(than: caller, in: cursor) != nil
    }

    private func acknowledged(_ cursor: Cursor, _ caller: SyncEngine.Caller) -> NumberRanges {
        answered?.ranges(of: caller.device, above: cursor.seq) ?? cursor.acknowledged
    }

    /// Returns the version in which the device read its records before the app was updated, as an index in
    /// `plan.shapes`. Returns `nil` if there was no update, or if the caller's version is not an update of that
    /// version.
    private func older(than caller: SyncEngine.Caller, in cursor: Cursor) -> Int? {
        let spoken = shape(cursor.version, cursor.fingerprint)
        let read: Int?
        if let widening = cursor.widening {
            read = spoken == caller.version ? shape(widening.version, widening.fingerprint) : nil
        } else {
            read = spoken
        }
        return read.flatMap { plan.isUpdate(from: $0, to: caller.version) ? $0 : nil }
    }

    /// Returns the index in the plan of the shape with this number and fingerprint; `nil` if the plan has none.
    private func shape(_ version: Schema.Version, _ fingerprint: UInt64) -> Int? {
        stated.firstIndex { $0.version == version && $0.fingerprint == fingerprint }
    }
}

extension Cursor {
    /// Checks that a device may go on from the cursor in a space with this state.
    ///
    /// - Throws: `SyncError.badCursor` for a cursor of another space; `epochChanged` for a cursor of another database,
    ///   or of a later state of this one; `cursorExpired` if deletions were forgotten that the device has not received.
    func check(against state: SpaceState, app: String, space: ID) throws(SyncError) {
        guard spaceHash == Cursor.spaceHash(app: app, space: space) else { throw .badCursor }
        let isOfEpoch = epoch == state.epoch || PlantedBug.epochIgnored.isPlanted
        // A cursor is of a later state than this database has if it is beyond the end of its era, or of an era that
        // this space never had. Then the database was restored from a backup.
        let end = state.eras.end(of: PlantedBug.eraIgnored.isPlanted ? nil : era, head: state.head)
        guard isOfEpoch, let end, highestNumber <= end else { throw .epochChanged }
        guard informedThrough >= state.horizon else { throw .cursorExpired }
    }

    /// Updates the cursor after a push, for the device that receives it with the answer to the push.
    fileprivate mutating func advance(by outcome: Push.Outcome) {
        if seq == outcome.headBefore, outcome.needsNoEcho {
            seq = outcome.head
        } else {
            acknowledged.append(after: outcome.headBefore, through: outcome.head)
        }
        (era, head) = (outcome.era, max(head, outcome.head))
    }
}
