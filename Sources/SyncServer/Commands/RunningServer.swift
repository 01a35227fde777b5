package import HTTPServer
package import PGStore
package import WireFormats

/// A running server: the pool, the engines and the HTTP side, started in that order and stopped in reverse.
package struct RunningServer: Sendable {
    private let http: HTTPServer
    private let pool: Pool
    private let engines: [SyncEngine]
    private let clock: HybridClock
    private let log: Log

    package var port: Int { http.port }
    package var counts: (http: HTTPServer.Counts, pool: PoolCounts) { (http.counts, pool.counts) }

    /// Starts serving, once plan, migrations and database agree.
    ///
    /// - Throws: `CommandError` that says what differs and what to do; `PGError`, `MigrationError`, `HTTPServerError`.
    package static func start(
        _ configuration: HTTPServer.Configuration, plans: [Plan], lines: [MigrationLine], database: ConnectionString,
        clock: HybridClock = HybridClock(), limits: PoolLimits = PoolLimits(),
        massDeletions: MassDeletions.Limits = MassDeletions.Limits(), log: Log
    ) async throws -> RunningServer {
        let pool = try await openPool(for: plans, lines: lines, database: database, limits: limits)
        do {
            let engines = plans.map { plan in
                SyncEngine(
                    plan: plan, pool: pool, clock: clock, massDeletions: massDeletions,
                    readFaults: ReadFaults { log.note($0, of: plan) })
            }
            let router = Router(
                engines: engines, authenticator: Authenticator(pool: pool), pool: pool, clock: clock, log: log)
            let http = try HTTPServer.start(configuration) { await router.respond(to: $0) }
            return RunningServer(http: http, pool: pool, engines: engines, clock: clock, log: log)
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Finishes what is in flight, then lets the database go.
    package func stop() async {
        await http.stop()
        await pool.close()
    }

    /// Collects tombstones that are older than `age`.
    ///
    /// - Returns: what was collected; `nil` where another process is at it.
    package func collect(olderThan age: Duration, pause: Duration = .zero) async throws -> [Collector.Report]? {
        try await Collector(engines, clock: clock, olderThan: age, pause: pause).run(on: pool)
    }

    /// Collects again and again until the task is cancelled. What fails is logged, and tried again the next time.
    package func collect(on schedule: CollectionSchedule) async {
        var wait = schedule.firstWait()
        while (try? await Task.sleep(for: wait)) != nil {
            do {
                let reports = try await collect(olderThan: schedule.age, pause: CollectionSchedule.pause) ?? []
                for report in reports where report.tombstones + report.clamps + report.increments > 0 {
                    log.info(
                        "collected",
                        [
                            "app": report.app, "tombstones": "\(report.tombstones)", "clamps": "\(report.clamps)",
                            "increments": "\(report.increments)",
                        ])
                }
            } catch {
                if Task.isCancelled { return }
                log.error("collecting tombstones failed", ["error": "\(error)"])
            }
            wait = schedule.nextWait()
        }
    }

    /// Sessions in the role that requests are served in, once migrations, plans and database agree.
    static func openPool(
        for plans: [Plan], lines: [MigrationLine], database: ConnectionString, limits: PoolLimits
    ) async throws -> Pool {
        try await checkMigrations(database, lines)
        let pool = Pool(database, role: Environment.servingRole, limits: limits, opening: Spaces.recognizing)
        do {
            try await pool.withSession { session in try await checkAgreement(plans, session) }
            return pool
        } catch {
            await pool.close()
            throw error
        }
    }

    private static func checkMigrations(_ database: ConnectionString, _ lines: [MigrationLine]) async throws {
        let open = try await Migrator(database, lines: lines).status().filter { !$0.state.isApplied }
        guard let first = open.first else { return }
        throw CommandError(
            """
            The database and the migration files disagree: \(open.count) not in order, first \(first.path) \
            (\(first.state)).
            Look with ‘syncserver migrate status’, apply with ‘syncserver migrate up’.
            """)
    }

    private static func checkAgreement(_ plans: [Plan], _ session: isolated Session) throws {
        let schemas = plans.map(\.hub.schema) + ["sync"]
        var found = try Agreement.excessivePowers(of: schemas, session)
        found += try Agreement.breaches(in: schemas, session)
        for plan in plans { found += try Agreement.differences(of: plan.hub, session) }
        if found.isEmpty { return }
        let list = found.map { "  - \($0)" }.joined(separator: "\n")
        throw CommandError(
            """
            The plan and the database disagree, so nothing is served:
            \(list)
            Write a migration that brings the tables to what the plan needs, then run ‘syncserver migrate up’.
            """)
    }
}

extension Log {
    /// No value, but where to look.
    fileprivate func note(_ fault: ReadFaults.Fault, of plan: Plan) {
        error(
            "a lens failed; the default is sent instead",
            [
                "app": plan.app, "version": plan.name(of: fault.version).description, "entity": fault.entity,
                "attribute": fault.attribute,
            ])
    }
}
