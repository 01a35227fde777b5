package import HTTPServer
import OpenID
package import PGMigrations
package import PGStore
package import WireFormats

/// A running server: the pool, the engines and the HTTP side, started in that order and stopped in reverse.
package struct RunningServer: Sendable {
    private let http: HTTPServer
    package let pool: Pool
    private let presence: ServerRegistration
    let engines: [SyncEngine]
    let authenticator: Authenticator
    private let readiness: Readiness
    let metrics: Metrics
    let rates: RateLimiter?
    let providers: IdentityProviders?
    let standby: Standby?
    let databaseFigures: DatabaseFigures
    package let census: Census
    let events: EventFeed
    let clock: HybridClock
    private let lifeline: Lifeline
    /// The longest that a stop takes, whether the database answers or not.
    /// After which `stop` lets go of a database that does not answer.
    package let stopMax: Duration
    let log: Log

    /// What a stop has for its last words to the database, beyond the grace for requests: announcements and the census
    /// are a statement each. Nine seconds together, and supervisors kill after ten.
    private static let lastWordsMax = Duration.seconds(1)

    package var port: Int { http.port }
    package var counts: (http: HTTPServer.Counts, pool: PoolCounts, events: EventHub.Counts) {
        (http.counts, pool.counts, events.hub.counts)
    }

    /// What became of the pages that a standby was asked for; `nil` where there is none.
    package var standbyCounts: Standby.Counts? { standby?.counts }

    /// What has been asked of the database to know who sends requests, and whether it answers.
    package var questions: (identity: Authenticator.Counts, readiness: Int) {
        (authenticator.counts, readiness.questionCount)
    }

    /// Starts serving, once plan, migrations and database agree. Cancelled, it gives the database up.
    ///
    /// - Parameters:
    ///   - clock: `nil` for the database's, as it should be.
    ///   - host: this machine's clocks.
    ///   - standby: of the database; large pages are read there.
    ///   - policy: what is decided about requests, whatever they are about.
    /// - Throws: `NotServable` that says what differs and what to do; `PGError`, `MigrationError`, `HTTPServerError`.
    package static func start(
        _ configuration: HTTPServer.Configuration, plans: [Plan], lines: [MigrationLine], database: ConnectionString,
        standby: ConnectionString? = nil, clock: HybridClock? = nil, host: HostClock = HostClock(),
        limits: PoolLimits = PoolLimits(),
        massDeletions: MassDeletions.Limits = MassDeletions.Limits(), policy: RequestPolicy = RequestPolicy(),
        log: Log
    ) async throws -> RunningServer {
        let lifeline = Lifeline()
        return try await withTaskCancellationHandler {
            try await start(
                configuration, plans: plans, lines: lines, database: database, standby: standby, clock: clock,
                host: host, limits: limits, massDeletions: massDeletions, policy: policy, log: log,
                lifeline: lifeline)
        } onCancel: {
            lifeline.cut()
        }
    }

    private static func start(
        _ configuration: HTTPServer.Configuration, plans: [Plan], lines: [MigrationLine], database: ConnectionString,
        standby: ConnectionString?, clock: HybridClock?, host: HostClock, limits: PoolLimits,
        massDeletions: MassDeletions.Limits,
        policy: RequestPolicy, log: Log, lifeline: Lifeline
    ) async throws -> RunningServer {
        let login = try await LoginRights.serving(database, lifeline: lifeline)
        let presence = try await ServerRegistration.announce(
            database, role: login.servingRole, lines, lifeline: lifeline)
        if let warning = login.warning { log.warning(warning) }
        let pool: Pool
        do {
            pool = try await openPool(
                for: plans, lines: lines, database: database, rollouts: presence.rollouts, limits: limits,
                lifeline: lifeline)
        } catch {
            await presence.end()
            throw error
        }
        do {
            let clock = try await started(clock, host, pool, log)
            let census = Census(plans)
            let moved = MovedSpaces()
            let returning = ReturningBudget()
            let standby = standby.map { standby in
                Standby(pool: Standby.openPool(standby, limits: limits, lifeline: lifeline)) {
                    log.error("the standby cannot be read, so all pages come from the primary", $0)
                }
            }
            let engines = plans.enumerated().map { place, plan in
                SyncEngine(
                    plan: plan, pool: pool, level: lines.level(of: plan.app), clock: clock,
                    massDeletions: massDeletions,
                    readFaults: ReadFaults { log.note($0, in: $1, of: plan) }, census: census.taker(for: place),
                    moved: moved, returning: returning,
                    quotas: policy.quotas, standby: standby)
            }
            try await readLives(engines, pool)
            let authenticator = Authenticator(pool: pool, apps: plans.map(\.app), providers: policy.providers) {
                clock.time
            }
            if policy.providers?.nameSpaces == true {
                try await pool.withSession { session in try await session.execute(Erasures.expectingNamedSpaces) }
            }
            let readiness = Readiness(pool: pool)
            let events = EventFeed(
                engines, moved: moved, authenticator: authenticator, pool: pool, database: database,
                presence: presence, lifeline: lifeline, log: log)
            let metrics = Metrics()
            let router = Router(
                engines: engines, authenticator: authenticator, readiness: readiness, hub: events.hub,
                presence: presence, clock: clock, policy: policy, metrics: metrics, log: log)
            let http = try HTTPServer.start(configuration) { router.admit($0) }
            return RunningServer(
                http: http, pool: pool, presence: presence, engines: engines, authenticator: authenticator,
                readiness: readiness, metrics: metrics, rates: policy.rates, providers: policy.providers,
                standby: standby,
                databaseFigures: DatabaseFigures(pool: pool),
                census: census, events: events, clock: clock, lifeline: lifeline,
                stopMax: configuration.limits.stopGrace + lastWordsMax, log: log)
        } catch {
            await pool.close()
            await presence.end()
            throw error
        }
    }

    /// Finishes what is in flight, then lets the database go, whether it still answers or not.
    package func stop() async {
        await withTaskGroup { group in
            group.addTask { [lifeline, stopMax] in
                // Cancelled as soon as all is said.
                if (try? await Task.sleep(for: stopMax)) != nil { lifeline.cut() }
            }
            await http.stop()
            await events.announceLast()
            await flushLastCensus()
            // What is not noted now is noted when the token is next used.
            _ = try? await noteTokenUses()
            await pool.close()
            await standby?.close()
            await presence.end()
            group.cancelAll()
        }
    }

    /// Keeps its place among the servers of the database, until the task is cancelled.
    package func keepPresent() async {
        await presence.watch { error in
            log.error("this server's place in the database is lost", error)
        }
    }

    /// Collects tombstones that are older than `age`.
    ///
    /// - Returns: what was collected; `nil` where another process is at it.
    package func collect(olderThan age: Duration, pause: Duration = .zero) async throws -> [Collector.Report]? {
        let reports = try await Collector(engines, olderThan: age, pause: pause).run(on: pool)
        if let reports { metrics.note(reports) }
        return reports
    }

    /// Collects again and again until the task is cancelled. What fails is logged, and tried again the next time.
    package func collect(on schedule: CollectionSchedule) async {
        var wait = schedule.firstWait()
        while (try? await Task.sleep(for: wait)) != nil {
            do {
                let reports = try await collect(olderThan: schedule.age, pause: CollectionSchedule.pause) ?? []
                for advice in reports.compactMap(\.advice) { log.warning(advice) }
                for report in reports where report.collected > 0 {
                    log.info(
                        "collected",
                        [
                            "app": report.app, "tombstones": "\(report.tombstones)",
                            "cleared": "\(report.cleared)", "clamps": "\(report.clamps)",
                            "increments": "\(report.increments)", "judged": "\(report.judged)",
                            "devices": "\(report.devices)",
                        ])
                }
            } catch {
                if Task.isCancelled { return }
                log.error("collecting tombstones failed", error)
            }
            wait = schedule.nextWait()
        }
    }

    /// Sessions in the role that requests are served in, once plans and database agree.
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
    /// No value, but where to look.
    fileprivate func note(_ fault: ReadFaults.Fault, in place: ReadFaults.Place, of plan: Plan) {
        var facts = [
            "app": plan.app, "version": plan.name(of: fault.version).description, "entity": fault.entity,
            "attribute": fault.attribute, "space": "\(place.space)", "record": place.record,
        ]
        switch fault.cause {
        case .lens: warning("a lens failed; the default is sent instead", facts)
        case .stored:
            facts["next"] = "‘syncserver migrate doctor’ counts such rows and says what mends them."
            warning("a row holds what cannot be sent; the default is sent instead", facts)
        }
    }
}
