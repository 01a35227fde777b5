import PGStore
import Postgres
import WireFormats

extension RunningServer {
    /// Checks periodically if the database's epoch has changed, until the task is cancelled. The epoch is an id that is
    /// replaced when the database is restored. Logs a change, because each device then pulls everything again and the
    /// operator should know the reason.
    package func keepEpoch() async {
        var known = epoch
        let outage = Outage(
            log, failing: "reading the epoch failed", working: "the database answers again: the epoch was read")
        while (try? await Task.sleep(for: RunningServer.epochInterval)) != nil {
            do {
                let found = try await RunningServer.readEpoch(pool)
                outage.worked()
                if found == known { continue }
                log.warning(
                    "the epoch of the database has changed, so every device pulls a snapshot and offers what it has",
                    ["before": "\(known)", "now": "\(found)"])
                known = found
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
        }
    }

    /// The time between two checks of the database's epoch, an id that is replaced when the database is restored. It is
    /// short, because an operator may soon ask why all devices pull everything again. Each check costs one small
    /// statement.
    private static let epochInterval = Duration.seconds(5)

    static func readEpoch(_ pool: Pool) async throws -> ID {
        try await pool.withSession { session in try await session.execute(Spaces.readingEpoch).id(0, 0) }
    }
}
