import HTTPServer
import SyncEngine
import SyncServer
import WireFormats

/// `syncserver serve`: checks that the plans, migrations and database agree, and then answers requests until a signal
/// stops it.
struct ServeCommand {
    static let spec = CommandSpec(
        "serve", "Serve the apps over HTTP until SIGTERM or SIGINT",
        details: [
            "It starts only while migration files, database and plans agree. A private cluster is migrated first, and "
                + "stopped with the server.",
            "SIGHUP reads the files of --config, --limits and --identity again, and puts in force what they say of "
                + "identity, limits, proxies, origins and --log-requests; what takes a restart is said. Without such a "
                + "file it ends the server, as a closed terminal should.",
        ],
        options: [
            ConfigurationFile.option,
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
                "how much of a space a device may delete at a time without saying that it means to",
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
                "log-format", "FORM", "an object of JSON for each line, or text for who reads along",
                kind: .words(Log.Form.allCases.map(\.rawValue)), standard: "text on a terminal, json elsewhere"),
            .value(
                "drain", "TIME",
                "for how long a server that was told to stop says at /readyz that it is not ready, and goes on "
                    + "serving: long enough for balancers to see it", standard: "0s"),
            .value(
                "metrics-listen", "ADDRESS:PORT",
                "serve /metrics for Prometheus there, such as on 127.0.0.1:9464; it takes no token"),
            .migrations,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        // Errors in the file are reported in the form that the command line asks for.
        var log = try log(options)
        do {
            let filled = try ConfigurationFile.filling(options, of: spec)
            log = try self.log(filled)
            try await ServeRun(stated: options, options: filled, log: log).run()
            return 0
        } catch  where log.form == .json || log.statesPriority {
            log.error(Terminal.naming(SyncServerProgram.explanation(of: error)))
            return error is UsageError ? 2 : 1
        }
    }
}
