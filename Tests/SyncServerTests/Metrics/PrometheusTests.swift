import Foundation
import Glibc
import HTTPServer
import Postgres
import SyncEngine
import SyncServer
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests of the metrics, alerts and dashboard with Debian's Prometheus.
@Suite struct PrometheusTests: MetricsSuite {
    @Test(
        "promtool finds nothing in what Prometheus is told",
        .enabled(if: Prometheus.isThere, "There is no Prometheus here: script/test installs it"))
    func promtoolFindsNothing() async throws {
        try await withMetrics { server, port in
            try await load(server)
            let text = try await TestClient(port: port).request("GET", "/metrics").text
            let end = try await Prometheus().check(text)
            #expect(end.status == 0 && end.output.isEmpty, "\(end.output)")
            // It can fail.
            let broken = try await Prometheus().check(
                text.replacing("# HELP syncserver_requests_total", with: "# HELP x"))
            #expect(broken.status != 0 || !broken.output.isEmpty)
        }
    }

    @Test(
        "promtool takes the alerts, each of which fires in its situation and is silent in another",
        .enabled(if: Prometheus.isThere, "There is no Prometheus here: script/test installs it"),
        arguments: ["alerts", "database"])
    func theAlertsAreGood(file: String) async throws {
        let folder = "\(Repository.root)/deploy/prometheus"
        for line in ["check rules \(folder)/\(file).yml", "test rules \(folder)/tests/\(file).yml"] {
            let end = try await Prometheus().run("promtool \(line)")
            #expect(end.status == 0, "\(end.output)")
        }
        let rules = String(decoding: try Files.contents(of: "\(folder)/\(file).yml"), as: UTF8.self)
        let tests = String(decoding: try Files.contents(of: "\(folder)/tests/\(file).yml"), as: UTF8.self)
        for alert in rules.matches(of: /- alert: (\w+)/).map(\.output.1) {
            #expect(tests.contains("alertname: \(alert)\n        exp_alerts:\n"), "\(alert) fires in no test")
            #expect(tests.contains("alertname: \(alert), exp_alerts: []}"), "\(alert) is silent in no test")
        }
        // It can fail: what fires with the rule does not fire without.
        let copy = try TemporaryDirectory()
        try copy.write(rules.replacing(/> 0|== 0|> 20|> 30/, with: "> 1e18").utf8, to: "\(file).yml")
        try copy.write(tests.replacing("../\(file).yml", with: "\(file).yml").utf8, to: "tests.yml")
        #expect(try await Prometheus().run("promtool test rules \(copy.path)/tests.yml").status != 0)
    }

    @Test func theAlertsNameMetricsThatThereAre() async throws {
        let path = "\(Repository.root)/deploy/prometheus/alerts.yml"
        let rules = String(decoding: try Files.contents(of: path), as: UTF8.self)
        try await withMetrics { _, port in
            let text = try await TestClient(port: port).request("GET", "/metrics").text
            for name in rules.matches(of: /(syncserver|process)_[a-z_]+/).map({ String($0.0) }) {
                let family = name.replacing("_bucket", with: "")
                #expect(text.contains("# TYPE \(family) "), "\(name)")
            }
        }
    }

    @Test(
        "a real Prometheus scrapes a server under load, in the format that it prefers",
        .enabled(if: Prometheus.isThere, "There is no Prometheus here: script/test installs it"))
    func prometheusReadsThem() async throws {
        try await withMetrics { server, port in
            try await load(server)
            try await Prometheus().withServer(scraping: port) { prometheus in
                try await eventually("Prometheus has read how many pushes there were") {
                    let reply = try? await TestClient(port: prometheus).request(
                        "GET", "/api/v1/query?query=syncserver_requests_total%7Boperation%3D%22push%22%7D")
                    let result = reply?.json["data"]["result"].elements.first
                    return result?["value"].elements.last == "2"
                }
                try await checkDashboard(port, prometheus)
            }
            let openMetrics = try await TestClient(port: port).request(
                "GET", "/metrics", headers: ["Accept: application/openmetrics-text; version=1.0.0"])
            #expect(openMetrics.text.hasSuffix("# EOF\n"))
            #expect(openMetrics["content-type"]?.hasPrefix("application/openmetrics-text; version=1.0.0") == true)
        }
    }

    /// Each of its queries is one that Prometheus takes, of metrics that there are.
    private func checkDashboard(_ metrics: Int, _ prometheus: Int) async throws {
        let file = "\(Repository.root)/deploy/grafana/syncserver.json"
        let dashboard = try JSONValue(parsing: Array(try Files.contents(of: file)))
        let text = try await TestClient(port: metrics).request("GET", "/metrics").text
        let queries = dashboard["panels"].elements.flatMap(\.["targets"].elements).compactMap(\.["expr"].string)
        #expect(queries.count > 20)
        for query in queries {
            for name in query.matches(of: /(syncserver|process)_[a-z_]+/).map({ String($0.0) }) {
                #expect(text.contains("# TYPE \(name.replacing("_bucket", with: "")) "), "\(name)")
            }
            let asked = query.replacing("$__rate_interval", with: "1m").replacing("$job", with: ".*")
            let escaped = try #require(asked.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let reply = try await TestClient(port: prometheus).request("GET", "/api/v1/query?query=\(escaped)")
            #expect(reply.json["status"] == "success", "\(asked): \(reply.text)")
        }
        // It can fail.
        let broken = try await TestClient(port: prometheus).request("GET", "/api/v1/query?query=sum%28")
        #expect(broken.json["status"] == "error")
    }
}

/// Debian's Prometheus and its tool.
private actor Prometheus {
    private let queue = BlockingQueue(label: "prometheus")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    static let isThere = access("/usr/bin/promtool", X_OK) == 0 && access("/usr/bin/prometheus", X_OK) == 0

    /// `promtool check metrics`, which reads its input.
    func check(_ text: String) throws -> (status: Int32, output: String) {
        let folder = try TemporaryDirectory()
        try folder.write(text.utf8, to: "metrics")
        return try run("promtool check metrics < \(folder.path)/metrics")
    }

    func run(_ line: String) throws -> (status: Int32, output: String) {
        try Program(path: "/bin/sh", arguments: ["-c", line], account: .current).runToItsEnd()
    }

    /// A Prometheus that scrapes a port each second, and the port that it answers on.
    nonisolated func withServer(scraping port: Int, _ body: (Int) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        let own = SilentListener().port
        try folder.write(
            """
            global: {scrape_interval: 1s}
            scrape_configs:
              - job_name: syncserver
                static_configs: [{targets: ['127.0.0.1:\(port)']}]
            """.utf8, to: "prometheus.yml")
        let program = Program(
            path: "/usr/bin/prometheus",
            arguments: [
                "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
                "--web.listen-address=127.0.0.1:\(own)",
            ], account: .current)
        let child = try program.start(log: "\(folder.path)/log")
        defer {
            kill(child, SIGKILL)
            var status: Int32 = 0
            waitpid(child, &status, 0)
        }
        try await body(own)
    }
}
