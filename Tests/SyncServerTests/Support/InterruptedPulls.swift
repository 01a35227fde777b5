import Postgres
import StrictJSON
import SyncTestSupport
import SyncTesting
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Pulls by an engine that has one session, so that something else can be done between its transactions.
struct InterruptedPulls {
    private let pool: Pool
    private let engine: SyncEngine
    private let caller: SyncEngine.Caller

    init?(_ server: TestServer, version: String) {
        guard let index = ShapeName(version).flatMap({ server.plan.index(of: $0) }) else { return nil }
        pool = Pool(
            server.database.connectionString, role: "syncserver_serving", limits: .patient(sessionsMax: 1))
        engine = SyncEngine(plan: server.plan, databases: Databases(directory: pool))
        caller = SyncEngine.Caller(space: server.space, version: index, device: .random())
    }

    var recentHeads: RecentHeads { engine.database(at: 0).recentHeads }

    /// - Parameter interruption: happens after the pull's first transaction, and before its second if it has one.
    func pull(
        after cursor: Cursor? = nil, limit: Int, interruption: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> SyncEngine.PullResult {
        // Sessions are lent first come, first served, and a transaction takes one of its own.
        let (queued, ends) = (Gate(), Gate())
        async let first: Void = pool.withSession { _ in
            queued.open()
            await ends.wait()
        }
        await queued.wait()
        async let page = engine.pull(after: cursor, limit: limit, as: caller)
        try await eventually("The pull waits.") { pool.counts.waiting == 1 }
        async let between: Void = pool.withSession { _ in try await interruption() }
        try await eventually("The interruption waits.") { pool.counts.waiting == 2 }
        ends.open()
        try await first
        let result = try await page
        try await between
        return result
    }

    /// Another device's push, by the same engine.
    func push(_ changes: [JSONValue]) async throws {
        var writer = JSONWriter()
        JSONValue.array(changes).write(to: &writer)
        let other = SyncEngine.Caller(space: caller.space, version: caller.version, device: .random())
        _ = try await engine.push(JSONDocument(parsing: writer.bytes).root, cursor: nil, as: other)
    }

    func close() async {
        await pool.close()
    }
}
