import Dispatch
import Glibc
import HTTPServer
import PGMigrations
import PGStore
import SyncServer
import WireFormats

/// `syncserver serve`: checks that everything agrees, then answers requests until it is told to stop.
struct ServeCommand {
    static let spec = CommandSpec(
        "serve", "Serve the apps over HTTP until SIGTERM or SIGINT",
        details: [
            "It starts only while migration files, database and plans agree. A private cluster is migrated first, and "
                + "stopped with the server."
        ],
        options: [
            .value("port", "N", "the port", standard: "8080", variable: "PORT"),
            .value("address", "ADDRESS", "the address to listen on", standard: "127.0.0.1"),
            .value(
                "connections-per-address", "N",
                "how many connections one client address may have at once; 0 is for no limit, which is right behind "
                    + "a proxy on another host",
                standard: "\(connectionsPerAddressDefault), but 0 on a loopback address"),
            .database,
            .value(
                "standby", "URL", "a standby of the database, to read large pages from where it is not behind",
                variable: "STANDBY_URL"),
            .value(
                "migrate", "WHEN",
                "‘auto’ applies pending migrations first, ‘check’ refuses to start while there are any",
                kind: .words(["auto", "check"]), standard: "check, but auto for a private cluster"),
            .value(
                "through", "APP/VERSION",
                "for rehearsals: serve an app as if this version were its newest, over tables that are migrated only "
                    + "as far as it needs; the next start without this option migrates the rest"),
            .flag("demo", "make a demo space and a token, and write them to .syncserver/demo.env"),
            .flag(
                "allow-unfrozen",
                "for development: also serve versions that are not frozen; a private cluster always does"),
            .flag("no-gc", "do not collect old tombstones in the background"),
            .value("gc-older-than", "AGE", "how old they must be", standard: Collector.ageDefault.shortText),
            .value("gc-interval", "TIME", "how often", standard: CollectionSchedule.intervalDefault.shortText),
            .value(
                "mass-deletion", "PERCENT",
                "how much of a space one push may delete without saying that it means to",
                standard: "\(MassDeletions.Limits().shareMaxPercent)"),
            .value(
                "limits", "FILE",
                "a JSON file with other rates and quotas than the standard ones, see docs/protocol.md, ‘Rates’",
                kind: .file),
            .value(
                "identity", "FILE",
                "a JSON file of the identity providers whose tokens let in besides the server's own, see "
                    + "docs/identity.md", kind: .file),
            .flag("no-rate-limits", "let everybody send as fast as the server can"),
            .value(
                "trusted-proxies", "NETWORKS",
                "whose ‘Forwarded’ or ‘X-Forwarded-For’ says where requests come from: 10.0.0.0/8,fd00::/8"),
            .value(
                "cors-origins", "ORIGINS",
                "whose pages browsers may let call the server: https://app.example,http://localhost:3000"),
            .flag("log-requests", "log a line for each request, without anything of its contents"),
            .value(
                "log-level", "LEVEL", "leave out of the log what matters less than info, warning or error",
                kind: .words(Log.Level.allCases.map(\.rawValue)), standard: Log.Level.info.rawValue),
            .value(
                "metrics-listen", "ADDRESS:PORT",
                "serve /metrics for Prometheus there, such as on 127.0.0.1:9464; it takes no token"),
            .migrations,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let configuration = try configuration(options)
        let schedule = try schedule(options)
        let massDeletions = try massDeletions(options)
        let asked = try migrates(options)
        let metricsAddress = try MetricsAddress(options)
        let standby = try (options["standby"] ?? Environment.variable("STANDBY_URL")).map { try ConnectionString($0) }
        let log = Log(atLeast: try logLevel(options))
        let plans = try Environment.plans()
        let policy = try policy(options, plans)
        let lines = try Environment.migrations(options, for: plans)
        let rehearsal = try options["through"].map { try Rehearsal($0, of: plans) }
        // From here on a signal must not leave the cluster running.
        let signals = StopSignals()
        let database = try await Environment.database(options)
        let result: Result<Void, any Error>
        do {
            try Publication(migrations: Environment.migrationsDirectory(options), plans: plans, lines: lines)
                .admit(unfrozen: options.has("allow-unfrozen") || database.cluster != nil)
            let migrates = asked ?? (database.cluster != nil)
            let served = try await rehearsal?.lines(lines, database.string, migrating: migrates) ?? lines
            if migrates {
                _ = try await signals.cancelling {
                    try await Migrator(database.string, lines: served).up(
                        contracts: .run, gate: ContractGate(plans: plans).obstacle, report: MigrationProgress().take)
                }
            }
            Allocator.keepBuffers()
            let shown = rehearsal?.plans(plans) ?? plans
            let server = try await signals.cancelling(saying: "Stopping before anything is served.") {
                try await RunningServer.start(
                    configuration, plans: shown, lines: served, database: database.serving, standby: standby,
                    massDeletions: massDeletions, policy: policy, log: log)
            }
            if options.has("demo") { try await Demo.prepare(database.string, port: server.port, hint: shown.first) }
            let metrics = try metricsAddress.map { try server.serveMetrics(address: $0.host, port: $0.port) }
            if let metrics, let host = metricsAddress?.host {
                Terminal.note("Metrics on http://\(host):\(metrics.port)/metrics")
            }
            let listening = "Listening on http://\(configuration.address):\(server.port)"
            Terminal.note(listening)
            let supervisor = Supervisor()
            supervisor.ready(listening)
            await withTaskGroup { group in
                group.addTask { await supervisor.keepAlive() }
                if let schedule { group.addTask { await server.collect(on: schedule) } }
                group.addTask { await server.keepPresent() }
                group.addTask { await server.keepCensus() }
                group.addTask { await server.keepTokenUses() }
                group.addTask { await server.keepVersions() }
                group.addTask { await server.keepIssuerKeys() }
                group.addTask { await server.keepClock() }
                group.addTask { await server.keepEvents() }
                await signals.wait()
                supervisor.stopping()
                Terminal.note("Stopping: no new requests; finishing what is in flight.")
                group.cancelAll()
                await metrics?.stop()
                // Where the database hangs, this is what ends their waits for it.
                let hasStopped = await Patience.wait(atMost: server.stopMax + beyondStopMax) { await server.stop() }
                if !hasStopped { Terminal.note("A request is still being worked on. It is left, and stores nothing.") }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await database.leave()
        try result.get()
        return 0
    }

    /// For closing what is left, once `RunningServer.stop` has let the database go, 9 s after the signal. Who has not
    /// ended then computes, and nothing interrupts it. Systems that stop services wait for ten seconds or more before
    /// they kill, and would leave a private PostgreSQL behind.
    private static let beyondStopMax = Duration.milliseconds(800)

    /// When to collect; `nil` for never.
    private static func schedule(_ options: Options) throws -> CollectionSchedule? {
        let age = try options.duration("gc-older-than")
        let interval = try options.duration("gc-interval", atLeast: .seconds(1))
        if options.has("no-gc") { return nil }
        return CollectionSchedule(
            age: age ?? Collector.ageDefault, interval: interval ?? CollectionSchedule.intervalDefault)
    }

    /// Whether to apply what is pending; `nil` where nothing was said.
    private static func migrates(_ options: Options) throws(UsageError) -> Bool? {
        switch options["migrate"] {
        case nil: return nil
        case "auto": return true
        case "check": return false
        case let word?: throw UsageError("‘--migrate’ takes auto or check, not ‘\(word)’.")
        }
    }

    private static func policy(_ options: Options, _ plans: [Plan]) throws -> RequestPolicy {
        let limits = try LimitsFile(options)
        return RequestPolicy(
            providers: try options["identity"].map { try IdentityOption.providers(in: $0, plans) },
            quotas: limits.quotas, rates: limits.rates.map { RateLimiter($0) }, proxies: try trustedProxies(options),
            origins: try origins(options), logsRequests: options.has("log-requests"))
    }

    private static func logLevel(_ options: Options) throws(UsageError) -> Log.Level {
        guard let word = options["log-level"] else { return .info }
        guard let level = Log.Level(rawValue: word) else {
            throw UsageError("‘--log-level’ takes info, warning or error, not ‘\(word)’.")
        }
        if level > .info, options.has("log-requests") {
            throw UsageError("‘--log-level \(word)’ leaves out the lines of ‘--log-requests’. Give one of the two.")
        }
        return level
    }

    private static func origins(_ options: Options) throws(UsageError) -> CrossOrigins {
        guard let text = options["cors-origins"] else { return .none }
        guard let origins = CrossOrigins(text) else {
            throw UsageError(
                "‘--cors-origins’ takes origins such as https://app.example, without a path, not ‘\(text)’.")
        }
        return origins
    }

    private static func trustedProxies(_ options: Options) throws(UsageError) -> TrustedProxies {
        guard let text = options["trusted-proxies"] else { return .none }
        guard let proxies = TrustedProxies(text) else {
            throw UsageError("‘--trusted-proxies’ takes networks such as 10.0.0.0/8,fd00::/8, not ‘\(text)’.")
        }
        return proxies
    }

    private static func massDeletions(_ options: Options) throws -> MassDeletions.Limits {
        guard let percent = try options.integer("mass-deletion", atLeast: 1) else { return MassDeletions.Limits() }
        guard percent <= 100 else { throw UsageError("‘--mass-deletion’ takes 1 to 100; 100 allows all.") }
        return MassDeletions.Limits(shareMaxPercent: percent)
    }

    /// As many streams as there are descriptors for, besides what everything else takes.
    private static func boundStreams(_ limits: inout HTTPServer.Limits) {
        let files = OpenFiles.raiseLimit()
        let others = limits.connectionsMax + otherFilesMax
        guard files < limits.streamsMax + others else { return }
        let wanted = limits.streamsMax + others
        limits.streamsMax = max(0, files - others)
        Terminal.note(
            "At most \(limits.streamsMax) devices can listen, because at most \(files) files can be open."
                + " ‘ulimit -n \(wanted)’, or LimitNOFILE=\(wanted) of systemd, allows all.")
    }

    /// A quarter of `connectionsMax`: an office or a carrier behind one address fits, and no single address takes all.
    private static let connectionsPerAddressDefault = 1_024

    /// On the loopback interface all come from one address: a proxy's.
    static func connectionsPerAddress(_ options: Options, address: String) throws -> Int? {
        guard let stated = try options.integer("connections-per-address", atLeast: 0) else {
            return address.hasPrefix("127.") || address == "::1" ? nil : connectionsPerAddressDefault
        }
        return stated == 0 ? nil : stated
    }

    /// Database sessions, event loops, sockets that are being drained, connections that were closed to make room, and
    /// what a program has open anyway: about 400.
    private static let otherFilesMax = 500

    private static func configuration(_ options: Options) throws -> HTTPServer.Configuration {
        var configuration = HTTPServer.Configuration()
        configuration.address = options["address"] ?? "127.0.0.1"
        let stated = try options.integer("port", atLeast: 0)
        guard let port = stated ?? Int(Environment.variable("PORT") ?? "8080"), (0...65535).contains(port) else {
            throw UsageError("The port must be a number up to 65535.")
        }
        configuration.port = port
        configuration.limits.connectionsPerAddressMax = try connectionsPerAddress(
            options, address: configuration.address)
        boundStreams(&configuration.limits)
        return configuration
    }
}

/// SIGTERM and SIGINT, which ask for a graceful stop.
struct StopSignals {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let sources: [any DispatchSourceSignal]

    private enum Event: Sendable {
        case signal
        case migrationsEnded
    }

    init() {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        (self.stream, self.continuation) = (stream, continuation)
        sources = [SIGTERM, SIGINT].map { number in
            // signal(7): the default action would end the process before the source sees it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(.signal) }
            source.resume()
            return source
        }
    }

    func wait() async {
        for await case .signal in stream { return }
    }

    /// Runs migrations in a task that the first signal cancels. The next ends the process at once.
    ///
    /// - Parameter note: said at the first.
    func cancelling<Value: Sendable>(
        saying note: String = "Stopping when the batch or statement at work is done; once more stops at once.",
        _ migrations: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let work = Task { try await migrations() }
        let watch = Task { [stream] in
            for await event in stream {
                if event == .migrationsEnded { return }
                if work.isCancelled { _exit(1) }
                Terminal.endProgress()
                Terminal.note(note)
                work.cancel()
            }
        }
        let result = await work.result
        continuation.yield(.migrationsEnded)
        await watch.value
        // It may have come too late for the migrations, but not for what follows them.
        if work.isCancelled { continuation.yield(.signal) }
        return try result.get()
    }
}
