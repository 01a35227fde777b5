public import Foundation
public import WireFormats

/// An app's data on one device: reads and writes at once, offline or not, and syncs with one space.
///
/// What `write` has returned for is on disk, and stays until the server has answered it. Several stores may be open in
/// a process, and several processes may have one store.
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

    public nonisolated let schema: SyncSchema
    private var replica: Replica<SQLiteStorage>
    private let reader: StoreReader
    private let connection: SyncConnection
    private let credentials: any SyncCredentials
    private var token: String?
    /// The number of the latest change that an answer named.
    private var head: Int64?
    private var syncing: Task<SyncSummary, any Error>?
    /// Whether the latest run has ended because an answer led nowhere.
    private var isStalled = false
    private var rumours = Rumours()
    private nonisolated let changes = Broadcast<Set<String>>()
    private nonisolated let statusChanges = Broadcast<SyncStatus>()
    /// Wakes whoever syncs.
    private nonisolated let wake = Wake()
    public private(set) var status = SyncStatus.idle(since: nil)

    private let now: @Sendable () -> Date

    /// What the device's clock shows, in milliseconds since 1970.
    private var here: Int64 { SyncStore.milliseconds(now()) }

    /// A clock may show anything.
    static func milliseconds(_ date: Date) -> Int64 {
        Int64(exactly: min(max(date.timeIntervalSince1970 * 1000, 0), Double(1 << 53)).rounded()) ?? 0
    }

    /// Opens the store in the file `url`, or makes it. After an update of the app it is migrated.
    ///
    /// - Parameters:
    ///   - url: its folder must be there. Beside it SQLite keeps two more files, ending in `-wal` and `-shm`.
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
            // A clock that is ahead removes nothing: the server has shown what time it is.
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

    /// Does `body` in one transaction. When this returns, all of it is on disk, will be sent, and is what reads show.
    ///
    /// - Throws: what `body` throws, or `SyncStoreError`; then nothing has happened.
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

    /// All records of an entity, as they are shown: what the server told with what the user did on top.
    public nonisolated func records<Record: SyncRecord>(
        of type: Record.Type, where isWanted: @Sendable (Record) -> Bool = { _ in true }
    ) async throws -> [Record] {
        try await reader.read { replica in try replica.records(of: type).filter(isWanted) }
    }

    public nonisolated func record<Record: SyncRecord>(_ type: Record.Type, id: RecordID) async throws -> Record? {
        try await reader.read { try $0.record(type, id: id) }
    }

    /// All records of an entity by names and values.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not have.
    public nonisolated func fields(of entity: String) async throws -> [RecordID: [String: Value]] {
        try await reader.read { replica in
            var all: [RecordID: [String: Value]] = [:]
            try replica.forEachShown(of: entity) { all[$0] = $1 }
            return all
        }
    }

    /// The records of an entity, now and after each change of them, until the task is cancelled. Who reads slowly gets
    /// the latest.
    public nonisolated func observe<Record: SyncRecord>(_ type: Record.Type) -> AsyncThrowingStream<[Record], any Error>
    {
        observe(type) { try await self.records(of: type) }
    }

    /// One record, now and after each change of it; `nil` while there is none.
    public nonisolated func observe<Record: SyncRecord & Equatable>(
        _ type: Record.Type, id: RecordID
    ) -> AsyncThrowingStream<Record?, any Error> {
        observe(type) { try await self.record(type, id: id) }
    }

    private nonisolated func observe<Record: SyncRecord, Seen: Sendable>(
        _ type: Record.Type, _ read: @escaping @Sendable () async throws -> Seen
    ) -> AsyncThrowingStream<Seen, any Error> {
        // What it refers to may be deleted, which it shows.
        let targets = schema.kinds[type.entity]?.fields.compactMap(\.target) ?? []
        let entities = Set(targets + [type.entity])
        // Before the first reading, so that nothing is missed between the two.
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

    /// What the user did and the server has not taken as it was: the latest thousand, and all that cannot be sent.
    public func conflicts() throws -> [SyncConflict] { try replica.storage.conflicts() }

    /// Forgets a conflict: the user has seen it.
    public func dismiss(_ conflict: SyncConflict) throws {
        try replica.storage.transaction { try replica.storage.removeConflict(conflict.number) }
        changes.send([conflict.key.entity])
    }

    /// Puts a change that was refused into the outbox again: after `mass-deletion`, because the user means it; after
    /// `read-only` or `quota-exceeded`, because it may be done now.
    public func resend(_ conflict: SyncConflict, isMassDeletion: Bool = false) throws {
        guard let change = (try? JSONDocument(parsing: conflict.change))?.root,
            let operation = change["op"]?.string.flatMap(OutgoingChange.Operation.init(rawValue:)),
            let stamp = change["stamp"]?.int64, let version = change["version"]?.string
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

    /// What the server knows this store by. A copy of the file has another.
    public var deviceID: ID { replica.storage.memo.device }

    /// How many changes wait to be sent.
    public var pendingCount: Int { get throws { try replica.storage.pendingCount } }

    /// The records of an entity that have changes which wait to be sent.
    public func pendingIDs(of entity: String) throws -> Set<RecordID> {
        try replica.storage.pendingKeys(of: entity, version: schema.header)
    }

    // MARK: Mirroring

    /// Does `body`, a step of a mirror, in one transaction.
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

    /// The entities that were written, by whomever, each time.
    nonisolated var touches: AsyncStream<Set<String>> { changes.stream(.bufferingNewest(1)) }

    /// Says of what is beside the store that it needs somebody.
    func report(_ fault: String) { become(.needsAttention(.fault(fault))) }

    // MARK: Syncing

    /// What the store is doing, now and after each change.
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

    /// Sends everything that waits, and reads to the end. One at a time: a second call waits for the first, too.
    ///
    /// - Parameter deadline: when to stop between two requests, such as where a system gives an app half a minute in
    ///   the background. What was done by then is kept.
    /// - Throws: `SyncFailure` where the server cannot be reached or is busy, `SyncStopped` where somebody must do
    ///   something first, `CancellationError`.
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
        let (wasTold, before) = (rumours.begin(), head)
        defer {
            let hasCome = run.summary.sent + run.summary.received > 0
            rumours.end(wasTold: wasTold, hasCome: hasCome, hasHeadMoved: head != before)
        }
        replica.tryAll()
        do {
            repeat {
                try Task.checkCancellation()
                become(.syncing(run.summary, pending: try replica.storage.pendingCount))
                try await exchange(&run)
            } while !run.summary.isComplete && deadline.map { .now < $0 } ?? true
            become(.idle(since: Date()))
            return run.summary
        } catch let failure as SyncFailure {
            if case .unexpectedAnswer = failure { isStalled = true }
            if case .offline = status {} else { become(.offline(since: Date(), "\(failure)")) }
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

    /// One request, and what follows from its answer.
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
        if !progress.entities.isEmpty { changes.send(progress.entities) }
        try run.take(progress, of: request, cursor: replica.storage.memo.cursor)
    }

    /// What is not even dated as an answer of the server's comes from something else: a portal's page, most likely.
    private static func document(_ body: [UInt8]) throws(SyncFailure) -> JSONDocument {
        guard let document = try? JSONDocument(parsing: body), document.root["serverTime"] != nil else {
            throw .unexpectedAnswer("what answered with 200 is not the server")
        }
        return document
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
        // What left the outbox is not shown any more.
        if request.kind == .sync { changes.send(Set(schema.kinds.keys)) }
    }

    private func currentToken() async throws -> String? {
        if token == nil { token = try await credentials.token(replacing: nil) }
        return token
    }

    /// Syncs until the task is cancelled: after each write, when the server says that there is something new, and now
    /// and then. While the server cannot be reached it tries again, a little later each time.
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
                // A full disk, an answer that cannot be read: the next time may be better.
                if !(error is CancellationError) { become(.needsAttention(.fault("\(error)"))) }
                try? await Task.sleep(for: pause.next(atLeast: nil, isStalled: isStalled))
            }
        }
    }

    /// Syncs now, where `run` waits: after the user has signed in again, or pulls a list down.
    public nonisolated func syncNow() { wake.set() }

    /// How long `run` goes without asking while nothing happens.
    private static let reviewSeconds = 15 * 60

    /// Keeps a stream of events open.
    private func listen() async {
        var pause = Backoff()
        while !Task.isCancelled {
            let start = ContinuousClock.now
            // Whether there is a token, and whether it is good, syncing finds out.
            if let token, let headers = try? replica.eventHeaders(here: here) {
                for await head in connection.heads(headers, token: token) { await hear(head) }
            }
            if start.duration(to: .now) >= SyncStore.streamLasts { pause = Backoff() }
            try? await Task.sleep(for: pause.next(atLeast: nil))
        }
    }

    /// Syncs because a stream says that the space has moved.
    private func hear(_ head: Int64) async {
        // Its answer may have told of the same.
        while let syncing { _ = await syncing.result }
        if head == self.head { return }
        if let pause = rumours.pause { try? await Task.sleep(for: pause) }
        rumours.tell()
        wake.set()
    }

    /// After a stream that lasted so long the next is opened at once, more or less: servers end them when they stop.
    private static let streamLasts = Duration.seconds(10)
}
