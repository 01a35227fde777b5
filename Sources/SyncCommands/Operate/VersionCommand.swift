import PGStore
import Postgres
import SyncEngine
import SyncServer
import WireFormats

/// `syncserver version`: deprecates, retires and restores versions of an app.
struct VersionCommand {
    static let spec = CommandSpec(
        "version", "Say which versions of an app are deprecated or retired, and see who would be stranded",
        details: [
            "A version ends in two steps. From the first date on it can neither pull nor push, and its users are asked "
                + "to update. Until the second date an updated app can still push what was written before. Servers "
                + "know of it within 3 s."
        ],
        subcommands: [
            CommandSpec(
                "status", "Show each version's state and dates, and who uses it", options: shared
            ) { try await run($0) { try await $0.status() } },
            CommandSpec(
                "deprecate", "Tell devices of a version that it will end; it works as before",
                arguments: [version],
                options: [
                    .value(
                        "sunset", "WHEN", "when it is to end: in a while such as 90d, or at a date such as 2027-01-31"),
                    link,
                ] + shared
            ) { try await run($0) { try await $0.deprecate() } },
            CommandSpec(
                "retire", "End a version",
                details: ["It is refused while the census knows devices that still use it."],
                arguments: [version],
                options: [
                    .value("at", "WHEN", "when it can no longer pull and push", standard: "now"),
                    .value(
                        "outbox-until", "WHEN",
                        "until when updated apps can push what was written in it", standard: "180d after that"),
                    link, .flag("force", "although devices still use it; this is written down"),
                ] + shared
            ) { try await run($0) { try await $0.retire() } },
            CommandSpec(
                "restore", "Let a version be used as if nothing had been said of it", arguments: [version],
                options: shared
            ) { try await run($0) { try await $0.restore() } },
            CommandSpec(
                "log", "Show what was done to versions, by whom, the latest first", options: shared
            ) { try await run($0) { try await $0.log() } },
        ])

    private static let version = ArgumentSpec("VERSION", "such as 0.0.4; a variant as ‘0.1.0;fp=…’")
    private static let link = OptionSpec.value("link", "URL", "a page for people, which answers and problems name")
    private static let shared: [OptionSpec] = [.app, .database, .json]

    /// The default time for which outboxes of a retired version are still accepted, which is the default age of
    /// collected tombstones: a device that was away for longer starts with a new initial sync anyway.
    private static let outboxAfter = Collector.ageDefault

    let options: Options
    let plan: Plan
    let session: Session
    let now: Timestamp

    private static func run(
        _ options: Options, _ action: (VersionCommand) async throws -> Void
    ) async throws -> Int32 {
        let plan = try Environment.plan(options)
        try await Environment.withSession(options) { session in
            let now = try await session.execute("SELECT clock_timestamp()").timestamp(0, 0)
            try await action(VersionCommand(options: options, plan: plan, session: session, now: now))
        }
        return 0
    }

    // MARK: Changing

    private func deprecate() async throws {
        var (row, _) = try await stated()
        row.deprecated = row.deprecated ?? now
        if let sunset = try StatedTime(options, "sunset") { row.sunset = try sunset.time(at: now) }
        try setLink(&row)
        let end = row.sunset.map { ", to end on \($0.day)" } ?? ""
        try await write(row, "deprecate", "deprecated\(end)")
    }

    private func retire() async throws {
        var (row, place) = try await stated()
        guard place != plan.newest else {
            throw UsageError("\(row.version) is the newest version: devices would have nothing to update to.")
        }
        let at = try StatedTime(options, "at")?.time(at: now) ?? now
        let until = try StatedTime(options, "outbox-until")?.time(at: now) ?? at.adding(VersionCommand.outboxAfter)
        guard Timestamp.wireRange.contains(until) else {
            throw UsageError(
                "Outboxes would be taken beyond the year 9999: say until when they are with ‘--outbox-until’.")
        }
        guard until >= at else {
            throw UsageError("‘--outbox-until’ is before the version ends: \(until.day), and \(at.day).")
        }
        let line = try await CensusReport.read(plan, at: now, session).lines.first { $0.version == row.version }
        let stranded = line.flatMap(VersionCommand.stranded)
        if let stranded, !options.has("force") {
            throw CommandError(
                "\(stranded) They could neither pull nor push. Nothing was changed. Deprecate it first "
                    + "(‘\(Terminal.naming("syncserver version deprecate"))’), or say ‘--force’.")
        }
        row.retired = at
        row.outboxUntil = until
        try setLink(&row)
        let devices = stranded.map { " \($0)" } ?? ""
        try await write(
            row, "retire", "retired from \(at.minute), outboxes until \(until.minute).\(devices)",
            isForced: stranded != nil)
    }

    private func restore() async throws {
        let (row, _) = try await stated()
        try await session.transaction { [plan] session in
            _ = try session.pipeline([
                VersionLives.removing(row.version, of: plan.app),
                VersionLives.noting("restore", row.version, of: plan.app, isForced: false, detail: "supported again"),
            ])
        }
        say(VersionLives.Row(app: plan.app, version: row.version), "supported again")
    }

    /// A sentence about the devices that used a version in the last 30 days and use no newer one now; `nil` if there
    /// are none.
    private static func stranded(_ line: CensusReport.Line) -> String? {
        if line.month.devices == 0, !line.hasAnonymous { return nil }
        let count = "\(line.month) \(line.month.devices == 1 ? "uses" : "use")"
        let strangers = line.hasAnonymous ? ", some of which do not say which they are" : ""
        let outbox = line.outboxAge.map {
            $0 > 0 ? "; an outbox there is \(Duration.seconds($0).roughText) old" : "; their outboxes are empty"
        }
        return "\(count) \(line.version)\(strangers)\(outbox ?? "")."
    }

    /// The lifecycle state of the version that the command line names, and its index among the shapes.
    private func stated() async throws -> (row: VersionLives.Row, place: Int) {
        let text = options.positional[0]
        guard let place = ShapeName(text).flatMap({ plan.index(of: $0) }) else {
            let known = plan.shapes.indices.map { plan.name(of: $0).description }.joined(separator: ", ")
            throw UsageError("There is no version ‘\(text)’ of \(plan.app); there is \(known).")
        }
        let name = plan.name(of: place).description
        let rows = VersionLives.Row.all(try await session.execute(VersionLives.reading))
        let known = rows.first { $0.app == plan.app && $0.version == name }
        return (known ?? VersionLives.Row(app: plan.app, version: name), place)
    }

    /// Reads the link of `--link`, which becomes part of a header.
    private func setLink(_ row: inout VersionLives.Row) throws(UsageError) {
        guard let link = options["link"] else { return }
        guard VersionLives.Row.isLink(link) else {
            throw UsageError("‘--link’ takes an address such as https://example.org/update.")
        }
        row.link = link
    }

    private func write(
        _ row: VersionLives.Row, _ action: String, _ detail: String, isForced: Bool = false
    ) async throws {
        try await session.transaction { session in
            _ = try session.pipeline([
                VersionLives.writing(row),
                VersionLives.noting(action, row.version, of: row.app, isForced: isForced, detail: detail),
            ])
        }
        say(row, detail)
    }

    private func say(_ row: VersionLives.Row, _ detail: String) {
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.life(row, at: now)
                    writer.endObject()
                })
        } else {
            Terminal.print("\(row.version): \(detail)")
        }
    }
}
