/// Keeps an app's own store and a `SyncStore` at the same records, so that an app that has its data in SwiftData or
/// Core Data syncs without giving that up: its store stays what its screens read and write; the `SyncStore` beside it
/// keeps what the server told, what waits to be sent, and the clock.
///
/// What differs between the app's own store and what the mirror has seen of it last is what the user did. What differs
/// between that and what the `SyncStore` shows is what others did. Both are noted before they are taken over, so that a
/// mirror that was interrupted anywhere goes on, and sends nothing twice.
public actor SyncMirror {
    public nonisolated let store: SyncStore
    private let app: any MirroredStore
    /// What goes on; one at a time.
    private var working: Task<Void, any Error>?
    private nonisolated let wake = Wake()

    /// How many records are taken over in one transaction.
    private static let batchMax = 500

    /// - Parameter store: beside the app's own, and written by nothing else.
    public init(of app: any MirroredStore, in store: SyncStore) {
        self.app = app
        self.store = store
    }

    /// Takes over what the user did, syncs, and takes over what others did.
    ///
    /// - Throws: as `SyncStore.syncOnce`, and what the app's own store throws. What was done by then is kept.
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

    /// Syncs until the task is cancelled, as `SyncStore.run` does.
    public func run() async {
        let syncing = Task { await store.run() }
        defer { syncing.cancel() }
        // What the server tells comes by itself; of what the app writes `noteChanges` tells.
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

    /// Says that the app has written into its own store, as a notification of it tells. Costs nothing.
    public nonisolated func noteChanges() { wake.set() }

    /// Takes over what differs, both ways, without the server.
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

    /// - Returns: whether it was done; a mirror that begins waits for what the server has first.
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

    /// What the app's own code made of its store when it was updated is nobody's edit. What the user does while that is
    /// found out is.
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
    private func collectAll(as reading: MirrorStep.Reading) async throws {
        let walk = try await store.mirroring { try $0.beginWalk() }
        var token: String?
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            let part = try await app.changes(since: token)
            try await store.mirroring { try $0.collect(part, as: reading, walk: walk) }
            (token, hasMore) = (part.token, part.hasMore)
        }
        while true {
            let unseen = try await store.mirroring { try $0.unseen(walk, SyncMirror.batchMax) }
            if unseen.isEmpty { break }
            let existing = try await app.existing(unseen)
            try await store.mirroring { try $0.settle(unseen, existing, walk, as: reading) }
        }
        // A rebasing goes on from where edits were read up to.
        if let last = token, reading != .rebased { try await store.mirroring { try $0.goOn(from: last) } }
    }

    // MARK: What others did

    /// New and changed records first, so that a record that has left another is not deleted with it.
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
