import HTTPServer
import Operations
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncServer
import WireFormats

/// One run of `syncserver serve`, from parsing its options to the end of the process.
struct ServeRun {
    /// The options that are given on the command line, without those of the configuration file.
    let stated: Options
    /// The options of the command line, completed by the configuration file.
    let options: Options
    let log: Log

    func run() async throws {
        let plans = try Environment.plans()
        let checked = try checked(plans)
        let (settings, schedule, metricsAddress) = (checked.settings, checked.schedule, checked.metricsAddress)
        let say = { @Sendable [log] (text: String) in log.info(text) }
        let (lines, preview, drain) = (checked.lines, checked.preview, checked.drain)
        // A port in use is reported before a cluster is made and migrated in vain.
        do throws(HTTPServerError) {
            try HTTPServer.check(address: settings.http.address, port: settings.http.port)
        } catch {
            throw ServeRun.naming(error)
        }
        // From here on a signal must not leave the cluster running.
        let signals = StopSignals(reloads: readsFiles)
        let database = try await Environment.database(options, saying: say)
        let result: Result<Void, any Error>
        do {
            try Publication(migrations: Environment.migrationsDirectory(options), plans: plans, lines: lines)
                .admit(unfrozen: options.has("allow-unfrozen") || database.cluster != nil)
            let migrates = checked.migrates ?? (database.cluster != nil)
            let served = try await preview?.lines(lines, database.string, migrating: migrates) ?? lines
            if migrates {
                let progress = MigrationProgress(isSummary: database.cluster != nil, saying: say)
                try await signals.cancelling(by: say) { [log] in
                    try await ServeRun.migrate(database.string, nil, plans, served, progress)
                    for (name, string) in try await DatabaseGroup(directory: database.string).addresses().dropFirst() {
                        do {
                            try await ServeRun.migrate(string, database.string, plans, served, progress)
                        } catch MigrationError.database(let error) {
                            log.error(
                                "a database cannot be migrated, so it is not served", error, ["database": .text(name)])
                        }
                    }
                    progress.end()
                }
            }
            Allocator.keepBuffers()
            let shown = preview?.plans(plans) ?? plans
            let server = try await signals.cancelling(saying: "Stopping before anything is served.", by: say) {
                do {
                    return try await RunningServer.start(
                        settings, plans: shown, lines: served, database: database.serving, log: log)
                } catch let error as HTTPServerError {
                    throw ServeRun.naming(error)
                }
            }
            for fault in try await server.pool.withSession({ session in try await Doctor.durabilityFaults(session) }) {
                log.warning("\(fault.object): \(fault.fault) \(fault.remedy)")
            }
            if options.has("demo") {
                try await Demo.prepare(database.string, port: server.port, hint: shown.first, log: log)
            }
            let metrics = try metrics(of: server, at: metricsAddress)
            let listening = "Listening on http://\(settings.http.address):\(server.port)"
            log.info(listening, facts(of: server, shown))
            let supervisor = Supervisor()
            supervisor.ready(listening)
            await withTaskGroup { group in
                group.addTask { await supervisor.keepAlive() }
                group.addTask { await server.keep(collectingOn: schedule) }
                if signals.hasMissedReload { await reload(server, plans) }
                while await signals.next() == .reload {
                    supervisor.reloading()
                    await reload(server, plans)
                    supervisor.ready(listening)
                }
                if drain > .zero {
                    server.drain()
                    log.info("stopping: not ready for new clients, and serving on", ["forAtMost": .milliseconds(drain)])
                    // A second signal ends the wait.
                    await signals.wait(atMost: drain)
                }
                supervisor.stopping()
                log.info("stopping: no new requests; finishing what is in flight")
                group.cancelAll()
                await metrics?.stop()
                // If the database hangs, stopping the server ends the requests' waits for it.
                let hasStopped = await Patience.wait(atMost: server.stopMax + ServeRun.beyondStopMax) {
                    await server.stop()
                }
                if !hasStopped { log.warning("a request is still being worked on; it is left, and stores nothing") }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await database.leave()
        try result.get()
    }

    /// Migrates one database, unless nothing is pending: then a move of spaces may be under way, for which a migration
    /// run would wait.
    ///
    /// - Parameter directory: the directory, if another database is migrated.
    private static func migrate(
        _ string: ConnectionString, _ directory: ConnectionString?, _ plans: [Plan], _ lines: [MigrationLine],
        _ progress: MigrationProgress
    ) async throws {
        let migrator = Migrator(string, lines: lines, tables: RecordTables(plans))
        // Errors, such as that of a pooler, are explained by the run.
        if let statuses = try? await migrator.status(), statuses.allSatisfy(\.isApplied) { return }
        let gate = ContractGate(plans: plans, directory: directory)
        _ = try await migrator.up(contracts: .run, gate: gate.obstacle, report: progress.take)
    }

    /// Returns the error for an address or port at which the server cannot listen. The error's text names the option
    /// for choosing another one.
    private static func naming(_ error: HTTPServerError) -> CommandError {
        let option = error.isOfAddress ? "address of this machine with ‘--address’" : "port with ‘--port’"
        return CommandError("Nothing is served: \(error). Choose another \(option).")
    }

    /// The time for which `RunningServer.stop` is awaited after it has closed the database sessions, 9 s after the
    /// signal. A service manager may kill the process 10 s after the signal, and a private PostgreSQL would then keep
    /// running. So this process must end earlier, even if some of its work has not ended.
    private static let beyondStopMax = Duration.milliseconds(800)

    /// The settings that result from the options. They are made when all options were found valid.
    private struct Checked {
        let settings: RunningServer.Settings
        let schedule: CollectionSchedule?
        let metricsAddress: MetricsAddress?
        let drain: Duration
        let migrates: Bool?
        let lines: [MigrationLine]
        let preview: ReleasePreview?
    }

    private func checked(_ plans: [Plan]) throws -> Checked {
        _ = try Environment.statedDatabase(options)
        return Checked(
            settings: try settings(plans), schedule: try ServeCommand.schedule(options),
            metricsAddress: try MetricsAddress(options), drain: try options.duration("drain") ?? .zero,
            migrates: try ServeCommand.migrates(options),
            lines: try Environment.migrations(options, for: plans),
            preview: try options["through"].map { try ReleasePreview($0, of: plans) })
    }

    private func settings(_ plans: [Plan]) throws -> RunningServer.Settings {
        var settings = RunningServer.Settings()
        settings.http = try ServeCommand.configuration(options, log)
        settings.massDeletions = try ServeCommand.massDeletions(options)
        settings.standby = try (options["standby"] ?? Environment.secret("STANDBY_URL"))
            .map { try ConnectionString($0) }
        settings.policy = try ServeCommand.policy(options, plans)
        settings.build = BuildFacts(version: ProgramRelease.version, commit: ProgramRelease.commit ?? "")
        return settings
    }

    private func metrics(of server: RunningServer, at address: MetricsAddress?) throws -> HTTPServer? {
        guard let address else { return nil }
        let metrics: HTTPServer
        do { metrics = try server.serveMetrics(address: address.host, port: address.port) } catch {
            throw CommandError(
                "Nothing is served, because of the metrics: \(error). Choose another ‘--metrics-listen’.")
        }
        log.info("Metrics on http://\(address.host):\(metrics.port)/metrics")
        return metrics
    }

    private func facts(of server: RunningServer, _ plans: [Plan]) -> [String: LogFact] {
        [
            "version": .text(ProgramRelease.version), "commit": .text(ProgramRelease.commit ?? "not recorded"),
            "epoch": "\(server.epoch)",
            "apps": .text(plans.map { "\($0.app) \($0.schemas[$0.newest].version)" }.joined(separator: ", ")),
        ]
    }

    // MARK: - Reading files again

    /// True if an option names a file that can be read again on SIGHUP.
    private var readsFiles: Bool { ["config", "limits", "identity"].contains { options[$0] != nil } }

    /// The options whose new values a reload applies. All other options need a restart.
    private static let reloaded: Set<String> = [
        "config", "limits", "identity", "no-rate-limits", "trusted-proxies", "cors-origins", "log-requests",
    ]

    /// Reads the configuration files again and applies the new settings. If a file is invalid, all earlier settings
    /// stay in force.
    private func reload(_ server: RunningServer, _ plans: [Plan]) async {
        do {
            let again = try ConfigurationFile.filling(stated, of: ServeCommand.spec)
            // All options are checked, as at a start: errors must be reported now and not at the next start.
            let next = try ServeRun(stated: stated, options: again, log: ServeCommand.log(again)).checked(plans)
            try await server.adopt(next.settings.policy)
            let fixed = again.differences(from: options).subtracting(ServeRun.reloaded).sorted()
            log.info("the files were read again, and what they say is in force")
            if !fixed.isEmpty {
                log.warning(
                    "what was changed beside that takes a restart", ["options": .text(fixed.joined(separator: ", "))])
            }
        } catch {
            log.error(
                "the files were not taken, and what they said before holds on",
                ["error": .text(Terminal.naming(SyncServerProgram.explanation(of: error)))])
        }
    }
}
