package import HTTPServer
import OpenID
package import PGMigrations
package import PGStore
package import Postgres
package import SyncEngine
package import WireFormats

/// A running server: the pool, the engines and the HTTP side, started in that order and stopped in reverse.
package struct RunningServer: Sendable {
    private let http: HTTPServer
    /// The databases that this server serves, the directory first.
    package let databases: Databases
    private let opened: OpenedDatabases
    private let registration: ServerRegistration
    let engines: [SyncEngine]
    let authenticator: Authenticator
    private let readiness: Readiness
    let metrics: Metrics
    let policy: LivePolicy
    let standby: Standby?
    let databaseFigures: DatabaseFigures
    package let census: Census
    /// The database's epoch (the id that is replaced when the database is restored) when the server started.
    package let epoch: ID
    let build: BuildFacts
    let events: EventFeed
    let clock: HybridClock
    private let lifeline: Lifeline
    /// The maximum duration of a stop. After it, `stop` disconnects from a database that does not answer.
    package let stopMax: Duration
    let log: Log

    /// The pool of the directory.
    package var pool: Pool { databases.directory }

    /// The time that a stop has for its last statements to the database, after the time for requests in flight. By
    /// default, a stop takes nine seconds at most. Supervisors kill a process after ten.
    private static let lastWordsMax = Duration.seconds(1)

    package var port: Int { http.port }
    package var counts: (http: HTTPServer.Counts, pool: PoolCounts, events: EventHub.Counts) {
        (http.counts, pool.counts, events.hub.counts)
    }

    /// The numbers of pages that were requested from the standby, by outcome; `nil` if there is no standby.
    package var standbyCounts: Standby.Counts? { standby?.counts }

    /// The numbers of queries to the database: about the senders of requests, and about the database's readiness.
    package var questions: (identity: Authenticator.Counts, readiness: Int) {
        (authenticator.counts, readiness.questionCount)
    }

    /// Starts serving. Throws an error unless the plans, the migrations and the database agree. If the task is
    /// cancelled, the connections to the database are closed.
    ///
    /// - Parameters:
    ///   - clock: the clock from which the server takes the time; `nil`, the normal case, for the database's clock.
    ///   - host: this machine's clocks.
    /// - Throws: `NotServable` that says what differs and what to do; `PGError`, `MigrationError`, `HTTPServerError`.
    package static func start(
        _ settings: Settings, plans: [Plan], lines: [MigrationLine], database: ConnectionString,
        clock: HybridClock? = nil, host: HostClock = HostClock(), log: Log
    ) async throws -> RunningServer {
        let lifeline = Lifeline()
        do {
            return try await withTaskCancellationHandler {
                try await start(
                    settings, plans: plans, lines: lines, database: database, clock: clock, host: host, log: log,
                    lifeline: lifeline)
            } onCancel: {
                lifeline.cut()
            }
        } catch PGError.readOnly(let report) {
            // Throws an error that names the setting, if a setting is the cause.
            try await DatabaseFitness.check(database)
            throw PGError.readOnly(report)
        }
    }

    private static func start(
        _ settings: Settings, plans: [Plan], lines: [MigrationLine], database: ConnectionString, clock: HybridClock?,
        host: HostClock, log: Log, lifeline: Lifeline
    ) async throws -> RunningServer {
        let login = try await LoginRights.serving(database, lifeline: lifeline)
        let census = Census(plans)
        let registration = try await ServerRegistration.announce(
            database, role: login.servingRole, lines, counting: census.server, lifeline: lifeline)
        if let warning = login.warning { log.warning(warning) }
        let pool: Pool
        do {
            pool = try await openPool(
                for: plans, lines: lines, database: database, rollouts: registration.rollouts, limits: settings.pool,
                lifeline: lifeline)
        } catch {
            await registration.end()
            throw error
        }
        do {
            let clock = try await started(clock, host, pool, log)
            let epoch = try await readEpoch(pool)
            let moved = MovedSpaces()
            let returning = ReturningBudget()
            let live = LivePolicy(settings.policy)
            let standby = settings.standby.map { standby in
                Standby(pool: Standby.openPool(standby, limits: settings.pool, lifeline: lifeline)) {
                    log.error("the standby cannot be read, so all pages come from the primary", $0)
                }
            }
            let opened = OpenedDatabases(
                plans: plans, lines: lines, directory: database, limits: settings.pool, counting: census.server,
                lifeline: lifeline)
            let databases = Databases(directory: pool, open: opened.open)
            try await databases.refresh()
            let engines = plans.enumerated().map { index, plan in
                SyncEngine(
                    plan: plan, databases: databases, level: lines.level(of: plan.app),
                    claiming: lines.claimedLevel(of: plan.app), clock: clock,
                    massDeletions: settings.massDeletions,
                    readFaults: ReadFaults { log.note($0, in: $1, of: plan) }, census: census.taker(for: index),
                    moved: moved, returning: returning,
                    quotas: { live.current.quotas }, standby: standby)
            }
            try await readLives(engines, pool)
            let authenticator = Authenticator(pool: pool, apps: plans.map(\.app), policy: live) {
                clock.time
            }
            try await expectNamedSpaces(settings.policy, pool)
            let readiness = Readiness(pool: pool)
            let events = EventFeed(
                engines, moved: moved, authenticator: authenticator, pool: pool, database: database,
                registration: registration, lifeline: lifeline, log: log)
            let metrics = Metrics()
            let router = Router(
                engines: engines, authenticator: authenticator, readiness: readiness, hub: events.hub,
                registration: registration, clock: clock, policy: live, metrics: metrics, log: log)
            let http = try HTTPServer.start(settings.http) { router.decide(on: $0) }
            return RunningServer(
                http: http, databases: databases, opened: opened, registration: registration, engines: engines,
                authenticator: authenticator,
                readiness: readiness, metrics: metrics, policy: live,
                standby: standby,
                databaseFigures: DatabaseFigures(database, lifeline: lifeline),
                census: census, epoch: epoch, build: settings.build, events: events, clock: clock, lifeline: lifeline,
                stopMax: settings.http.limits.stopGrace + lastWordsMax, log: log)
        } catch {
            await pool.close()
            await registration.end()
            throw error
        }
    }

    /// Reports the server as not ready from now on, so that balancers send it nothing new, while it goes on serving.
    package func drain() { readiness.drain() }

    /// Finishes the requests in flight, then disconnects from the database, whether it still answers or not.
    package func stop() async {
        await withTaskGroup { group in
            group.addTask { [lifeline, stopMax] in
                // The sleep is cancelled as soon as the stop is done.
                if (try? await Task.sleep(for: stopMax)) != nil { lifeline.cut() }
            }
            await http.stop()
            await events.announceLast()
            await flushLastCensus()
            // Uses that are not written now are noted at the token's next use.
            _ = try? await noteTokenUses()
            await databases.close()
            await pool.close()
            await standby?.close()
            await opened.end()
            await registration.end()
            group.cancelAll()
        }
    }

    /// Keeps this server's registration in the database, until the task is cancelled.
    package func keepPresent() async {
        let outage = Outage(
            log, failing: "this server's place in the database is lost",
            working: "the database answers again: this server has its place in it")
        await registration.watch(outage)
    }

    /// Keeps this server's registrations in the databases beside the directory, until the task is cancelled.
    func keepPresentEverywhere() async { await opened.keepPresent(log) }

    /// Collects tombstones that are older than `age`.
    ///
    /// - Returns: one report for each app; `nil` if another process is collecting.
    package func collect(olderThan age: Duration, pause: Duration = .zero) async throws -> [Collector.Report]? {
        let reports = try await Collector(engines, olderThan: age, pause: pause).run(on: databases)
        if let reports { metrics.note(reports) }
        return reports
    }

    /// Collects periodically until the task is cancelled. A failure is logged, and the next collection tries again.
    package func collect(on schedule: CollectionSchedule) async {
        var wait = schedule.firstWait()
        let outage = Outage(log, failing: "collecting tombstones failed", working: "collecting tombstones works again")
        while (try? await Task.sleep(for: wait)) != nil {
            do {
                let reports = try await collect(olderThan: schedule.age, pause: CollectionSchedule.pause) ?? []
                outage.worked()
                for advice in reports.compactMap(\.advice) { log.warning(advice) }
                for report in reports where report.collected > 0 {
                    log.info(
                        "collected",
                        [
                            "app": .text(report.app), "tombstones": .count(report.tombstones),
                            "cleared": .count(report.cleared), "clamps": .count(report.clamps),
                            "increments": .count(report.increments), "judged": .count(report.judged),
                            "devices": .count(report.devices),
                        ])
                }
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
            wait = schedule.nextWait()
        }
    }

    /// Opens a pool of database sessions in the role that serves requests. Throws an error unless the plans agree with
    /// the database.
    package static func openPool(
        for plans: [Plan], lines: [MigrationLine], database: ConnectionString,
        rollouts: [String: Agreement.Rollout] = [:], limits: PoolLimits, lifeline: Lifeline? = nil
    ) async throws -> Pool {
        let pool = Pool(
            database, role: LoginRights.servingRoleName, limits: limits,
            opening: Spaces.opening(for: lines.map { ($0.name, $0.level) }), lifeline: lifeline)
        do {
            try await pool.withSession { session in try await checkAgreement(plans, rollouts, session) }
            return pool
        } catch {
            await pool.close()
            throw error
        }
    }

    private static func checkAgreement(
        _ plans: [Plan], _ rollouts: [String: Agreement.Rollout], _ session: isolated Session
    ) throws {
        let schemas = plans.map(\.hub.schema) + ["sync"]
        var found = try Agreement.excessivePowers(of: schemas, session)
        found += try Agreement.breaches(in: schemas, session)
        for plan in plans {
            found += try Agreement.differences(of: plan.hub, in: rollouts[plan.app] ?? .init(), session)
        }
        if found.isEmpty { return }
        let list = found.map { "  - \($0)" }.joined(separator: "\n")
        throw NotServable(
            """
            The plan and the database disagree, so nothing is served:
            \(list)
            Write a migration that brings the tables to what the plan needs, then run ‘syncserver migrate up’.
            """)
    }
}

extension Log {
    /// Logs that a value of a record could not be converted for a client, and that the default is sent instead. The
    /// line has the location of the value, but not the value.
    fileprivate func note(_ fault: ReadFaults.Fault, in location: ReadFaults.Location, of plan: Plan) {
        var facts: [String: LogFact] = [
            "app": .text(plan.app), "version": .text(plan.name(of: fault.version).description),
            "entity": .text(fault.entity), "attribute": .text(fault.attribute), "space": "\(location.space)",
            "record": .text(location.record),
        ]
        switch fault.cause {
        case .lens: warning("a lens failed; the default is sent instead", facts)
        case .stored:
            facts["next"] = "‘syncserver migrate doctor’ counts such rows and says what mends them."
            warning("a row holds what cannot be sent; the default is sent instead", facts)
        }
    }
}
