import PGStore
import PlantedBugs
package import Postgres
package import WireFormats

/// One app's sync: pushes and pulls of its spaces, in any of its versions.
///
/// What depends on the plan only is compiled once: the tables' statements here, at start; a version's page query and
/// encoders when a device first speaks it (`PageViews`).
package final class SyncEngine: Sendable {
    package let plan: Plan
    let pool: Pool
    package let clock: HybridClock
    let store: AppStore
    let transactions: SpaceTransactions
    let cursors: CursorRules
    let pushes: PushRunner
    private let heads: HeadReader
    /// `nil` of a page that must be read alone.
    private let smallPulls: SharedTurns<Pull, Result<Pull.Page, any Error>?>
    let recentHeads = RecentHeads()
    let tombstones: Tombstones
    /// Who is told which versions are in use; `nil` where nobody is served.
    package let census: Census.Taker?
    /// Who is told which spaces moved; `nil` where nobody listens, here or elsewhere.
    let moved: MovedSpaces?
    let massDeletions: MassDeletions
    /// Where large pages are read; `nil`: from the primary, as all else.
    let standby: Standby?
    /// What versions could not be told.
    package let readFaults: ReadFaults
    /// Which versions may still be used.
    package let lives = KnownLives()
    /// By shape: how its clients state it.
    package let names: [String]
    private let views: PageViews

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

    /// - Parameters:
    ///   - level: how many of the app's migrations are known; 0 takes part in no deploy.
    ///   - claimed: how many of them whoever serves what this engine writes must know; `level` where it is not given.
    ///   - quotas: asked at each push, as an operator may change them meanwhile.
    package init(
        plan: Plan, pool: Pool, level: Int = 0, claiming claimed: Int? = nil, clock: HybridClock = HybridClock(),
        massDeletions: MassDeletions.Limits = MassDeletions.Limits(), readFaults: ReadFaults = ReadFaults(),
        census: Census.Taker? = nil, moved: MovedSpaces? = nil, returning: ReturningBudget = ReturningBudget(),
        quotas: @escaping @Sendable () -> Quotas = { Quotas() }, standby: Standby? = nil
    ) {
        self.plan = plan
        names = plan.shapes.indices.map { plan.name(of: $0).description }
        cursors = CursorRules(plan)
        self.moved = moved
        self.census = census
        self.standby = standby
        self.pool = pool
        self.clock = clock
        let tables = plan.hub.entities.map { RecordTable($0, schema: plan.hub.schema) }
        let spaces = Spaces(app: plan.app, level: level, claiming: claimed)
        let projections = plan.projections.map { $0.compactMap { $0 } }
        store = AppStore(
            app: plan.app, hub: plan.hub, tables: tables,
            readers: plan.hub.entities.map { entity in
                projections.flatMap { $0.filter { $0.entity == entity.index } }
            }, spaces: spaces, returning: returning, currentQuotas: quotas)
        transactions = SpaceTransactions(pool: pool)
        // Half of the sessions, so that the other half is there for what is not small.
        let (slowTurnsMax, waitMax) = (pool.limits.sessionsMax / 2, pool.limits.waitMax)
        pushes = PushRunner(
            store: store, groups: .ofSpaces(waitMax: waitMax),
            smallGroups: .ofSmall(slowTurnsMax: slowTurnsMax, waitMax: waitMax), transactions: transactions)
        smallPulls = .ofSmall(slowTurnsMax: slowTurnsMax, waitMax: waitMax)
        heads = HeadReader(pool: pool, spaces: spaces)
        tombstones = Tombstones(plan.hub, tables: tables)
        self.readFaults = readFaults
        self.massDeletions = MassDeletions(massDeletions, tables: tables)
        views = PageViews(plan, tables: tables, faults: readFaults)
    }

    /// Who is in the app's spaces.
    package var sharing: SpaceSharing { SpaceSharing(app: plan.app, pool: pool, quotas: store.quotas) }
    /// What erases them.
    package var erasing: Erasing { Erasing(app: plan.app, pool: pool) }

    /// By place in `Hub.entities`, the values of a record of which nothing was said but its deletion.
    ///
    /// - Throws: where the newest version that has an entity cannot make one.
    func blanks() throws(LensFailure) -> [[Value]] {
        var blanks: [[Value]] = []
        for readers in store.readers {
            guard let newest = readers.last else { preconditionFailure("An entity of the hub is some version's.") }
            blanks.append(
                try newest.create([], id: ID(high: 0, low: 0), createdAt: Timestamp(microseconds: 0)))
        }
        return blanks
    }

    /// Who asks, in which version, about which space.
    package struct Caller: Sendable {
        package let space: ID
        /// Whose token it came with: what the census asks.
        package let subject: Subject
        /// A place in `plan.shapes`.
        package let version: Int
        /// Without a device, nothing is withheld as the device's own.
        package let device: ID?
        package let mode: ChangeMode
        /// Whether it says by a fingerprint that it means this shape and no other of its number.
        package let statesFingerprint: Bool
        /// Whether what it pushes may be taken.
        package let mayWrite: Bool
        /// The count of rights that the space must have where this is done, see `SpaceState.rights`; `nil` for any.
        package let rights: Int64?
        /// True where none of its fields is sent back as it was read, so that each is an edit.
        package let repeatsNothing: Bool

        package init(
            space: ID, subject: Subject = "", version: Int, device: ID?, mode: ChangeMode = .patch,
            statesFingerprint: Bool = true,
            mayWrite: Bool = true, rights: Int64? = nil, repeatsNothing: Bool = false
        ) {
            self.space = space
            self.subject = subject
            self.version = version
            self.device = device
            self.mode = mode
            self.statesFingerprint = statesFingerprint
            self.mayWrite = mayWrite
            self.rights = rights
            self.repeatsNothing = repeatsNothing
        }
    }

    /// One page of a space.
    package struct PullResult: Sendable {
        /// The records' JSON objects, comma-separated.
        package let changes: [UInt8]
        /// How many those are.
        package let count: Int
        package let cursor: Cursor
        package let more: Bool
        package let head: Int64

        /// An empty page, after which there is more: the device pulls once more from `cursor`.
        package static func interrupted(at cursor: Cursor, head: Int64) -> PullResult {
            PullResult(changes: [], count: 0, cursor: cursor, more: true, head: head)
        }
    }

    /// The next page of the caller's space after `cursor`, in the caller's version.
    ///
    /// - Parameter withStamps: whether each record comes with all its stamps.
    /// - Throws: `SyncError`, `PGError`.
    package func pull(
        after cursor: Cursor?, limit: Int, withStamps: Bool = false, as caller: Caller
    ) async throws -> PullResult {
        if let cursor, cursors.renames(cursor, caller) {
            _ = try await head(for: cursor, caller)
            throw SyncError.cursorExpired
        }
        // From nothing, as many as there may be.
        var ahead = Int64.max
        let noted = recentHeads.head(of: caller.space) ?? 0
        if let cursor, cursors.isPlain(cursor, caller) {
            // In the middle of a walk there is more, and after a push that came by here.
            var head = max(cursor.head, noted)
            if cursor.seq >= head {
                let isBelieved = PlantedBug.headRemembered.isPlanted && noted > 0
                if !isBelieved { head = try await self.head(for: cursor, caller) }
                if cursor.seq == head {
                    return PullResult(changes: [], count: 0, cursor: cursor, more: false, head: head)
                }
            }
            ahead = head - cursor.seq
        }
        let pull = Pull(
            view: views.whole(of: caller.version), spaces: store.spaces, app: plan.app, space: caller.space,
            rights: caller.rights,
            cursor: cursor,
            start: start(from: cursor, caller), limit: max(1, min(limit, SyncEngine.pageRecordsMax)),
            withStamps: withStamps)
        let page = try await page(pull, ahead: ahead)
        // What was noted before the page was read is not later, unless a backup was restored under this process.
        if noted > page.head { recentHeads.note(caller.space, head: page.head) }
        return PullResult(
            changes: page.changes, count: page.count, cursor: cursors.advanced(cursor, by: page, caller),
            more: page.more,
            head: page.head)
    }

    private func page(_ pull: Pull, ahead: Int64) async throws -> Pull.Page {
        if let standby, ahead >= Standby.numbersMin {
            // Also in the middle of a walk, because the device may have been told meanwhile how far the space is.
            let head = try await state(of: pull.space, rights: pull.rights).head
            let found = await standby.page(upTo: head) { [self] transactions in
                try await page(pull, ahead: ahead, transactions)
            }
            if let found { return found }
        }
        return try await page(pull, ahead: ahead, transactions)
    }

    private func page(_ pull: Pull, ahead: Int64, _ transactions: SpaceTransactions) async throws -> Pull.Page {
        guard pull.suitsWindows(ahead: ahead) else {
            return try await transactions.run(.snapshot, in: pull.space) { try pull.list(on: $0) }
        }
        var page = try await windows(pull, ahead: ahead, transactions)
        if page.isThin, page.count == 0 {
            // A wide gap: what was there has been rewritten since.
            let gap = page.seq
            page = try await transactions.run(.snapshot, in: pull.space) { try pull.readWindows(behind: gap, on: $0) }
        }
        if !page.isThin { return page }
        return try await transactions.run(.snapshot, in: pull.space) { [page] in
            try pull.list(completing: page, on: $0)
        }
    }

    private func windows(_ pull: Pull, ahead: Int64, _ transactions: SpaceTransactions) async throws -> Pull.Page {
        if ahead <= Pull.smallMax {
            let small = pull.small(sharedBy: SharedTurns<Pull, Pull.Page>.smallMax)
            let page = try await smallPulls.run(small) { pulls, _ in
                do {
                    return try await transactions.run(.snapshot, in: pulls[0].space) { session in
                        try Pull.readWindows(of: pulls, on: session)
                    }
                } catch  where pulls.count > 1 {
                    // Whose it is meets it again.
                    return pulls.map { _ in nil }
                }
            }
            if let page { return try page.get() }
        }
        return try await transactions.run(.snapshot, in: pull.space) { session in
            try Pull.readWindows(of: [pull], on: session)[0].get()
        }
    }

    /// The space's head, where the device may go on from `cursor`.
    private func head(for cursor: Cursor, _ caller: Caller) async throws -> Int64 {
        let state = try await state(of: caller.space, rights: caller.rights)
        try cursor.check(against: state, app: plan.app, space: caller.space)
        return state.head
    }

    private func start(from cursor: Cursor?, _ caller: Caller) -> Pull.Start {
        switch cursors.start(from: cursor, caller) {
        case .nothing: .nothing
        case .after(let seq, let acknowledged): .after(seq: seq, acknowledged: acknowledged)
        case .widening(let older, let walked, let seq):
            .widening(views.update(from: older, to: caller.version), walked: walked, seq: seq)
        }
    }

    /// Where a space stands.
    ///
    /// - Throws: `SyncError.outdated`, `SyncError.rightsChanged`, `PGError`.
    private func state(of space: ID, rights: Int64?) async throws -> SpaceState {
        let state = try await transactions.repeating { [self] in try await heads.state(of: space) }
        try store.spaces.check(state, rights: rights)
        return state
    }

    /// What events tell of the caller's space.
    ///
    /// - Throws: `SyncError.outdated`, `SyncError.rightsChanged`, `PGError`.
    package func standing(for caller: Caller) async throws -> SpaceHead {
        SpaceHead(try await state(of: caller.space, rights: caller.rights))
    }

    /// Tells if somebody has made the space, or pushed into it.
    ///
    /// - Throws: `PGError`.
    package func hasSpace(_ space: ID) async throws -> Bool {
        try await transactions.ask(store.spaces.readingHeads([space])).intIfPresent(0, 0) != nil
    }

    /// The heads of these spaces, in their order, each with whether a newer server has written there.
    ///
    /// - Throws: `PGError`.
    package func heads(of spaces: [ID]) async throws -> [(head: SpaceHead, isOutdated: Bool)] {
        let rows = try await transactions.ask(store.spaces.readingHeads(spaces))
        return spaces.indices.map { place in
            let state = SpaceState(rows, place, rights: 6)
            return (SpaceHead(state), (try? store.spaces.check(state, rights: nil)) == nil)
        }
    }

    /// The transactions of pushes, and the pushes in them.
    package var pushCounts: SharedCounts { pushes.counts }
    /// Pushes that wait for others.
    package var pushesWaiting: Int { pushes.waitingCount }
}
