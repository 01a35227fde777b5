import HTTPServer
import PGStore
package import Postgres
import SyncServer
import SyncTesting
import Synchronization
import WireFormats

/// The clock of a simulated machine, with an error that a test sets.
package final class WrongClock: Sendable {
    private let offset: Mutex<Duration>

    package init(by offset: Duration) {
        self.offset = Mutex(offset)
    }

    package func set(to other: Duration) { offset.withLock { $0 = other } }

    package var host: HostClock { HostClock(wall: { Timestamp.now.adding(self.offset.withLock(\.self)) }) }
}

extension TestServer {
    /// Starts another server over the same database, on a simulated machine with this clock, and passes it to `body`.
    /// The server is stopped afterwards.
    package func withServer<Value>(
        on clock: WrongClock, _ body: (TestServer) async throws -> Value
    ) async throws -> Value {
        let service = try await RunningServer.start(
            .init(pool: .patient(sessionsMax: 2)), plans: [plan], lines: Repository.migrations(),
            database: database.connectionString, host: clock.host, log: Log(isSilent: true))
        do {
            let value = try await body(through(service))
            await service.stop()
            return value
        } catch {
            await service.stop()
            throw error
        }
    }
}
