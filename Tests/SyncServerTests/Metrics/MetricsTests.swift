import Glibc
import HTTPServer
import OpenID
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `/metrics`: what is counted is what happened, and Prometheus reads it.
@Suite struct MetricsTests: MetricsSuite {
    @Test func whatIsCollectedIsCounted() async throws {
        try await withMetrics { (server, port) async throws in
            let meal = ID.random()
            _ = try await server.post([.create("SDMeal", meal, at: moment(1))])
            _ = try await server.post([.delete("SDMeal", meal, at: moment(2))])
            for _ in 1...2 { _ = try await server.service.collect(olderThan: .zero) }
            let samples = try await samples(port)
            #expect(samples[#"syncserver_collected_total{app="fitiq",what="tombstones"}"#] == 1)
            #expect((samples["syncserver_collection_age_seconds"] ?? -1) >= 0)
        }
    }

    /// It is just then that somebody should know: with a session of the pool, the scrape waited with all the others.
    @Test func locksAreReportedWhileAllSessionsWait() async throws {
        try await withMetrics { server, port in
            var people: [(Person, ID)] = []
            for number in 1...12 {
                let person = try await Person("person-\(number)", server)
                people.append((person, try await person.makeSpace()))
            }
            let holder = try await Session.open(server.database.superuserConnectionString)
            try await holder.execute("BEGIN")
            try await holder.execute("LOCK TABLE fitiq.sd_meal")
            // A wait ends by the session's limit, and on a busy machine a scrape may come after that. So they go on.
            let isTold = Gate()
            let pushing = Task { [people] in
                await withTaskGroup { group in
                    for (person, space) in people {
                        group.addTask { repeat { _ = try? await person.status(in: space) } while !isTold.isOpen }
                        group.addTask {
                            repeat {
                                _ = try? await person.device(in: "\(space)").push([
                                    .create("SDMeal", .random(), at: moment(1))
                                ])
                            } while !isTold.isOpen
                        }
                    }
                }
            }
            let sessions = server.service.pool.limits.sessionsMax
            try await eventually("all sessions are lent") { server.service.counts.pool.leased == sessions }
            // A session that is lent may not have come to the table yet.
            try await eventually("a wait is told while they are") {
                let waits = try await samples(port)["syncserver_database_lock_waits", default: 0]
                return waits >= 1 && server.service.counts.pool.leased == sessions
            }
            isTold.open()
            await holder.close()
            await pushing.value
        }
    }

    /// Census, locks and migrations: asked of the database, by a role that may not read who uses what.
    @Test func theStatisticsOfTheDatabaseAreReported() async throws {
        try await withMetrics { server, port in
            let device = ID.random()
            for version in ["0.0.8", "0.1.1"] {
                _ = try await server.send(
                    "GET", changing: ["Schema-Version": version, "Device-Id": device.description])
            }
            _ = try await server.send("GET", changing: ["Device-Id": ID.random().description])
            try await server.service.flushCensus()
            try await server.administer(
                """
                UPDATE sync.census_device SET last_seen = now() - interval '31 days',
                    first_seen = now() - interval '1 year' WHERE version = '0.0.8'
                """)
            try await server.administer(
                """
                INSERT INTO sync.migration_step (line, number, step, phase, state, rows_done, rows_all, error)
                VALUES ('fitiq', 93, 1, 'expand', 'done', 0, 0, ''),
                    ('fitiq', 93, 2, 'backfill', 'running', 70, 100, ''),
                    ('fitiq', 94, 1, 'expand', 'failed', 0, 0, 'a secret of a row')
                """)
            let holder = try await Session.open(server.database.superuserConnectionString)
            try await holder.execute("BEGIN")
            try await holder.execute("LOCK TABLE sync.migration_resolution")
            async let waits: Void = server.administer("DELETE FROM sync.migration_resolution")
            let watcher = try await Session.open(server.database.superuserConnectionString)
            try await eventually("a session waits") {
                try await watcher.execute(
                    """
                    SELECT count(*) FROM pg_locks
                    WHERE NOT granted AND relation = 'sync.migration_resolution'::regclass
                    """
                ).number == 1
            }
            let samples = try await samples(port)
            for session in [holder, watcher] { await session.close() }
            try await waits
            #expect(samples[#"syncserver_census_devices{app="fitiq",version="0.1.1"}"#] == 2)
            #expect(samples[#"syncserver_census_devices{app="fitiq",version="0.0.8"}"#] == nil)
            #expect(samples["syncserver_database_lock_waits"] == 1)
            let step = #"line="fitiq",number="93",phase="backfill""#
            #expect(samples["syncserver_migration_steps{\(step),state=\"running\"}"] == 1)
            #expect(samples["syncserver_backfill_rows_done{\(step)}"] == 70)
            #expect(samples["syncserver_backfill_rows{\(step)}"] == 100)
            let failed = #"line="fitiq",number="94",phase="expand",state="failed""#
            #expect(samples["syncserver_migration_steps{\(failed)}"] == 1)
            #expect(samples.keys.filter { $0.hasPrefix("syncserver_migration_steps{") }.count == 2)
            #expect(!samples.keys.contains { $0.contains("secret") })
        }
    }

