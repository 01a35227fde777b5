import PGStore
import Postgres
import SyncEngine
import WireFormats

extension RunningServer {
    /// Reads the lifecycle states of versions periodically until the task is cancelled. A failure is logged, and the
    /// known states stay in force.
    package func keepVersions() async {
        let outage = Outage(
            log, failing: "reading the lives of versions failed", working: "the lives of versions are read again")
        while (try? await Task.sleep(for: KnownLives.reviewInterval)) != nil {
            do {
                try await reviewVersions()
                outage.worked()
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
        }
    }

    /// Reads the lifecycle states of versions, and ends the streams of versions that have ended.
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
        let rows = try await pool.withSession { session in try await session.execute(VersionLives.reading) }
        let lifecycles = VersionLives.Row.all(rows)
        for engine in engines { engine.lifecycles.take(lifecycles, engine.plan) }
    }
}
