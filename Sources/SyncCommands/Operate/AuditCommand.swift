import Operations
import PGStore
import StrictJSON
import WireFormats

/// `syncserver audit`: shows the actions of operators, each with the database login that performed it.
struct AuditCommand {
    static let spec = CommandSpec(
        "audit", "Show what operators did to tokens, members, quotas, versions and epochs, the latest first",
        details: [
            "Written with what is done, by the login of the command. Secrets and subjects are never in it: a token is "
                + "named by its id. The latest \(OperatorEvents.keptMax) are kept. What devices and members do by "
                + "requests is not here."
        ],
        options: [
            .app("only about this app"),
            .value("since", "TIME", "only what was done in the time before now, such as 30d"),
            .value("most", "N", "how many at most", standard: "\(mostDefault)"), .database, .json,
        ],
        run: run)

    private static let mostDefault = 100

    static func run(_ options: Options) async throws -> Int32 {
        let app = options["app"]
        if let app { _ = try Environment.declaration(app) }
        let age = try options.duration("since")
        let most = try options.integer("most", atLeast: 1) ?? mostDefault
        let events = try await Environment.withSession(options) { session in
            try await AuditLog(session).events(app: app, since: age, most: most)
        }
        if options.has("json") { return print(events) }
        if events.isEmpty { Terminal.print("Nothing was done.") }
        for event in events {
            let prefix = event.app.map { "\($0): " } ?? ""
            Terminal.print("\(event.at)  \(event.by)  \(event.action)  \(prefix)\(event.detail)")
        }
        return 0
    }

    private static func print(_ events: [OperatorEvents.Row]) -> Int32 {
        Terminal.print(
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("events", each: events) { writer, event in
                    writer.beginObject()
                    writer.key("at")
                    writer.timestamp(event.at)
                    writer.member("by", event.by)
                    writer.member("action", event.action)
                    writer.member("app", event.app)
                    writer.member("detail", event.detail)
                    writer.endObject()
                }
                writer.endObject()
            })
        return 0
    }

    /// Prints a note if the action was performed but could not be recorded in the audit log.
    static func report(_ entry: AuditEntry) {
        guard entry == .notPermitted else { return }
        Terminal.note("It is not in ‘syncserver audit’: that takes the login that owns the tables.")
    }
}