    @Test func theKeysOfIssuersAreReported() async throws {
        let issuer = try TestIssuer([SigningKey("ES256")])
        let providers = IdentityProviders(try issuer.file())
        try await withTestServer(policy: RequestPolicy(providers: providers)) { server in
            let metrics = try server.service.serveMetrics(address: "127.0.0.1", port: 0)
            let labels = "{issuer=\"\(issuer.name)\"}"
            let before = try await samples(metrics.port)
            #expect(before["syncserver_issuer_keys\(labels)"] == 0)
            #expect(before["syncserver_issuer_keys_age_seconds\(labels)"] == nil)
            await providers.issuers[0].refresh()
            let after = try await samples(metrics.port)
            #expect(after["syncserver_issuer_keys\(labels)"] == 1)
            #expect((after["syncserver_issuer_keys_age_seconds\(labels)"] ?? -1) >= 0)
            #expect(after["syncserver_issuer_keys_failures_total\(labels)"] == 0)
            await metrics.stop()
        }
        await issuer.stop()
    }

    @Test func whatIsCountedIsWhatHappened() async throws {
        try await withMetrics { server, port in
            try await load(server)
            let samples = try await samples(port)
            #expect(samples[#"syncserver_requests_total{operation="push",status="200"}"#] == 2)
            #expect(samples[#"syncserver_requests_total{operation="pull",status="200"}"#] == 3)
            #expect(samples[#"syncserver_requests_total{operation="pull",status="401"}"#] == 1)
            #expect((samples[#"syncserver_requests_total{operation="none",status="404"}"#] ?? 0) >= 1)
            #expect(samples[#"syncserver_request_duration_seconds_count{operation="push"}"#] == 2)
            #expect(samples[#"syncserver_request_duration_seconds_bucket{operation="push",le="+Inf"}"#] == 2)
            #expect((samples[#"syncserver_request_duration_seconds_sum{operation="push"}"#] ?? 0) > 0)
            #expect(samples[#"syncserver_version_requests_total{app="fitiq",version="0.1.1"}"#] == 5)
            #expect(samples[#"syncserver_changes_total{app="fitiq",verdict="applied"}"#] == 1)
            #expect(samples[#"syncserver_changes_total{app="fitiq",verdict="unchanged"}"#] == 1)
            #expect(samples[#"syncserver_changes_total{app="fitiq",verdict="rejected"}"#] == 2)
            // One of the pushes is of nothing that could be read.
            #expect(samples["syncserver_push_transactions_total"] == 2)
            #expect(samples["syncserver_grouped_pushes_total"] == 2)
            #expect(samples[#"syncserver_lens_faults_total{app="fitiq"}"#] == 0)
            #expect(samples["syncserver_collection_age_seconds"] == nil)
            #expect((samples["process_resident_memory_bytes"] ?? 0) > 1e6)
            #expect((samples["process_open_fds"] ?? 0) > 3 && (samples["process_cpu_seconds_total"] ?? 0) > 0)
            // Nothing of a request is in a name or a label.
            #expect(!samples.keys.contains { $0.contains("odd") || $0.contains("nowhere") })
        }
    }

    /// However many requests of however many kinds: the same series.
    @Test func clientsCannotMakeSeries() async throws {
        try await withMetrics { server, port in
            try await load(server)
            let before = Set(try await samples(port).keys)
            for index in 0..<30 {
                _ = try await server.client().request("GET", "/v1/apps/app\(index)")
                _ = try await server.client().request("METHOD\(index)", "/v1/apps")
                _ = try await server.send("GET", changing: ["Schema-Version": "9.\(index).0"])
            }
            let after = Set(try await samples(port).keys).subtracting(before)
            #expect(!after.contains { $0.contains("app1") || $0.contains("METHOD") || $0.contains("9.1.0") })
            // Statuses that were not there before, with their operation.
            #expect(after.count < 60, "\(after)")
        }
    }

    @Test func nothingElseIsServedThere() async throws {
        try await withMetrics { _, port in
            for (method, path) in [("GET", "/"), ("POST", "/metrics"), ("GET", "/v1/apps")] {
                let reply = try await TestClient(port: port).request(method, path)
                #expect(reply.status == 404)
            }
        }
    }
}
