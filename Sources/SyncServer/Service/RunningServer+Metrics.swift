package import HTTPServer
import OpenID
import PGStore
import Postgres
import SyncEngine
import WireFormats

extension RunningServer {
    /// Serves only `GET /metrics`, on an address of its own.
    ///
    /// - Throws: `HTTPServerError` if the server cannot listen on the address.
    package func serveMetrics(address: String, port: Int) throws -> HTTPServer {
        var configuration = HTTPServer.Configuration()
        configuration.address = address
        configuration.port = port
        // One Prometheus reads the metrics every few seconds, and now and then a person.
        configuration.limits.connectionsMax = RunningServer.metricsConnectionsMax
        return try HTTPServer.start(configuration) { request in
            guard request.path == "/metrics", request.method == .get else {
                return .answer(Problem.notFound("There is /metrics only.").response)
            }
            let format = MetricsText.Format(accept: request.headers["Accept"])
            return .admit(nil) { _ in
                let text = await metricsText(format)
                return HTTPResponse(status: 200, headers: ["Content-Type": format.type], body: Array(text.utf8))
            }
        }
    }

    static let metricsConnectionsMax = 32

    /// Returns all metrics as text.
    func metricsText(_ format: MetricsText.Format) async -> String {
        var text = MetricsText(format)
        let counts = metrics.counts
        text.gauge(
            "syncserver_build_info", "1, and which program this is.",
            [([("version", build.version), ("commit", build.commit)], 1)])
        text.counter(
            "syncserver_requests", "Requests by operation and status.",
            counts.requests.sorted { $0.key < $1.key }.map {
                ([("operation", $0.key.operation), ("status", "\($0.key.status)")], Double($0.value))
            })
        text.histogram(
            "syncserver_request_duration_seconds",
            "From a request's headers to its answer, with the body's arrival and waiting.",
            counts.durations.sorted { $0.key < $1.key }.map { ([("operation", $0.key)], $0.value) })
        text.counter(
            "syncserver_version_requests", "Requests about a space's data by the version that they state.",
            counts.versions.sorted { $0.key < $1.key }.map {
                ([("app", $0.key.app), ("version", $0.key.version)], Double($0.value))
            })
        text.counter(
            "syncserver_changes", "Changes that were pushed, by verdict.",
            counts.verdicts.sorted { $0.key < $1.key }.map {
                ([("app", $0.key.app), ("verdict", $0.key.verdict)], Double($0.value))
            })
        text.counter(
            "syncserver_pulled_records", "Records and deletions that pages had.",
            counts.pulled.sorted { $0.key < $1.key }.map { ([("app", $0.key)], Double($0.value)) })
        text.counter(
            "syncserver_rate_limited", "Requests that came faster than a rate allows.",
            (policy.current.rates?.refusals ?? [:]).sorted { $0.key < $1.key }.map {
                ([("limit", $0.key)], Double($0.value))
            })
        writeDatabase(&text, await databaseFigures.figures(), await databaseFigures.uses())
        text.counter(
            "syncserver_lens_faults", "Values that a version could not be told, and got the default for.",
            engines.map { ([("app", $0.plan.app)], Double($0.readFaults.count)) })
        text.counter(
            "syncserver_collected", "What was removed because it was old: tombstones, and what was remembered.",
            counts.collected.sorted { $0.key < $1.key }.map {
                ([("app", $0.key.app), ("what", $0.key.what)], Double($0.value))
            })
        text.gauge(
            "syncserver_collection_age_seconds", "Since this server last collected what is old.",
            counts.collectedAt.map { [([], (.now - $0) / .seconds(1))] } ?? [])
        writeIssuers(&text)
        writeServing(&text)
        let process = ProcessFigures()
        text.gauge("process_resident_memory_bytes", "Memory of this process.", [([], process.residentBytes)])
        text.counter("process_cpu_seconds", "Processor time of this process.", [([], process.cpuSeconds)])
        text.gauge(
            "process_start_time_seconds", "When this process started, in seconds since 1970.",
            process.startTime > 0 ? [([], process.startTime)] : [])
        text.gauge("process_open_fds", "Open files and sockets of this process.", [([], process.openFiles)])
        text.end()
        return text.text
    }

