/// Syncs an app that keeps its data in a store of its own, such as one of SwiftData or Core Data. The app's screens go
/// on reading and writing the app's own store. The mirror keeps the same records in a `SyncStore` beside it, which also
/// has the outbox and the clock.
///
/// The mirror remembers the app's own store as it last saw it, in a copy. A difference between the app's own store and
/// the copy is an edit by the user. A difference between the copy and the `SyncStore` is an edit by another device. The
/// mirror records each edit before it applies it. So it continues after an interruption at any moment, and sends
/// nothing twice.
///
/// ```swift
/// let mirror = SyncMirror(of: app, in: store)          // ‘app’ is your MirroredStore, such as SwiftDataStore
/// let syncing = Task { await mirror.run() }
/// mirror.noteChanges()                                 // after each save of the app's own store
/// ```
public actor SyncMirror {
    /// The store that syncs the same records as the app's own. The app can ask it for its status and its conflicts.
    public nonisolated let store: SyncStore
    private let app: any MirroredStore
    /// The task that copies edits between the two stores, if one is under way. Only one runs at a time.
    private var working: Task<Void, any Error>?
    private nonisolated let wake = Wake()

    /// The maximum number of records that the mirror writes in one transaction.
    private static let batchMax = 500

    /// Makes a mirror.
    ///
    /// - Parameters:
    ///   - app: the app's own store.
    ///   - store: the store that syncs the same records. Nothing but the mirror writes it.
    public init(of app: any MirroredStore, in store: SyncStore) {
        self.app = app
        self.store = store
    }

    /// Copies the user's edits to the `SyncStore`, syncs it, and writes edits by other devices into the app's own
    /// store.
    ///
    /// - Throws: the errors of `SyncStore.syncOnce` and of the app's own store. Everything done by then is kept.
    @discardableResult
    public func syncOnce(deadline: ContinuousClock.Instant? = nil) async throws -> SyncSummary {
        try await align()
        var summary = try await store.syncOnce(deadline: deadline)
        try await align()
        // A mirror that begins reads the server's records first; and the user may have written meanwhile.
        var last = summary
        while last.isComplete, try await store.pendingCount > 0 {
            last = try await store.syncOnce(deadline: deadline)
            summary.add(last)
            try await align()
            if last.sent == 0 { break }
        }
        return summary
    }

    /// Copies edits between the two stores, and syncs the `SyncStore` with the server, until the task is cancelled.
    /// Edits are copied after each call of `noteChanges` and after each change of the `SyncStore`.
    public func run() async {
        let syncing = Task { await store.run() }
        defer { syncing.cancel() }
        // Changes from the server arrive by themselves; `noteChanges` announces those of the app.
        let listening = Task { [wake, store] in for await _ in store.touches { wake.set() } }
        defer { listening.cancel() }
        var pause = Backoff()
        while !Task.isCancelled {
            do {
                try await align()
                pause = Backoff()
                await wake.wait()
            } catch {
                if !(error is CancellationError) { await store.report("the app's own store: \(error)") }
                try? await Task.sleep(for: pause.next(atLeast: nil))
            }
        }
    }

    /// Tells the mirror that the app has written into its own store. Call it after each save. The call is cheap.
    public nonisolated func noteChanges() { wake.set() }

    /// Copies edits in both directions between the two stores, without contacting the server.
    public func align() async throws {
        while let working { _ = await working.result }
        let task = Task {
            defer { working = nil }
            if try await collect() { try await publish() }
        }
        working = task
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: What the user did

    /// Puts the edits that the user has made in the app's own store into the outbox of the `SyncStore`.
    ///
    /// - Returns: true if that is done; false while the mirror cannot begin, because the server's records have not been
    ///   read.
    private func collect() async throws -> Bool {
        let identity = try await app.identity
        guard let memo = try await store.mirroring({ try $0.begin(identity) }) else { return false }
        guard let token = memo.token else {
            try await collectAll(as: .begun)
            return true
        }
        do {
            try await collect(since: token)
        } catch is MirrorTokenExpired {
            try await collectAll(as: .edits)
        }
        if memo.isRebasing { try await rebase() }
        return true
    }

    /// Reads the app's own store again after an update of the app. The app's own code may have migrated that store, and
    /// the differences that this makes are not edits by the user. Edits that the user makes during the reading are
    /// collected afterwards.
    private func rebase() async throws {
        try await collectAll(as: .rebased)
        if let token = try await store.mirroring({ try $0.memo().token }) { try await collect(since: token) }
        try await store.mirroring { try $0.endRebasing() }
    }

    private func collect(since token: String) async throws {
        var (token, hasMore) = (token, true)
        while hasMore {
            try Task.checkCancellation()
            let part = try await app.changes(since: token)
            if part.records.isEmpty && part.deleted.isEmpty && part.token == token { return }
            try await store.mirroring { mirror in
                try mirror.collect(part, as: .edits)
                try mirror.goOn(from: part.token)
            }
            (token, hasMore) = (part.token, part.hasMore)
        }
    }

    /// Reads all records of the app's own store. If this is interrupted, it begins again.
    ///
    /// - Parameter reading: the meaning of the differences between the app's own store and the mirror's copy, such as
    ///   edits by the user.
    private func collectAll(as reading: MirrorStep.Difference) async throws {
        let scan = try await store.mirroring { try $0.beginScan() }
        var token: String?
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            let part = try await app.changes(since: token)
            try await store.mirroring { try $0.collect(part, as: reading, scan: scan) }
            (token, hasMore) = (part.token, part.hasMore)
        }
        while true {
            let unseen = try await store.mirroring { try $0.unseen(scan, SyncMirror.batchMax) }
            if unseen.isEmpty { break }
            let existing = try await app.existing(unseen)
            try await store.mirroring { try $0.settle(unseen, existing, scan, as: reading) }
        }
        // After an update of the app, reading goes on from the earlier token, so that edits made during this reading
        // are found.
        if let last = token, reading != .rebased { try await store.mirroring { try $0.goOn(from: last) } }
    }

    // MARK: What others did

    /// Writes edits by other devices into the app's own store. Insertions and updates come first, deletions last, so
    /// that a record that was moved away from a deleted owner is not deleted along with the owner.
    private func publish() async throws {
        for isDeleting in [false, true] {
            var number: Int64 = 0
            while true {
                try Task.checkCancellation()
                let after = number
                let batch = try await store.mirroring {
                    try $0.prepare(after: after, SyncMirror.batchMax, isDeleting: isDeleting)
                }
                guard let last = batch.last else { break }
                number = last
                if !batch.edits.isEmpty { try await app.apply(batch.edits) }
                try await store.mirroring { try $0.finish(batch) }
            }
        }
    }
}
