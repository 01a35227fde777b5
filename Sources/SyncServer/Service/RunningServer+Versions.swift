import PGStore
import Postgres
import SyncEngine
import WireFormats

extension RunningServer {
    /// Reads the lifecycle states of versions periodically until the task is cancelled. A failure is logged, and the
    /// known states stay in force.
    package func keepVersions() async {
        let outage = Outage(
            log, failing: "the lifecycle of versions was not read", working: "the lifecycle of versions is read again")
        while (try? await Task.sleep(for: KnownVersionStates.reviewInterval)) != nil {
            do {
                try await reviewVersions()
                outage.worked()
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
        }
    }

    /// Reads the lifecycle states of schema versions. Ends the event streams of clients whose version is no longer
    /// served.
    ///
    /// - Throws: `PGError`.
    package func reviewVersions() async throws {
        try await RunningServer.readLives(engines, pool)
        let now = clock.time
        for engine in engines {
            let app = engine.plan.app
            let ended = engine.plan.shapes.indices.filter { engine.lifecycles.state(of: $0, at: now).hasEnded }
            if !ended.isEmpty { events.hub.end(app, versions: Set(ended)) }
        }
    }

    static func readLives(_ engines: [SyncEngine], _ pool: Pool) async throws {
        let rows = try await pool.withSession { session in try await session.execute(VersionStates.reading) }
        let lifecycles = VersionStates.Row.all(rows)
        for engine in engines { engine.lifecycles.take(lifecycles, engine.plan) }
    }
}
