import Operations
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncServer
package import WireFormats

extension Environment {
    /// Returns the plan of the app given by `--app`.
    package static func plan(_ options: Options) throws -> Plan {
        try Plan(declaration(options.appName()))
    }

    /// Returns the id of the space given by `--space`.
    static func space(_ options: Options) throws(UsageError) -> ID {
        guard let space = ID(try options.required("space")) else { throw UsageError("‘--space’ takes a UUID.") }
        return space
    }

    /// Makes a sync engine of the app, and passes it to `body`. Its sessions have the role that serves requests. An
    /// error is thrown first if the migrations, the plan and the database do not agree.
    static func withEngine<Value>(
        _ plan: Plan, _ options: Options, _ body: (SyncEngine) async throws -> Value
    ) async throws -> Value {
        try await withEngines([plan], options) { try await body($0.engines[0]) }
    }

    /// The sync engines of a command. They share a pool of one session, which has the role that serves requests.
    struct OpenEngines {
        let engines: [SyncEngine]
        let databases: Databases
        /// The engines' database, opened with the login that the user gave. It is used for the audit log and the
        /// tokens.
        let owner: OwnerDatabase
    }

    /// Makes sync engines of the apps, passes them to `body`, and then releases the database. An error is thrown first
    /// if the migrations, the plans and the database do not agree.
    static func withEngines<Value>(
        _ plans: [Plan], _ options: Options, _ body: (OpenEngines) async throws -> Value
    ) async throws -> Value {
        let lines = try migrations(options, for: Environment.plans())
        let database = try await database(options)
        let result: Result<Value, any Error>
        do {
            if database.cluster != nil { try await Migrator(database.string, lines: lines).up(contracts: .run) }
            let login = try await LoginRights.serving(database.serving)
            let presence = try await ServerRegistration.announce(database.serving, role: login.servingRole, lines)
            do {
                let pool = try await RunningServer.openPool(
                    for: plans, lines: lines, database: database.serving, rollouts: presence.rollouts,
                    limits: PoolLimits(sessionsMax: 1))
                let opened = OpenedDatabases(
                    plans: plans, lines: lines, directory: database.serving, limits: PoolLimits(sessionsMax: 1))
                let databases = Databases(directory: pool, open: opened.open)
                let moved = MovedSpaces()
                do {
                    let clock = try await pool.withSession { session in try await DatabaseClock.start(on: session) }
                    let hybrid = HybridClock(clock)
                    try await databases.refresh()
                    for (name, error) in databases.failures.sorted(by: { $0.key < $1.key }) {
                        Terminal.note("The database \(name) cannot be opened, so its spaces are left out. \(error)")
                    }
                    let engines = plans.map {
                        SyncEngine(
                            plan: $0, databases: databases, level: lines.level(of: $0.app),
                            claiming: lines.claimedLevel(of: $0.app), clock: hybrid, moved: moved)
                    }
                    let open = OpenEngines(
                        engines: engines, databases: databases, owner: OwnerDatabase(database.string))
                    result = .success(try await body(open))
                } catch {
                    result = .failure(error)
                }
                await announce(moved.take(), through: pool)
                await databases.close()
                await pool.close()
                await opened.end()
            } catch {
                result = .failure(error)
            }
            await presence.end()
        } catch {
            result = .failure(error)
        }
        try await database.leave()
        return try result.get()
    }

    /// Notifies running servers that a command has changed these spaces. A failure is not an error, because servers
    /// also find the changes at their next periodic check.
    ///
    /// - Parameter moved: the head (the latest sequence number) of each changed space.
    private static func announce(_ moved: [SpaceName: SpaceHead], through pool: Pool) async {
        if moved.isEmpty { return }
        do {
            try await NotificationChannel.notify(
                Announcement.payloads(of: moved), on: Announcement.channel, through: pool)
        } catch {
            Terminal.note("Devices that listen will hear of it half a minute later. \(error)")
        }
    }
}
