import Dispatch

/// Reads a store beside whoever writes it, with a connection of its own: what was committed last.
actor StoreReader {
    private let queue = StoreQueue(label: "sync-reader")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let replica: Replica<SQLiteStorage>

    init(path: String, schema: SyncSchema) throws {
        replica = Replica(
            opened: try SQLiteStorage(path: path, schema: schema, isReader: true),
            schema: schema)
    }

    func read<Result: Sendable>(_ body: @Sendable (Replica<SQLiteStorage>) throws -> Result) throws -> Result {
        try replica.storage.reading { try body(replica) }
    }
}

/// The executor of what waits for a disk: a serial queue, whose thread may block, and not the few that all tasks share.
final class StoreQueue: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
