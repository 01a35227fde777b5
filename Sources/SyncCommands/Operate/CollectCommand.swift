import PGMigrations
import StrictJSON
import SyncEngine
import SyncServer

/// `syncserver gc`: deletes old tombstones (the rows of deleted records) once, as `serve` does in the background.
struct CollectCommand {
    static let spec = CommandSpec(
        "gc", "Collect tombstones that nobody needs any more, beside a running server",
        options: [
            .value(
                "older-than", "AGE",
                "how old they must be, by the database's clock, such as 90d; a device that was away for longer pulls "
                    + "a snapshot of its spaces",
                standard: Collector.ageDefault.shortText),
            .app("only this app"),
            .flag("dry-run", "only count, at most what would go"),
            .database, .migrations, .json,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let age = try options.duration("older-than") ?? Collector.ageDefault
        let plans = options["app"] == nil ? try Environment.plans() : [try Environment.plan(options)]
        let isDryRun = options.has("dry-run")
        let reports = try await Environment.withEngines(plans, options) { open in
            try await Collector(open.engines, olderThan: age)
                .run(isDryRun ? .count : .collect, on: open.databases) { report in
                    Terminal.progress("\(report.app): \(report.spaces) spaces, \(report.tombstones) tombstones")
                }
        }
        Terminal.endProgress()
        guard let reports else {
            throw CommandError("Another process is collecting in this database; look again later.")
        }
        if options.has("json") {
            Terminal.print(json(reports, isDryRun: isDryRun))
        } else {
            for report in reports {
                Terminal.print(line(report, isDryRun: isDryRun))
                if let advice = report.advice { Terminal.print("  \(advice)".wrapped(indent: 0)) }
            }
        }
        return 0
    }

    private static func line(_ report: Collector.Report, isDryRun: Bool) -> String {
        let verb = isDryRun ? "would collect at most" : "collected"
        let busy = report.busy > 0 ? "; \(report.busy) spaces were busy" : ""
        let cleared = report.cleared > 0 ? "; what \(report.cleared) deleted records held" : ""
        let judged = report.judged > 0 ? "; \(report.judged) judged changes" : ""
        let census = report.devices > 0 ? "; \(report.devices) rows of the census" : ""
        return "\(report.app): \(verb) \(report.tombstones) tombstones, \(report.clamps) clamped stamps and "
            + "\(report.increments) increments in \(report.spaces) spaces\(cleared)\(judged)\(busy)\(census)"
    }

    private static func json(_ reports: [Collector.Report], isDryRun: Bool) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("dryRun", isDryRun)
        writer.key("apps")
        writer.beginArray()
        for report in reports {
            writer.beginObject()
            writer.member("app", report.app)
            for (name, count) in [
                ("spaces", report.spaces), ("tombstones", report.tombstones), ("cleared", report.cleared),
                ("clamps", report.clamps), ("increments", report.increments), ("judged", report.judged),
                ("devices", report.devices),
                ("busy", report.busy),
            ] {
                writer.key(name)
                writer.int(count)
            }
            writer.key("unclearable")
            writer.beginArray()
            for table in report.unclearable.sorted() { writer.string(table) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
