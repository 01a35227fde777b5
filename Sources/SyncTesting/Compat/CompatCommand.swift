import Foundation
import Glibc
import HTTPServer
package import SyncCommands
import SyncSimulator
import WireFormats

/// The command `syncserver compat`, which tests that all versions of an app are compatible on this server.
package struct CompatCommand {
    package static let spec = CompatSpec.command(run: run)

    static func run(_ options: Options) async throws -> Int32 {
        if options["fleet"] != nil || options["steps-file"] != nil {
            guard options["client"] != nil else { return try await FleetCommand.run(options) }
            return try await ClientFleetCommand.run(
                options, clients: try clients(options, try Environment.plan(options)))
        }
        for name in ["steps", "faults", "tries", "server"] where options[name] != nil {
            throw UsageError("‘--\(name)’ is for fleets: name one with ‘--fleet’.")
        }
        let plan = try Environment.plan(options)
        guard let seed = UInt64(options["seed"] ?? "\(UInt64.random(in: 1...UInt64(Int64.max)))") else {
            throw UsageError("‘--seed’ takes a whole number.")
        }
        let clients = try clients(options, plan)
        let report: CompatReport
        if let url = options["url"] {
            guard let server = URL(string: url) else { throw UsageError("‘--url’ takes a URL.") }
            let run = CompatRun(
                plan: plan, server: server, space: options["space"] ?? "me", token: try options.required("token"),
                seed: seed, clients: clients)
            report = try await self.report(run, options)
        } else {
            report = try await TemporaryServer.with(plan, lines: Environment.migrations(options, for: [plan])) {
                server in
                try await self.report(
                    CompatRun(
                        plan: plan, server: server.url, space: "me", token: server.token, seed: seed, clients: clients),
                    options)
            }
        }
        if let file = options["junit"] { try write(report.junit, to: file) }
        if let file = options["html"] { try write(report.html, to: file) }
        Terminal.print(options.has("json") ? report.json : report.text)
        return report.isGreen ? 0 : 1
    }

    private static func write(_ text: String, to file: String) throws(CommandError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        } catch {
            throw CommandError("\(file) cannot be written: \(error.localizedDescription)")
        }
    }

    private static func report(_ run: CompatRun, _ options: Options) async throws -> CompatReport {
        do {
            try await run.checkClients()
        } catch let failure as CompatFailure {
            throw CommandError("\(failure)")
        }
        let writers = try versions("writer", options, run.plan)
        let readers = try versions("reader", options, run.plan)
        let outcomes = try await run.run(writers: writers, readers: readers) { outcome, done, all in
            Terminal.progress("\(done) of \(all) pairs")
        }
        Terminal.endProgress()
        return CompatReport(plan: run.plan, seed: run.seed, outcomes: outcomes)
    }

    /// Reads the options `--client`, such as `0.0.4=./old-build --quiet`. The result is the command of each version, by
    /// index in the plan's `shapes`.
    private static func clients(_ options: Options, _ plan: Plan) throws(UsageError) -> [Int: String] {
        var clients: [Int: String] = [:]
        for text in options.all("client") {
            let parts = text.split(separator: "=", maxSplits: 1).map { String($0) }
            guard parts.count == 2, let index = ShapeName(parts[0]).flatMap({ plan.index(of: $0) }) else {
                throw UsageError(
                    "‘--client’ takes a version of \(plan.app) and the command that starts its build, such as "
                        + "\(plan.schemas[0].version)=./old-build, not ‘\(text)’.")
            }
            clients[index] = parts[1]
        }
        return clients
    }

    private static func versions(_ option: String, _ options: Options, _ plan: Plan) throws(UsageError) -> [Int] {
        let texts = options.all(option)
        if texts.isEmpty { return Array(plan.shapes.indices) }
        var indices: [Int] = []
        for text in texts {
            guard let index = ShapeName(text).flatMap({ plan.index(of: $0) }) else {
                throw UsageError("‘--\(option)’ takes a version of \(plan.app), such as \(plan.schemas[0].version).")
            }
            indices.append(index)
        }
        return indices
    }
}