    private func writeDatabase(
        _ text: inout MetricsText, _ figures: DatabaseFigures.Figures, _ uses: [DatabaseFigures.Use]
    ) {
        text.gauge(
            "syncserver_held_changes", "Changes in quarantine, which somebody must look at.",
            figures.held.sorted { $0.key < $1.key }.map { ([("app", $0.key)], Double($0.value)) })
        text.gauge(
            "syncserver_census_devices", "Devices that used a version in the last 30 days.",
            uses.map { ([("app", $0.app), ("version", $0.version)], Double($0.devices)) })
        text.gauge(
            "syncserver_database_lock_waits", "Sessions that wait for a lock in the database.",
            [([], Double(figures.lockWaits))])
        let steps = figures.steps.map { step in
            let labels = [("line", step.line), ("number", "\(step.number)"), ("phase", step.phase)]
            return (labels: labels as MetricsText.Labels, step: step)
        }
        text.gauge(
            "syncserver_migration_steps", "Steps of migrations that are begun and not done.",
            steps.map { ($0.labels + [("state", $0.step.state)], 1) })
        let backfills = steps.filter { $0.step.phase == "backfill" }
        text.gauge(
            "syncserver_backfill_rows_done", "Rows that a backfill has been through.",
            backfills.map { ($0.labels, Double($0.step.rows.done)) })
        text.gauge(
            "syncserver_backfill_rows", "Rows that a backfill has to go through, about.",
            backfills.map { ($0.labels, Double($0.step.rows.all)) })
    }

    /// Writes the metrics of identity providers, with one series for each issuer in the operator's file.
    private func writeIssuers(_ text: inout MetricsText) {
        let issuers = policy.current.providers?.issuers ?? []
        // One issuer may have several entries, for an app each; the metric has one series, of the first entry.
        let named = issuers.enumerated().filter { index, keys in
            !issuers[..<index].contains { $0.issuer.name == keys.issuer.name }
        }.map { _, keys in
            (labels: [("issuer", keys.issuer.name.text)] as MetricsText.Labels, status: keys.status())
        }
        text.gauge(
            "syncserver_issuer_keys", "Keys of an identity provider that can be used.",
            named.map { ($0.labels, Double($0.status.keys)) })
        text.gauge(
            "syncserver_issuer_keys_age_seconds", "Since the keys of an identity provider were fetched.",
            named.compactMap { issuer in issuer.status.age.map { (issuer.labels, $0 / .seconds(1)) } })
        text.counter(
            "syncserver_issuer_keys_failures", "Fetches of an identity provider's keys that failed.",
            named.map { ($0.labels, Double($0.status.failures)) })
    }

    private func writeServing(_ text: inout MetricsText) {
        let (http, pool, events) = counts
        func gauge(_ name: String, _ help: String, _ value: Int) { text.gauge(name, help, [([], Double(value))]) }
        func counter(_ name: String, _ help: String, _ value: Int) { text.counter(name, help, [([], Double(value))]) }
        gauge("syncserver_connections", "Connections that are open, without streams.", http.openConnections)
        gauge("syncserver_streams", "Streams of events that are open.", http.openStreams)
        gauge("syncserver_requests_in_flight", "Requests that are worked on or wait for their turn.", http.inFlight)
        gauge("syncserver_buffered_bytes", "Bytes of bodies that are held.", http.bufferedBytes)
        counter("syncserver_refused_requests", "Requests that the HTTP side refused by itself.", http.refusedRequests)
        counter("syncserver_refused_connections", "Connections closed on arrival.", http.refusedConnections)
        counter("syncserver_evicted_connections", "Connections closed to make room.", http.evictedConnections)
        text.gauge(
            "syncserver_database_sessions", "Sessions of the database, by what they do.",
            [([("state", "idle")], Double(pool.idle)), ([("state", "leased")], Double(pool.leased))])
        gauge("syncserver_database_waiting", "Callers that wait for a session of the database.", pool.waiting)
        gauge("syncserver_pushes_waiting", "Pushes that wait for others.", pushesWaiting)
        let groups = engines.map(\.pushCounts)
        counter(
            "syncserver_push_transactions", "Transactions that pushes were run in.",
            groups.reduce(0) { $0 + $1.turns })
        counter(
            "syncserver_grouped_pushes", "Pushes in them: those that waited together share one.",
            groups.reduce(0) { $0 + $1.members })
        if let read = standby?.counts {
            text.counter(
                "syncserver_standby_pages", "Large pages that a standby was asked for, by what came of it.",
                [
                    ([("outcome", "behind")], Double(read.behind)), ([("outcome", "failed")], Double(read.failed)),
                    ([("outcome", "read")], Double(read.read)),
                ])
        }
        gauge("syncserver_listened_spaces", "Spaces that somebody listens to.", events.spaces)
        counter("syncserver_events_sent", "Events sent to streams.", events.sent)
        gauge(
            "syncserver_token_lookups_waiting", "Requests that wait to know who sends them.", questions.identity.waiting
        )
        counter("syncserver_token_questions", "Questions to the database about tokens.", questions.identity.questions)
    }

    private var pushesWaiting: Int { engines.reduce(0) { $0 + $1.pushesWaiting } }
}
