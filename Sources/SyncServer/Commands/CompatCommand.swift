import Foundation
import Glibc
import HTTPServer
import PGStore
import WireFormats

/// `syncserver compat`: do all versions of an app get along on this server?
struct CompatCommand {
    static let usage = """
        syncserver compat --app APP    every version writes, every version reads, over real HTTP

          --url URL           a running server, with --token and --space; without it, a server of its own on a
                              throwaway database
          --writer V          only these writers;  --reader V   only these readers (may be repeated)
          --seed N            the generated values; printed, so that a failure can be had again
          --junit FILE        also write JUnit XML
          --json              for machines
          --migrations PATH   the folder of migration files

        syncserver compat --app APP --fleet 3:4,0.0.8:2    devices of several versions share a space under faults, and
                              a model says what they must hold; see docs/simulator.md

          --fleet V:N,…       versions, by place from 1 or by number, and how many devices of each
          --steps N           how much happens; 20000
          --faults F,…        all, none, all but some (all,-kill), or some: drop-request, drop-response,
                              duplicate, delay, reorder, cut, kill, database, skew, upgrade, reinstall, gc,
                              refusal, epoch, migration, restore, whole, unstamped, tie, again, overlap, wipe,
                              servers, downgrade, order
          --seed N            what happens; printed
          --steps-file FILE   where to write the steps that matter; without --fleet, the steps to run again
          --tries N           how often to try to leave steps out of a run that failed; 250
          --json              for machines
        """

    static func run(_ words: [String]) async throws -> Int32 {
        let options = try Options(
            words,
            taking: [
                "app", "url", "token", "space", "seed", "junit", "migrations", "writer", "reader", "fleet", "steps",
                "faults", "steps-file", "tries",
            ],
            flags: ["json"])
        guard options.positional.isEmpty else { throw UsageError(usage) }
        if options["fleet"] != nil || options["steps-file"] != nil { return try await FleetCommand.run(options) }
        let plan = try Environment.plan(options)
        guard let seed = UInt64(options["seed"] ?? "\(UInt64.random(in: 1...UInt64(Int64.max)))") else {
            throw UsageError("‘--seed’ takes a whole number.")
        }
        let report: CompatReport
        if let url = options["url"] {
            guard let server = URL(string: url) else { throw UsageError("‘--url’ takes a URL.") }
            let run = CompatRun(
                plan: plan, server: server, space: options["space"] ?? "me", token: try options.required("token"),
                seed: seed)
            report = try await self.report(run, options)
        } else {
            report = try await TemporaryServer.with(plan, lines: Environment.migrations(options, for: [plan])) {
                server in
                try await self.report(
                    CompatRun(plan: plan, server: server.url, space: "me", token: server.token, seed: seed), options)
            }
        }
        if let file = options["junit"] {
            do {
                try Data(report.junit.utf8).write(to: URL(fileURLWithPath: file))
            } catch {
                throw CommandError("\(file) cannot be written: \(error.localizedDescription)")
            }
        }
        Terminal.print(options.has("json") ? report.json : report.text)
        return report.isGreen ? 0 : 1
    }

    private static func report(_ run: CompatRun, _ options: Options) async throws -> CompatReport {
        let writers = try versions("writer", options, run.plan)
        let readers = try versions("reader", options, run.plan)
        let outcomes = try await run.run(writers: writers, readers: readers) { outcome, done, all in
            Terminal.progress("\(done) of \(all) pairs")
        }
        Terminal.endProgress()
        return CompatReport(plan: run.plan, seed: run.seed, outcomes: outcomes)
    }

    private static func versions(_ option: String, _ options: Options, _ plan: Plan) throws(UsageError) -> [Int] {
        let texts = options.all(option)
        if texts.isEmpty { return Array(plan.shapes.indices) }
        var places: [Int] = []
        for text in texts {
            guard let place = ShapeName(text).flatMap({ plan.index(of: $0) }) else {
                throw UsageError("‘--\(option)’ takes a version of \(plan.app), such as \(plan.schemas[0].version).")
            }
            places.append(place)
        }
        return places
    }
}
