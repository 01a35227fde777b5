import Dispatch

/// Reads the latest committed state of a store, over a connection of its own, while others write.
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

/// An executor for code that waits for a disk. It is a serial queue, whose thread may block; the few threads that all
/// Swift tasks share must not.
final class StoreQueue: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
