package import PGMigrations
package import PGStore
package import Postgres
import SyncEngine
import Synchronization
package import WireFormats

/// The databases beside the directory that a server has opened. In each of them the server is registered.
package final class OpenedDatabases: Sendable {
    private let plans: [Plan]
    private let lines: [MigrationLine]
    private let directory: ConnectionString
    private let limits: PoolLimits
    private let server: Int32?
    private let lifeline: Lifeline?
    private let registrations = Mutex<[(name: String, registration: ServerRegistration)]>([])

    /// The time between two readings of the map of buckets. A request to a space that has moved has it read at once, so
    /// this is only for databases that could not be opened, and for new ones.
    static let interval = Duration.seconds(5)

    /// - Parameters:
    ///   - server: the number under which this server counts devices in the census; `nil` for a command.
    ///   - lifeline: ends all waits for the databases when it is cut.
    package init(
        plans: [Plan], lines: [MigrationLine], directory: ConnectionString, limits: PoolLimits,
        counting server: Int32? = nil, lifeline: Lifeline? = nil
    ) {
        (self.plans, self.lines, self.directory, self.limits) = (plans, lines, directory, limits)
        (self.server, self.lifeline) = (server, lifeline)
    }

    /// Opens a database of the map, and registers this server there.
    ///
    /// - Throws: `NotServable`, `PGError`, `MigrationError`: the database's migrations or tables are not those that
    ///   this server needs, or the database does not answer.
    package func open(_ entry: BucketMap.Entry) async throws -> Pool {
        let string = directory.with(host: entry.host, port: entry.port, database: entry.database)
        let login = try await LoginRights.serving(string, lifeline: lifeline)
        let registration = try await ServerRegistration.announce(
            string, role: login.servingRole, lines, counting: server, lifeline: lifeline)
        do {
            let pool = try await RunningServer.openPool(
                for: plans, lines: lines, database: string, rollouts: registration.rollouts, limits: limits,
                lifeline: lifeline)
            registrations.withLock { $0.append((entry.name, registration)) }
            return pool
        } catch {
            await registration.end()
            throw error
        }
    }

    /// Keeps the registrations in all databases, until the task is cancelled.
    func keepPresent(_ log: Log) async {
        await withTaskGroup { group in
            var count = 0
            repeat {
                let new = registrations.withLock { Array($0[count...]) }
                count += new.count
                for (name, registration) in new {
                    group.addTask {
                        let outage = Outage(
                            log, failing: "this server's place in the database \(name) is lost",
                            working: "the database \(name) answers again: this server has its place in it")
                        await registration.watch(outage)
                    }
                }
            } while (try? await Task.sleep(for: OpenedDatabases.interval)) != nil
        }
    }

    /// Ends the registrations in all databases.
    package func end() async {
        for (_, registration) in registrations.withLock(\.self) { await registration.end() }
    }
}

extension ServerRegistration {
    /// Registers the server again whenever its session is lost, and logs that. See `watch(report:)`.
    func watch(_ outage: Outage) async {
        await watch { error in
            if let error { outage.failed(error) } else { outage.worked() }
        }
    }
}

extension RunningServer {
    /// Reads the map of buckets periodically, until the task is cancelled. So a database that was added is opened, and
    /// one that could not be opened is tried again.
    func keepDatabases() async {
        let outage = Outage(
            log, failing: "reading which database serves which spaces failed",
            working: "the directory answers again: the map of spaces was read")
        var known: Set<String> = []
        var knownDisputed: [Bucket] = []
        while (try? await Task.sleep(for: OpenedDatabases.interval)) != nil {
            do {
                try await databases.refresh()
                outage.worked()
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
            // A single database was told by the transaction that changed the members.
            for engine in databases.pools.count > 1 ? engines : [] {
                do { try await engine.tellUntold() } catch { if !Task.isCancelled { outage.failed(error) } }
            }
            let disputed = databases.disputed
            if disputed != knownDisputed {
                knownDisputed = disputed
                if !disputed.isEmpty {
                    log.error(
                        "databases disagree about who serves spaces, so these are not served: see ‘syncserver database "
                            + "list’", ["buckets": .text(disputed.text)])
                }
            }
            let failures = databases.failures
            for (name, error) in failures where !known.contains(name) {
                log.error("a database cannot be opened, so its spaces are not served", error, ["database": .text(name)])
            }
            for name in known where failures[name] == nil {
                log.info("a database is served", ["database": .text(name)])
            }
            known = Set(failures.keys)
        }
    }
}
