package import PGStore
import PlantedBugs
package import WireFormats

/// One app's sync: pushes and pulls of its spaces, in any of its versions.
///
/// Everything that depends on the plan only is compiled here, once at start: the tables' statements, and for each
/// version its page query and encoders.
package final class SyncEngine: Sendable {
    package let plan: Plan
    let pool: Pool
    let clock: HybridClock
    let tables: [RecordTable]
    let spaces: Spaces
    private let heads: HeadReader
    let recentHeads = RecentHeads()
    private let answered = PlantedBug.rangesOfDevice.isPlanted ? RangesOfDevices() : nil
    let groups: GroupCommit
    let tombstones: Tombstones
    /// Who is told which versions are in use; `nil` where nobody is served.
    let census: Census.Taker?
    /// Who is told which spaces moved; `nil` where nobody listens, here or elsewhere.
    let moved: MovedSpaces?
    let massDeletions: MassDeletions
    let returning: ReturningBudget
    /// All versions' views, by entity.
    let readers: [[Projection]]
    /// By shape: how its clients state it, and how cursors do.
    let names: [String]
    private let stated: [(version: Schema.Version, fingerprint: UInt64)]
    /// By shape.
    private let views: [Pull.View]
    /// By the shape that an update leads to, then by the one that it comes from; `nil` where the former sees nothing
    /// more.
    private let widenings: [[Pull.View?]]

    /// The most changes in one push. A push holds its space's lock; this many take well under a second.
    package static let changesMax = 5_000
    /// The most bytes that one record may have in its attributes, each form of a value counted that the tables keep. A
    /// record is read, merged and sent as a whole; pictures and files belong elsewhere, with their address in the
    /// record.
    package static let recordSizeMaxBytes = 1 << 20
    /// How much more a record may have after an edit that was larger before there was a limit: enough to change a small
    /// attribute of it.
    package static let grownMaxBytes = 16 << 10
    /// The most bytes of values that one push reads of records that are there, with what it does not need left out; one
    /// record may exceed it. A push of thousands of small records stays far below.
    package static let fetchedMaxBytes = 16 << 20
    /// The most records in one page, and how many a page has where the client does not say.
    package static let pageRecordsMax = 5_000
    package static let pageRecordsDefault = 1_000
    /// How often a transaction that lost against a concurrent one is tried before the error is passed on.
    private static let attemptsMax = 4

    /// - Parameter level: how many of the app's migrations are known; 0 takes part in no deploy.
    package init(
        plan: Plan, pool: Pool, level: Int = 0, clock: HybridClock = HybridClock(),
        massDeletions: MassDeletions.Limits = MassDeletions.Limits(), readFaults: ReadFaults = ReadFaults(),
        census: Census.Taker? = nil, moved: MovedSpaces? = nil, returning: ReturningBudget = ReturningBudget()
    ) {
        self.returning = returning
        self.plan = plan
        names = plan.shapes.indices.map { plan.name(of: $0).description }
        stated = plan.shapes.map { ($0.version, $0.fingerprintNumber) }
        self.moved = moved
        self.census = census
        self.pool = pool
        self.clock = clock
        let tables = plan.hub.entities.map { RecordTable($0, schema: plan.hub.schema) }
        self.tables = tables
        spaces = Spaces(app: plan.app, level: level)
        heads = HeadReader(pool: pool, spaces: spaces)
        groups = GroupCommit(waitMax: pool.limits.waitMax)
        tombstones = Tombstones(plan.hub, tables: tables)
        self.massDeletions = MassDeletions(massDeletions, tables: tables)
        let projections = plan.projections.map { $0.compactMap { $0 } }
        readers = plan.hub.entities.map { entity in
            projections.flatMap { $0.filter { $0.entity == entity.index } }
        }
        views = projections.map { row in
            Pull.View(
                query: PageQuery(row, tables: tables, app: plan.app),
                encoders: row.map { PageEncoder($0, table: tables[$0.entity], faults: readFaults) })
        }
        widenings = plan.shapes.indices.map { newer in
            plan.shapes.indices.map { older in
                guard plan.isUpdate(from: older, to: newer) else { return nil }
                return SyncEngine.widening(plan.widening(from: older, to: newer), tables, plan.app, readFaults)
            }
        }
    }

    /// By place in `Hub.entities`, the values of a record of which nothing was said but its deletion.
    ///
    /// - Throws: where the newest version that has an entity cannot make one.
    func blanks() throws(LensFailure) -> [[Value]] {
        var blanks: [[Value]] = []
        for readers in readers {
            guard let newest = readers.last else { preconditionFailure("An entity of the hub is some version's.") }
            blanks.append(
                try newest.create([], id: ID(high: 0, low: 0), createdAt: Timestamp(microseconds: 0)))
        }
        return blanks
    }

    private static func widening(
        _ widening: Widening, _ tables: [RecordTable], _ app: String, _ readFaults: ReadFaults
    ) -> Pull.View? {
        if widening.parts.isEmpty { return nil }
        return Pull.View(
            query: PageQuery(widening, tables: tables, app: app),
            encoders: widening.parts.map {
                PageEncoder($0.projection, table: tables[$0.projection.entity], faults: readFaults)
            })
    }

    /// Who asks, in which version, about which space.
    package struct Caller: Sendable {
        package let space: ID
        /// A place in `plan.shapes`.
        package let version: Int
        /// Without a device, nothing is withheld as the device's own.
        package let device: ID?
        package let mode: ChangeMode
        /// Whether it says by a fingerprint that it means this shape and no other of its number.
        package let statesFingerprint: Bool

        package init(
            space: ID, version: Int, device: ID?, mode: ChangeMode = .patch, statesFingerprint: Bool = true
        ) {
            self.space = space
            self.version = version
            self.device = device
            self.mode = mode
            self.statesFingerprint = statesFingerprint
        }
    }

    /// One page of a space.
    package struct PullResult: Sendable {
        /// The records' JSON objects, comma-separated.
        package let changes: [UInt8]
        package let cursor: Cursor
        package let more: Bool
        package let head: Int64
    }

    /// The next page of the caller's space after `cursor`, in the caller's version.
    ///
    /// - Parameter withStamps: whether each record comes with all its stamps.
    /// - Throws: `SyncError`, `PGError`.
    package func pull(
        after cursor: Cursor?, limit: Int, withStamps: Bool = false, as caller: Caller
    ) async throws -> PullResult {
        // From nothing, as many as there may be.
        var ahead = Int64.max
        let noted = recentHeads.head(of: caller.space) ?? 0
        if let cursor, isPlain(cursor, caller) {
            // In the middle of a walk there is more, and after a push that came by here.
            var head = max(cursor.head, noted)
            if cursor.seq >= head {
                let isBelieved = PlantedBug.headRemembered.isPlanted && noted > 0
                if !isBelieved { head = try await self.head(for: cursor, caller) }
                if cursor.seq == head {
                    return PullResult(changes: [], cursor: cursor, more: false, head: head)
                }
            }
            ahead = head - cursor.seq
        }
        let pull = Pull(
            view: views[caller.version], spaces: spaces, space: caller.space,
            start: start(from: cursor, caller), limit: max(1, min(limit, SyncEngine.pageRecordsMax)),
            withStamps: withStamps,
            admit: { [self] state in
                if let cursor { try check(cursor, state, caller) }
            })
        let page = try await page(pull, ahead: ahead)
        // What was noted before the page was read is not later, unless a backup was restored under this process.
        if noted > page.head { recentHeads.note(caller.space, head: page.head) }
        var next = self.cursor(
            epoch: page.epoch, era: page.space.eras.latest, seq: page.seq, head: page.head,
            cleared: cursor?.informedThrough ?? page.head, caller)
        if let cursor, isPlain(cursor, caller) { next.acknowledged = cursor.acknowledged.above(page.seq) }
        if let walked = page.walked, let older = cursor.flatMap({ older(than: caller, in: $0) }) {
            next.widening = Cursor.Widening(from: plan.shapes[older], walked: walked)
        }
        return PullResult(changes: page.changes, cursor: next, more: page.more, head: page.head)
    }

    private func page(_ pull: Pull, ahead: Int64) async throws -> Pull.Page {
        guard pull.suitsWindows(ahead: ahead) else {
            return try await transaction(.snapshot, in: pull.space) { try pull.list(on: $0) }
        }
        var page = try await transaction(.snapshot, in: pull.space) { try pull.readWindows(on: $0) }
        if page.isThin, page.count == 0 {
            // A wide gap: what was there has been rewritten since.
            let gap = page.seq
            page = try await transaction(.snapshot, in: pull.space) { try pull.readWindows(behind: gap, on: $0) }
        }
        if !page.isThin { return page }
        return try await transaction(.snapshot, in: pull.space) { [page] in try pull.list(completing: page, on: $0) }
    }

    /// The space's head, where the device may go on from `cursor`.
    private func head(for cursor: Cursor, _ caller: Caller) async throws -> Int64 {
        let state = try await state(of: caller.space)
        try check(cursor, state, caller)
        return state.head
    }

    /// Where a space stands.
    ///
    /// - Throws: `SyncError.outdated`, `PGError`.
    private func state(of space: ID) async throws -> SpaceState {
        let state = try await repeating { [self] in try await heads.state(of: space) }
        guard !spaces.isOutdated(for: state) else { throw SyncError.outdated }
        return state
    }

    /// What events tell of a space.
    ///
    /// - Throws: `SyncError.outdated`, `PGError`.
    func standing(of space: ID) async throws -> Standing {
        Standing(try await state(of: space))
    }

    /// Where these spaces stand, in their order.
    ///
    /// - Throws: `PGError`.
    func states(of spaces: [ID]) async throws -> [SpaceState] {
        let command = self.spaces.readingHeads(spaces)
        let rows = try await repeating { [self] in
            try await pool.withSession { session in try await session.execute(command) }
        }
        return spaces.indices.map { SpaceState(rows, $0) }
    }

    func transaction<Value: Sendable>(
        _ mode: TransactionMode = .readWrite, in space: ID, _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        try await repeating { [self] in
            let entering = mode == .snapshot ? Spaces.enteringToRead(space) : Spaces.entering(space)
            return try await pool.transaction(mode, preamble: [entering], body)
        }
    }

    /// Tries again what lost against a concurrent transaction, or a session that broke.
    private func repeating<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        var attempt = 1
        while true {
            do {
                return try await body()
            } catch let error as PGError {
                guard attempt < SyncEngine.attemptsMax, error.isRepeatable else { throw error }
                attempt += 1
            }
        }
    }

    // MARK: Cursors

    private func cursor(
        epoch: ID, era: Int64?, seq: Int64, head: Int64, cleared: Int64, _ caller: Caller
    ) -> Cursor {
        Cursor(
            epoch: epoch, era: era, seq: seq, head: head, cleared: cleared, schema: plan.shapes[caller.version],
            app: plan.app, space: caller.space)
    }

    private func start(from cursor: Cursor?, _ caller: Caller) -> Pull.Start {
        guard let cursor else { return .nothing }
        if isPlain(cursor, caller) { return .after(seq: cursor.seq, acknowledged: acknowledged(cursor, caller)) }
        // A device whose version went back or is not known begins anew, and so does one that was updated a second time
        // in the middle of a widening: what it has is a mixture of views.
        guard let older = older(than: caller, in: cursor) else { return .nothing }
        return .widening(
            widenings[caller.version][older], walked: cursor.widening?.walked ?? 0, seq: cursor.seq)
    }

    /// Whether a pull continues where `cursor` is, at once or after a widening.
    private func goesOn(from cursor: Cursor, _ caller: Caller) -> Bool {
        isPlain(cursor, caller) || older(than: caller, in: cursor) != nil
    }

    /// What the device of `cursor` has read. In the middle of a widening nothing counts that an older version was
    /// acknowledged: the device does not have it as the newer one would.
    func reading(of cursor: Cursor, _ caller: Caller) -> Reading {
        guard goesOn(from: cursor, caller) else { return .nothing }
        let acknowledged = isPlain(cursor, caller) ? acknowledged(cursor, caller) : NumberRanges()
        return .through(cursor.seq, acknowledged: acknowledged)
    }

    private func acknowledged(_ cursor: Cursor, _ caller: Caller) -> NumberRanges {
        answered?.ranges(of: caller.device, above: cursor.seq) ?? cursor.acknowledged
    }

    /// Whether it is in the caller's version, and nothing but its numbers says what comes next.
    private func isPlain(_ cursor: Cursor, _ caller: Caller) -> Bool {
        if cursor.widening != nil { return false }
        let place = place(cursor.version, cursor.fingerprint)
        return place == caller.version || PlantedBug.newerCursorGoesOn.isPlanted && place ?? 0 > caller.version
    }

    /// The older version in which the device read what the cursor has behind it, where a widening leads from there to
    /// the caller's.
    private func older(than caller: Caller, in cursor: Cursor) -> Int? {
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

    func check(_ cursor: Cursor, _ state: SpaceState, _ caller: Caller) throws {
        guard cursor.place == Cursor.place(app: plan.app, space: caller.space) else { throw SyncError.badCursor }
        let isOfEpoch = cursor.epoch == state.epoch || PlantedBug.epochIgnored.isPlanted
        // What goes on after the end of its era, or is of an era that never was, is of a later state than this database
        // has: it was restored from a backup.
        let end = state.eras.end(of: PlantedBug.eraIgnored.isPlanted ? nil : cursor.era, head: state.head)
        guard isOfEpoch, let end, cursor.highestNumber <= end else { throw SyncError.epochChanged }
        guard cursor.informedThrough >= state.horizon else { throw SyncError.cursorExpired }
    }

    /// The cursor after a push: ahead, where the device now knows all there is; otherwise where it was.
    func advanced(_ cursor: Cursor?, by outcome: Push.Outcome, _ caller: Caller) -> Cursor {
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
}

extension Cursor {
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

extension PGError {
    /// Whether a push or pull may simply be run again. Pushes are idempotent, so even an unknown outcome is no reason
    /// not to.
    fileprivate var isRepeatable: Bool {
        if case .commitUnknown = self { return true }
        return isRetryable
    }
}
