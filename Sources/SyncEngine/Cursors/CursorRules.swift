import PGStore
import PlantedBugs
import WireFormats

/// What cursors mean to an app's versions: what a device has read that sends one, where it goes on, and which it gets.
struct CursorRules: Sendable {
    private let plan: Plan
    /// By shape, as cursors name it.
    private let stated: [(version: Schema.Version, fingerprint: UInt64)]
    private let answered = PlantedBug.rangesOfDevice.isPlanted ? RangesOfDevices() : nil

    init(_ plan: Plan) {
        self.plan = plan
        stated = plan.shapes.map { ($0.version, $0.fingerprintNumber) }
    }

    /// Where a pull goes on.
    enum Start {
        case nothing
        case after(seq: Int64, acknowledged: NumberRanges)
        /// What the caller's version sees more than an older shape, of what is numbered above `walked` through `seq`.
        case widening(from: Int, walked: Int64, seq: Int64)
    }

    func start(from cursor: Cursor?, _ caller: SyncEngine.Caller) -> Start {
        guard let cursor else { return .nothing }
        if isPlain(cursor, caller) { return .after(seq: cursor.seq, acknowledged: acknowledged(cursor, caller)) }
        // A device whose version went back or is not known begins anew, and so does one that was updated a second time
        // in the middle of a widening: what it has is a mixture of views.
        guard let older = older(than: caller, in: cursor) else { return .nothing }
        return .widening(from: older, walked: cursor.widening?.walked ?? 0, seq: cursor.seq)
    }

    /// Whether the device was updated from a version in which ids are UUIDs to one in which they are texts: its store
    /// may have records by keys that the version does not call them by, and must begin anew to know.
    func renames(_ cursor: Cursor, _ caller: SyncEngine.Caller) -> Bool {
        guard plan.hub.hasTextIDs, let older = older(than: caller, in: cursor) else { return false }
        return zip(plan.projections[older], plan.projections[caller.version]).contains { before, after in
            before?.identityType == .uuid && after?.identityType == .string
        }
    }

    /// What the device of `cursor` has read. In the middle of a widening nothing counts that an older version was
    /// acknowledged: the device does not have it as the newer one would.
    func reading(of cursor: Cursor, _ caller: SyncEngine.Caller) -> Reading {
        guard goesOn(from: cursor, caller) else { return .nothing }
        let acknowledged = isPlain(cursor, caller) ? acknowledged(cursor, caller) : NumberRanges()
        return .through(cursor.seq, acknowledged: acknowledged)
    }

    /// Whether it is in the caller's version, and nothing but its numbers says what comes next.
    func isPlain(_ cursor: Cursor, _ caller: SyncEngine.Caller) -> Bool {
        if cursor.widening != nil { return false }
        let place = place(cursor.version, cursor.fingerprint)
        return place == caller.version || PlantedBug.newerCursorGoesOn.isPlanted && place ?? 0 > caller.version
    }

    /// The cursor after a page.
    func advanced(_ cursor: Cursor?, by page: Pull.Page, _ caller: SyncEngine.Caller) -> Cursor {
        var next = self.cursor(
            epoch: page.epoch, era: page.space.eras.latest, seq: page.seq, head: page.head,
            cleared: cursor?.informedThrough ?? page.head, caller)
        guard let cursor else { return next }
        if isPlain(cursor, caller) { next.acknowledged = cursor.acknowledged.above(page.seq) }
        if let walked = page.walked, let older = older(than: caller, in: cursor) {
            next.widening = Cursor.Widening(from: plan.shapes[older], walked: walked)
        }
        return next
    }

    /// The cursor after a push: ahead, where the device now knows all there is; otherwise where it was.
    func advanced(_ cursor: Cursor?, by outcome: Push.Outcome, _ caller: SyncEngine.Caller) -> Cursor {
        answered?.note(caller.device, after: outcome.headBefore, through: outcome.head)
        guard let cursor, goesOn(from: cursor, caller) else {
            var first = self.cursor(
                epoch: outcome.epoch, era: outcome.era, seq: 0, head: outcome.head,
                cleared: cursor?.informedThrough ?? outcome.headBefore, caller)
            first.advance(by: outcome)
            return first
        }
        // Before a widening is over, the device does not know all there is up to its number.
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

    /// Whether a pull continues where `cursor` is, at once or after a widening.
    private func goesOn(from cursor: Cursor, _ caller: SyncEngine.Caller) -> Bool {
        isPlain(cursor, caller) || older(than: caller, in: cursor) != nil
    }

    private func acknowledged(_ cursor: Cursor, _ caller: SyncEngine.Caller) -> NumberRanges {
        answered?.ranges(of: caller.device, above: cursor.seq) ?? cursor.acknowledged
    }

    /// The older version that this cursor was read in, if the caller has been updated since.
    private func older(than caller: SyncEngine.Caller, in cursor: Cursor) -> Int? {
        let spoken = place(cursor.version, cursor.fingerprint)
        let read: Int?
        if let widening = cursor.widening {
            read = spoken == caller.version ? place(widening.version, widening.fingerprint) : nil
        } else {
            read = spoken
        }
        return read.flatMap { plan.isUpdate(from: $0, to: caller.version) ? $0 : nil }
    }

    /// The place in the plan of the shape with this number and fingerprint.
    private func place(_ version: Schema.Version, _ fingerprint: UInt64) -> Int? {
        stated.firstIndex { $0.version == version && $0.fingerprint == fingerprint }
    }
}

extension Cursor {
    /// Whether a device may go on from it in a space that stands so.
    ///
    /// - Throws: `SyncError.badCursor` for that of another space; `epochChanged` for that of another database, or of a
    ///   later state of this one; `cursorExpired` where deletions were forgotten that it has not been told of.
    func check(against state: SpaceState, app: String, space: ID) throws(SyncError) {
        guard place == Cursor.place(app: app, space: space) else { throw .badCursor }
        let isOfEpoch = epoch == state.epoch || PlantedBug.epochIgnored.isPlanted
        // What goes on after the end of its era, or is of an era that never was, is of a later state than this database
        // has: it was restored from a backup.
        let end = state.eras.end(of: PlantedBug.eraIgnored.isPlanted ? nil : era, head: state.head)
        guard isOfEpoch, let end, highestNumber <= end else { throw .epochChanged }
        guard informedThrough >= state.horizon else { throw .cursorExpired }
    }

    /// Notes that its device was acknowledged a push.
    fileprivate mutating func advance(by outcome: Push.Outcome) {
        if seq == outcome.headBefore, outcome.needsNoEcho {
            seq = outcome.head
        } else {
            acknowledged.append(after: outcome.headBefore, through: outcome.head)
        }
        (era, head) = (outcome.era, max(head, outcome.head))
    }
}
