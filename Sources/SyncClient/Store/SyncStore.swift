public import Foundation
import StrictJSON
public import WireFormats

/// An app's data on one device. It can be read and written with or without a network, and syncs with one space.
///
/// When `write` returns, its changes are on disk, and they are sent again until the server has answered them. A process
/// may open several stores, and several processes may open one store.
///
/// ```swift
/// let endpoint = SyncEndpoint(server: url)
/// let store = try SyncStore(at: file, schema: schema, endpoint: endpoint, credentials: FixedToken(token))
/// try await store.write { try $0.insert(meal) }
/// let meals = try await store.records(of: SDMeal.self)
/// try await store.syncOnce()
/// ```
public actor SyncStore {
    private let queue = StoreQueue(label: "sync-store")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// The version that the app is built with, and its history.
    public nonisolated let schema: SyncSchema
    private var replica: Replica<SQLiteStorage>
    private let reader: StoreReader
    private let connection: SyncConnection
    private let credentials: any SyncCredentials
    private var token: String?
    /// The `head` of the server's latest answer: the number of the space's latest change.
    private var head: Int64?
    private var syncing: Task<SyncSummary, any Error>?
    /// True if the latest sync has ended because the server's answers made no progress.
    private var isStalled = false
    private var announcements = Announcements()
    private nonisolated let changes = Broadcast<Set<String>>()
    private nonisolated let statusChanges = Broadcast<SyncStatus>()
    /// Wakes the task that syncs.
    private nonisolated let wake = Wake()
    /// The present state of syncing. `statuses` returns a stream of this state and of all later ones.
    public private(set) var status = SyncStatus.idle(since: nil)
    /// The latest time at which everything was sent and read; `nil` if never since the store was opened.
    private var completeSince: Date?
    /// The time of the first failed attempt since the server last answered; `nil` if none has failed.
    private var offlineSince: Date?

    private let now: @Sendable () -> Date

    /// The time of the device's clock, in milliseconds since 1970.
    private var here: Int64 { SyncStore.milliseconds(now()) }

    /// Converts a date to milliseconds since 1970, limited to 0 … 2^53, because a device's clock may show any time.
    static func milliseconds(_ date: Date) -> Int64 {
        Int64(exactly: min(max(date.timeIntervalSince1970 * 1000, 0), Double(1 << 53)).rounded()) ?? 0
    }

    /// Opens the store in the file `url`, or creates it. After an update of the app the store is migrated.
    ///
    /// - Parameters:
    ///   - url: the store's file. Its folder must exist. SQLite keeps files ending in `-wal` and `-shm` there, too.
    ///   - schema: the version that the app is built with, and its history.
    ///   - endpoint: the server and the space.
    ///   - credentials: the source of tokens.
    ///   - now: the device's clock.
    /// - Throws: `SyncStoreError`.
    public init(
        at url: URL, schema: SyncSchema, endpoint: SyncEndpoint, credentials: some SyncCredentials,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        let storage = try SQLiteStorage(path: url.path, schema: schema)
        let replica = try storage.transaction {
            try StoreFormat.giveCopiesTheirOwnID(storage, url)
            let here = SyncStore.milliseconds(now())
            let replica = try Replica(storage, schema: schema, here: here)
            // A device clock that is ahead must not remove tombstones early: the server has shown the time.
            let known = min(here, DeviceClock.bounded(storage.memo.serverMilliseconds))
            try storage.removeTombstones(
                before: Stamp(milliseconds: known - ReplicaLimits.tombstonesMaxMilliseconds).rawValue)
            return replica
        }
        self.schema = schema
        self.replica = replica
        self.credentials = credentials
        self.now = now
        connection = SyncConnection(endpoint, app: schema.app, transport: SystemTransport.shared)
        reader = try StoreReader(path: url.path, schema: schema)
    }

    // MARK: Reading and writing

    /// Runs `body` in one transaction. When this returns, the changes are on disk and visible, and will be sent.
    ///
    /// - Throws: the error that `body` throws, or `SyncStoreError`; then nothing has happened.
    public func write<Result: Sendable>(_ body: @Sendable (WriteTransaction) throws -> Result) throws -> Result {
        let (result, entities) = try replica.storage.transaction {
            let transaction = WriteTransaction(replica, here: here)
            return (try body(transaction), transaction.entities)
        }
        if !entities.isEmpty {
            changes.send(entities)
            wake.set()
        }
        return result
    }

    /// Returns all records of an entity as the user sees them: the server's state with the user's unanswered changes
    /// applied.
    public nonisolated func records<Record: SyncRecord>(
        of type: Record.Type, where isWanted: @Sendable (Record) -> Bool = { _ in true }
    ) async throws -> [Record] {
        try await reader.read { replica in try replica.records(of: type).filter(isWanted) }
    }

    /// Returns one record as the user sees it; `nil` if it does not exist.
    public nonisolated func record<Record: SyncRecord>(_ type: Record.Type, id: RecordID) async throws -> Record? {
        try await reader.read { try $0.record(type, id: id) }
    }

    /// Returns all records of an entity: by id, the value of each attribute by name.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not have.
    public nonisolated func fields(of entity: String) async throws -> [RecordID: [String: Value]] {
        try await reader.read { replica in
            var all: [RecordID: [String: Value]] = [:]
            try replica.forEachShown(of: entity) { all[$0] = $1 }
            return all
        }
    }

    /// Returns a stream of all records of an entity, as they are now and after each change, until the task is
    /// cancelled. A slow reader receives only the latest.
    public nonisolated func observe<Record: SyncRecord>(_ type: Record.Type) -> AsyncThrowingStream<[Record], any Error>
    {
        observe(type) { try await self.records(of: type) }
    }

    /// Returns a stream of one record, as it is now and after each change. An element is `nil` if the record does not
    /// exist at that time.
    public nonisolated func observe<Record: SyncRecord & Equatable>(
        _ type: Record.Type, id: RecordID
    ) -> AsyncThrowingStream<Record?, any Error> {
        observe(type) { try await self.record(type, id: id) }
    }

    private nonisolated func observe<Record: SyncRecord, Seen: Sendable>(
        _ type: Record.Type, _ read: @escaping @Sendable () async throws -> Seen
    ) -> AsyncThrowingStream<Seen, any Error> {
        // A record shows that the target of its relationship was deleted, so changes of targets count, too.
        let targets = schema.kinds[type.entity]?.fields.compactMap(\.target) ?? []
        let entities = Set(targets + [type.entity])
        // The stream begins before the first read, so that no change is missed between them.
        let signals = changes.stream(.unbounded)
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    continuation.yield(try await read())
                    for await touched in signals where !entities.isDisjoint(with: touched) {
                        continuation.yield(try await read())
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The user's changes that did not take full effect: the latest thousand, and all that cannot be sent.
    public func conflicts() throws -> [SyncConflict] { try replica.storage.conflicts() }

    /// Removes a conflict from `conflicts`, after the user has seen it.
    public func dismiss(_ conflict: SyncConflict) throws {
        try replica.storage.transaction { try replica.storage.removeConflict(conflict.number) }
        changes.send([conflict.key.entity])
    }

    /// Puts a change that the server refused into the outbox again. Use it for the code `mass-deletion` after the user
    /// has confirmed the deletion, and for `read-only` or `quota-exceeded` if the change may be allowed by now.
    public func resend(_ conflict: SyncConflict, isMassDeletion: Bool = false) throws {
        guard let change = (try? JSONDocument(parsing: conflict.change))?.root,
            let operation = change[BodyMember.operation]?.string.flatMap(OutgoingChange.Operation.init(rawValue:)),
            let stamp = change[BodyMember.stamp]?.int64, let version = change[BodyMember.version]?.string
        else { throw SyncStoreError(.damaged, "the conflict \(conflict.number) has no change that could be sent") }
        try replica.storage.transaction {
            try replica.storage.append(
                conflict.key, operation, stamp: stamp, version: version, json: conflict.change,
                isMassDeletion: isMassDeletion)
            try replica.storage.removeConflict(conflict.number)
        }
        changes.send([conflict.key.entity])
        wake.set()
    }

    /// The id by which the server knows this store. A copy of the file has another id.
    public var deviceID: ID { replica.storage.memo.device }

    /// The number of changes that wait to be sent.
    public var pendingCount: Int { get throws { try replica.storage.pendingCount } }

    /// Returns the ids of the entity's records that have unsent changes by this version of the app.
    public func pendingIDs(of entity: String) throws -> Set<RecordID> {
        try replica.storage.pendingKeys(of: entity, version: schema.header)
    }

    // MARK: Mirroring

    /// Runs `body` in one transaction, as one step of the mirror that copies edits between this store and the app's.
    func mirroring<Result: Sendable>(_ body: @Sendable (inout MirrorStep) throws -> Result) throws -> Result {
        let (result, entities) = try replica.storage.transaction {
            var step = MirrorStep(replica, here: here)
            return (try body(&step), step.entities)
        }
        if !entities.isEmpty {
            changes.send(entities)
            wake.set()
        }
        return result
    }

    /// The names of the entities that each write (by the app or syncing) changed. A slow reader gets only the latest.
    nonisolated var touches: AsyncStream<Set<String>> { changes.stream(.bufferingNewest(1)) }

    /// Sets the status to a fault that occurred outside the store, such as in a mirror.
    func report(_ fault: String) { become(.needsAttention(.fault(fault))) }

    // MARK: Syncing

    /// Returns the store's status, now and after each change.
    public nonisolated func statuses() -> AsyncStream<SyncStatus> {
        let later = statusChanges.stream(.bufferingNewest(1))
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                continuation.yield(await status)
                for await status in later { continuation.yield(status) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func become(_ status: SyncStatus) {
        if status == self.status { return }
        self.status = status
        statusChanges.send(status)
    }

    /// Sends all waiting changes, and reads until the server has nothing more. Calls run one after another: a second
    /// call waits for the first.
    ///
    /// - Parameter deadline: the time to stop, between two requests. Set it where the system gives an app half a minute
    ///   in the background. Everything done by then is kept.
    /// - Throws: `SyncFailure` if the server cannot be reached or is busy, `SyncStopped` if the user or the app must do
    ///   something first, `SyncStoreError`, `CancellationError`.
    @discardableResult
    public func syncOnce(deadline: ContinuousClock.Instant? = nil) async throws -> SyncSummary {
        while let syncing { _ = await syncing.result }
        let task = Task {
            defer { syncing = nil }
            return try await syncToEnd(deadline)
        }
        syncing = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func syncToEnd(_ deadline: ContinuousClock.Instant?) async throws -> SyncSummary {
        var run = SyncRun()
        isStalled = false
        let (wasAnnounced, before) = (announcements.begin(), head)
        defer {
            let hasCome = run.summary.sent + run.summary.received > 0
            announcements.end(wasAnnounced: wasAnnounced, hasCome: hasCome, hasHeadMoved: head != before)
        }
        replica.tryAll()
        do {
            repeat {
                try Task.checkCancellation()
                become(.syncing(run.summary, pending: try replica.storage.pendingCount))
                try await exchange(&run)
            } while !run.summary.isComplete && deadline.map { .now < $0 } ?? true
            if run.summary.isComplete { completeSince = now() }
            become(.idle(since: completeSince))
            return run.summary
        } catch let failure as SyncFailure {
            if case .unexpectedAnswer = failure { isStalled = true }
            let since = offlineSince ?? now()
            offlineSince = since
            become(.offline(since: since, "\(failure)"))
            throw failure
        } catch let stopped as SyncStopped {
            become(.needsAttention(stopped.attention))
            throw stopped
        } catch let unexpected as UnexpectedAnswer {
            isStalled = true
            become(.needsAttention(.fault("\(unexpected)")))
            throw unexpected
        }
    }

    /// Sends one request, and handles the server's answer to it.
    private func exchange(_ run: inout SyncRun) async throws {
        let request = try replica.storage.transaction { try replica.nextRequest(here: here) }
        guard let token = try await currentToken() else { throw SyncStopped(attention: .signIn, retryAfter: nil) }
        let answer = try await connection.send(request, token: token)
        guard answer.status == 200 else {
            let problem = ServerProblem(
                status: answer.status, contentType: answer.contentType, body: answer.body,
                retryAfter: answer.retryAfter)
            return try await take(problem, request, &run)
        }
        let document = try SyncStore.document(answer.body)
        let progress = try replica.storage.transaction { try replica.take(document.root, of: request, here: here) }
        head = answer.head
        offlineSince = nil
        if !progress.entities.isEmpty { changes.send(progress.entities) }
        try run.take(progress, of: request, cursor: replica.storage.memo.cursor)
    }

    private func take(_ problem: ServerProblem, _ request: SyncRequest, _ run: inout SyncRun) async throws {
        let directive = try replica.storage.transaction { try replica.take(problem, of: request) }
        switch directive {
        case .again: try run.takeRefusal(isRestart: request.cursor != nil && replica.storage.memo.cursor == nil)
        case .wait(let seconds): throw SyncFailure.busy(problem.detail, retryAfter: seconds)
        case .renewToken:
            try run.takeRefusedToken()
            let refused = token
            token = try await credentials.token(replacing: refused)
            guard token != nil, token != refused else {
                throw SyncStopped(attention: .signIn, retryAfter: ReplicaLimits.stopReviewSeconds)
            }
        case .stop(let attention, let retryAfter): throw SyncStopped(attention: attention, retryAfter: retryAfter)
        }
        // Changes that left the outbox are not shown any more.
        if request.kind == .sync { changes.send(Set(schema.kinds.keys)) }
    }

    private func currentToken() async throws -> String? {
        if token == nil { token = try await credentials.token(replacing: nil) }
        return token
    }

    /// Syncs until the task is cancelled: after each write, when the server reports a change, and every quarter of an
    /// hour. While the server cannot be reached, `run` tries again after growing pauses.
    public func run() async {
        let listener = Task { await listen() }
        defer { listener.cancel() }
        var pause = Backoff()
        while !Task.isCancelled {
            do {
                try await syncOnce()
                pause = Backoff()
                // A stream of events may have been lost without notice.
                await wake.wait(atMost: .seconds(SyncStore.reviewSeconds))
            } catch let stopped as SyncStopped {
                await wake.wait(atMost: RetryPause.bounded(stopped.retryAfter).map { .seconds(max($0, 1)) })
            } catch let failure as SyncFailure {
                try? await Task.sleep(for: pause.next(atLeast: failure.retryAfter, isStalled: isStalled))
            } catch {
                // A full disk, an answer that cannot be read: the next attempt may succeed.
                if !(error is CancellationError) { become(.needsAttention(.fault("\(error)"))) }
                try? await Task.sleep(for: pause.next(atLeast: nil, isStalled: isStalled))
            }
        }
    }

    /// Wakes `run` to sync at once, such as after the user has signed in again, or pulls to refresh.
    public nonisolated func syncNow() { wake.set() }

    /// The longest time, in seconds, between two syncs of `run`.
    private static let reviewSeconds = 15 * 60

    /// Keeps an event stream from the server open, and opens another when it ends.
    private func listen() async {
        var pause = Backoff()
        while !Task.isCancelled {
            let start = ContinuousClock.now
            // Syncing finds out if a token exists and is valid.
            if let token, let headers = try? replica.eventHeaders(here: here) {
                for await head in connection.heads(headers, token: token) { await receive(head) }
            }
            if start.duration(to: .now) >= SyncStore.streamLasts { pause = Backoff() }
            try? await Task.sleep(for: pause.next(atLeast: nil))
        }
    }

    /// Wakes `run` when an event stream reports a new head (number of the space's latest change).
    private func receive(_ head: Int64) async {
        // The answer of a sync under way may have reported the same head.
        while let syncing { _ = await syncing.result }
        if head == self.head { return }
        if let pause = announcements.pause { try? await Task.sleep(for: pause) }
        announcements.note()
        wake.set()
    }

    /// The duration from which an event stream counts as successful: the next one is then opened after a short pause.
    private static let streamLasts = Duration.seconds(10)
}
