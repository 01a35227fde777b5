import PGStore
import PlantedBugs
import Postgres
import Synchronization
package import WireFormats

/// The sync of one app: pushes and pulls of its spaces, in any of its versions.
///
/// The statements for tables depend on the plan only, and are compiled once, at start. The page query and the encoders
/// of a version are compiled when a device first uses that version (`PageViews`).
package final class SyncEngine: Sendable {
    package let plan: Plan
    let databases: Databases
    package let clock: HybridClock
    let store: AppStore
    let cursors: CursorRules
    private let standby: Standby?
    private let moved: MovedSpaces?
    /// The queues of each database that this engine has used, by index in `databases.pools`.
    private let queues = Mutex([SpaceDatabase]())
    let tombstones: Tombstones
    /// The census, which records the versions that are in use; `nil` if the engine serves no devices.
    package let census: Census.Taker?
    let massDeletions: MassDeletions
    /// Reports of values that could not be translated into a version, and were sent as the attribute's default.
    package let readFaults: ReadFaults
    /// The lifecycle states of the app's versions, as this server knows them.
    package let lifecycles = KnownVersionStates()
    /// The name of each shape as its clients state it, by index in `plan.shapes`.
    package let names: [String]
    private let views: PageViews

    /// The most changes in one push. A push holds its space's lock; a push of this size takes well under a second.
    package static let changesMax = 5_000
    /// The most bytes of one record's attributes, 1 MiB. If the tables store a value in several forms, each of them
    /// counts. A record is read, merged and sent as a whole. Pictures and files belong elsewhere, with their address in
    /// the record.
    package static let recordSizeMaxBytes = 1 << 20
    /// The most bytes by which an edit may enlarge a record that is already over the limit, 16 KiB. Such records are
    /// older than the limit; this is enough to change a small attribute.
    package static let grownMaxBytes = 16 << 10
    /// The most bytes of stored values that one push may read, 16 MiB, not counting values that it does not need; one
    /// record may exceed it. A push of thousands of small records stays far below.
    package static let fetchedMaxBytes = 16 << 20
    /// The most records in one page. If the client states no number, a page has `pageRecordsDefault`.
    package static let pageRecordsMax = 5_000
    package static let pageRecordsDefault = 1_000

    /// Creates the engine of one app.
    ///
    /// - Parameters:
    ///   - level: the number of the app's migrations that this server knows; 0 if the number is not checked.
    ///   - claimed: the number of migrations that each push stores in the space's row. Servers that know fewer then
    ///     refuse the space. `nil` means `level`.
    ///   - quotas: returns the current quotas. It is called for each push, because an operator may change them while
    ///     the server runs.
    ///   - standby: a standby of the directory, from which large pages are read; `nil` for none.
    package init(
        plan: Plan, databases: Databases, level: Int = 0, claiming claimed: Int? = nil,
        clock: HybridClock = HybridClock(),
        massDeletions: MassDeletions.Limits = MassDeletions.Limits(), readFaults: ReadFaults = ReadFaults(),
        census: Census.Taker? = nil, moved: MovedSpaces? = nil, returning: ReturningBudget = ReturningBudget(),
        quotas: @escaping @Sendable () -> Quotas = { Quotas() }, standby: Standby? = nil
    ) {
        self.plan = plan
        names = plan.shapes.indices.map { plan.name(of: $0).description }
        cursors = CursorRules(plan)
        self.census = census
        (self.databases, self.standby, self.moved) = (databases, standby, moved)
        self.clock = clock
        let tables = plan.hub.entities.map { RecordTable($0, schema: plan.hub.schema) }
        let spaces = Spaces(app: plan.app, level: level, claiming: claimed)
        let projections = plan.projections.map { $0.compactMap { $0 } }
        store = AppStore(
            app: plan.app, hub: plan.hub, tables: tables,
            readers: plan.hub.entities.map { entity in
                projections.flatMap { $0.filter { $0.entity == entity.index } }
            }, spaces: spaces, returning: returning, currentQuotas: quotas)
        tombstones = Tombstones(plan.hub, tables: tables)
        self.readFaults = readFaults
        self.massDeletions = MassDeletions(massDeletions, tables: tables)
        views = PageViews(plan, tables: tables, faults: readFaults)
    }

    /// Tells the databases of spaces what the directory has changed about these spaces, where a request could not.
    ///
    /// - Throws: the first error, after all other spaces.
    package func tellUntold() async throws { try await sharing.notices.tellUntold() }

    /// Returns the database that serves a space, and its queues.
    ///
    /// - Throws: `SyncError.unreachable`.
    func database(of space: ID) throws(SyncError) -> SpaceDatabase {
        database(at: try databases.index(of: space))
    }

    /// Reads the map of buckets again, after a database has refused a space.
    ///
    /// - Returns: true if by the new map another database serves the space.
    /// - Throws: `SyncError.unreachable`, `PGError`.
    package func hasMoved(_ space: ID) async throws -> Bool {
        let before = try databases.index(of: space)
        try await databases.refresh()
        return try databases.index(of: space) != before
    }

    /// Returns the database at an index in `databases.pools`, and its queues.
    func database(at index: Int) -> SpaceDatabase {
        queues.withLock { queues in
            while queues.count <= index {
                queues.append(
                    SpaceDatabase(
                        databases.pool(at: queues.count), store, standby: queues.isEmpty ? standby : nil, moved: moved))
            }
            return queues[index]
        }
    }

    /// The queues of the databases that this engine has used.
    private var usedDatabases: [SpaceDatabase] { queues.withLock(\.self) }

    /// The operations on the members of the app's spaces, and on the invitations to them.
    package var sharing: SpaceSharing {
        SpaceSharing(app: plan.app, databases: databases, quotas: store.quotas)
    }
    /// The operations that erase the app's spaces.
    package var erasing: Erasing { Erasing(app: plan.app, databases: databases) }

    /// Returns the values that replace those of a deleted record, by index in `Hub.entities`. A record whose deletion
    /// arrives before its creation has the same values: each attribute has its default.
    func blanks() throws(LensFailure) -> [[Value]] {
        var blanks: [[Value]] = []
        for readers in store.readers {
            guard let newest = readers.last else { preconditionFailure("An entity of the hub is some version's.") }
            blanks.append(
                try newest.create([], id: ID(high: 0, low: 0), createdAt: Timestamp(microseconds: 0)))
        }
        return blanks
    }

    /// The sender of a request: its space, its version, its device and its rights.
    package struct Caller: Sendable {
        package let space: ID
        /// The subject of the token that came with the request, for the census.
        package let subject: Subject
        /// The caller's version, as an index in `plan.shapes`.
        package let version: Int
        /// The device; `nil` if the request names none. A pull without a device is sent all records. A pull with a
        /// device leaves out records that the device itself has pushed.
        package let device: ID?
        package let mode: ChangeMode
        /// True if the request states a fingerprint, so that no other shape with the same version number can be meant.
        package let statesFingerprint: Bool
        /// True if the caller's role allows pushes.
        package let mayWrite: Bool
        /// The space's count of revocations (withdrawals of members' rights) when the caller's rights were read, see
        /// `SpaceState.revocations`. The request is refused if the space has another count by now; `nil` if the count
        /// is not checked.
        package let revocations: Int64?
        /// True if every field that the caller sends is an edit. Otherwise a field may only repeat a value that the
        /// caller has read, which is no edit.
        package let repeatsNothing: Bool

        package init(
            space: ID, subject: Subject = "", version: Int, device: ID?, mode: ChangeMode = .patch,
            statesFingerprint: Bool = true,
            mayWrite: Bool = true, revocations: Int64? = nil, repeatsNothing: Bool = false
        ) {
            self.space = space
            self.subject = subject
            self.version = version
            self.device = device
            self.mode = mode
            self.statesFingerprint = statesFingerprint
            self.mayWrite = mayWrite
            self.revocations = revocations
            self.repeatsNothing = repeatsNothing
        }
    }

    /// The result of a pull: one page of a space's changes.
    package struct PullResult: Sendable {
        /// The records' JSON objects, comma-separated.
        package let changes: [UInt8]
        /// The number of JSON objects in `changes`.
        package let count: Int
        package let cursor: Cursor
        package let more: Bool
        package let head: Int64

        /// Returns an empty page, after which there is more: the device pulls again from `cursor`.
        package static func interrupted(at cursor: Cursor, head: Int64) -> PullResult {
            PullResult(changes: [], count: 0, cursor: cursor, more: true, head: head)
        }
    }

    /// Returns the next page of the caller's space after `cursor`, in the caller's version.
    ///
    /// - Parameter withStamps: true if each record is sent with the stamps of all its attributes.
    /// - Throws: `SyncError`, `PGError`.
    package func pull(
        after cursor: Cursor?, limit: Int, withStamps: Bool = false, as caller: Caller
    ) async throws -> PullResult {
        let database = try database(of: caller.space)
        if let cursor, cursors.renames(cursor, caller) {
            _ = try await head(for: cursor, caller, database)
            throw SyncError.cursorExpired
        }
        // Without a cursor, any number of changes may be ahead.
        var ahead = Int64.max
        let noted = database.recentHeads.head(of: caller.space) ?? 0
        if let cursor, cursors.isPlain(cursor, caller) {
            // In the middle of an initial sync there is more, and so there is after a push that this process ran.
            var head = max(cursor.head, noted)
            if cursor.seq >= head {
                let isBelieved = PlantedBug.headRemembered.isPlanted && noted > 0
                if !isBelieved { head = try await self.head(for: cursor, caller, database) }
                if cursor.seq == head {
                    return PullResult(changes: [], count: 0, cursor: cursor, more: false, head: head)
                }
            }
            ahead = head - cursor.seq
        }
        let pull = Pull(
            view: views.whole(of: caller.version), spaces: store.spaces, app: plan.app, space: caller.space,
            revocations: caller.revocations,
            cursor: cursor,
            start: start(from: cursor, caller), limit: max(1, min(limit, SyncEngine.pageRecordsMax)),
            withStamps: withStamps)
        let page = try await database.pulls.run(pull, ahead: ahead)
        // The noted head is from before the page was read, so it is not higher, unless a backup was restored under this
        // process.
        if noted > page.head { database.recentHeads.note(caller.space, head: page.head) }
        return PullResult(
            changes: page.changes, count: page.count, cursor: cursors.advanced(cursor, by: page, caller),
            more: page.more,
            head: page.head)
    }

    /// Returns the space's head (highest sequence number). Throws a `SyncError` if the device may not go on from
    /// `cursor`.
    private func head(for cursor: Cursor, _ caller: Caller, _ database: SpaceDatabase) async throws -> Int64 {
        let state = try await database.heads.state(of: caller.space, revocations: caller.revocations)
        try cursor.check(against: state, app: plan.app, space: caller.space)
        return state.head
    }

    private func start(from cursor: Cursor?, _ caller: Caller) -> Pull.Start {
        switch cursors.start(from: cursor, caller) {
        case .nothing: .nothing
        case .after(let seq, let acknowledged): .after(seq: seq, acknowledged: acknowledged)
        case .widening(let older, let reached, let seq):
            .widening(views.update(from: older, to: caller.version), reached: reached, seq: seq)
        }
    }

    /// Returns the head of the caller's space, as events report it.
    ///
    /// - Throws: `SyncError.erased`, `SyncError.outdated`, `SyncError.rightsChanged`, `PGError`.
    package func currentHead(for caller: Caller) async throws -> SpaceHead {
        let database = try database(of: caller.space)
        return SpaceHead(try await database.heads.state(of: caller.space, revocations: caller.revocations))
    }

    /// Returns true if the space was created, or was pushed into.
    ///
    /// - Throws: `PGError`.
    package func hasSpace(_ space: ID) async throws -> Bool {
        let rows = try await database(of: space).transactions.ask(store.spaces.readingHeads([space]))
        return rows.intIfPresent(0, 0) != nil
    }

    /// The heads of several spaces, as far as their databases answered.
    package struct Heads: Sendable {
        package fileprivate(set) var known: [ID: SpaceHead] = [:]
        /// The spaces that this server must not read any more: a newer server has written into them, they were erased,
        /// or another database serves them.
        package fileprivate(set) var outdated: Set<ID> = []
        /// The error of a database that did not answer; `nil` if all answered.
        package fileprivate(set) var failure: (any Error)?
    }

    /// Returns the heads of these spaces. A database that does not answer does not keep the heads of other databases
    /// from being returned.
    package func heads(of spaces: [ID]) async -> Heads {
        var heads = Heads()
        for (index, spaces) in Dictionary(grouping: spaces, by: { try? databases.index(of: $0) }) {
            do {
                guard index != nil else { throw SyncError.unreachable }
                let rows = try await database(of: spaces[0]).transactions.ask(store.spaces.readingHeads(spaces))
                for (row, space) in spaces.enumerated() {
                    let state = SpaceState(rows, row)
                    heads.known[space] = SpaceHead(state)
                    if (try? store.spaces.check(state, revocations: nil)) == nil { heads.outdated.insert(space) }
                }
            } catch {
                heads.failure = error
            }
        }
        return heads
    }

    /// The count of the transactions that pushes have run in, and the count of the pushes in them.
    package var pushCounts: SharedCounts {
        usedDatabases.map(\.pushes.counts).reduce(into: SharedCounts()) { sum, counts in
            sum.turns += counts.turns
            sum.members += counts.members
        }
    }
    /// The number of pushes that wait in a queue for other pushes.
    package var pushesWaiting: Int { usedDatabases.reduce(0) { $0 + $1.pushes.waitingCount } }
}
