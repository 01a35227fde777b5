import Operations
import PGStore
import Postgres
import StrictJSON
import SyncEngine
import WireFormats

/// `syncserver quarantine`: shows, replays and drops changes in quarantine, which could not be merged because of a
/// fault of the server or the plan.
struct QuarantineCommand {
    static let spec = CommandSpec(
        "quarantine", "Show, replay or drop changes that a fault of ours kept from being merged",
        subcommands: [
            CommandSpec(
                "list", "List what is held, and why, without values", options: filters + shared
            ) { try await run($0) { $0.list() } },
            CommandSpec(
                "show", "Show one held change as it was sent",
                arguments: [ArgumentSpec("ID", "its number in the list")],
                options: filters + shared
            ) { try await run($0) { $0.show() } },
            CommandSpec(
                "replay", "Merge held changes once their cause is fixed; what fails stays",
                details: ["It takes numbers, or --app, --space or --all. Exits with 1 if a change stays."],
                arguments: [ArgumentSpec("ID", "the number of a change", count: .any)],
                options: [.flag("all", "everything that is held"), .flag("dry-run", "only say how it would go")]
                    + filters + shared
            ) { options in
                try checkWhatToReplay(options)
                return try await run(options) { try await $0.replay() }
            },
            CommandSpec(
                "drop", "Forget held changes for good",
                arguments: [ArgumentSpec("ID", "the number of a change", count: .atLeastOne)],
                options: [.flag("yes", "do not ask first")] + filters + shared
            ) { try await run($0) { try await $0.drop() } },
        ])

    private static let filters: [OptionSpec] = [.app("only this app"), .value("space", "UUID", "only this space")]
    private static let shared: [OptionSpec] = [.database, .migrations, .json]

    private let options: Options
    private let ids: [Int64]
    private let found: HeldChanges
    private let owner: OwnerDatabase

    private static func run(
        _ options: Options, _ action: (QuarantineCommand) async throws -> Int32
    ) async throws -> Int32 {
        let ids = try options.positional.map { word throws(UsageError) in
            guard let id = Int64(word) else { throw UsageError("‘\(word)’ is no number of a held change.") }
            return id
        }
        let plans = options["app"] == nil ? try Environment.plans() : [try Environment.plan(options)]
        let space = options["space"] == nil ? nil : try Environment.space(options)
        return try await Environment.withEngines(plans, options) { open in
            let found: HeldChanges
            do {
                found = try await HeldChanges(open.engines, ids: ids, space: space) {
                    Terminal.progress("\($0) found")
                }
            } catch let error as NotHeld {
                Terminal.endProgress()
                throw CommandError(
                    "Nothing is held under \(error.ids.map(String.init).joined(separator: ", ")). "
                        + "See ‘syncserver quarantine list’.")
            }
            Terminal.endProgress()
            return try await action(QuarantineCommand(options: options, ids: ids, found: found, owner: open.owner))
        }
    }

    /// Checks that the command line selects the changes to replay, so that no change is replayed by mistake.
    private static func checkWhatToReplay(_ options: Options) throws(UsageError) {
        let isWhole = options.has("all") || options["app"] != nil || options["space"] != nil
        guard options.positional.isEmpty == isWhole else {
            throw UsageError("Say what to replay: numbers from ‘syncserver quarantine list’, ‘--app’, or ‘--all’.")
        }
    }

    private func list() -> Int32 {
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("held", each: found.changes) { writer, change in change.writeFacts(to: &writer) }
                    writer.endObject()
                })
            return 0
        }
        var last: QuarantinedChange?
        for change in found.changes {
            if last?.space != change.space || last?.app != change.app {
                Terminal.print("\(change.app), space \(change.space)")
                Terminal.print("  " + QuarantinedChange.heading)
            }
            Terminal.print("  " + change.line(at: .now))
            last = change
        }
        Terminal.note(
            found.changes.isEmpty
                ? "Nothing is held." : "\(found.changes.count) held. Look at one with ‘syncserver quarantine show ID’.")
        return 0
    }

    private func show() -> Int32 {
        let change = found.changes[0]
        if options.has("json") {
            Terminal.print(JSONWriter.text { change.writeWhole(to: &$0) })
        } else {
            for line in change.description(at: .now) { Terminal.print(line) }
        }
        return 0
    }

    private func replay() async throws -> Int32 {
        let isDryRun = options.has("dry-run")
        let replayed = try await found.replay(isDryRun: isDryRun) {
            Terminal.progress($0, of: found.changes.count)
        }
        Terminal.endProgress()
        let kept = replayed.count { !$0.isDone }
        if options.has("json") {
            Terminal.print(JSONWriter.text { QuarantineCommand.write(replayed, isDryRun: isDryRun, to: &$0) })
        } else {
            for one in replayed { for line in one.description { Terminal.print(line) } }
            Terminal.print(
                "\(replayed.count - kept) \(isDryRun ? "would be merged" : "merged"), \(kept) "
                    + (isDryRun ? "would stay" : "stay"))
        }
        return kept == 0 ? 0 : 1
    }

    private static func write(_ replayed: [SyncEngine.Replayed], isDryRun: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("dryRun", isDryRun)
        writer.member("replayed", each: replayed) { writer, one in one.write(to: &writer) }
        writer.endObject()
    }

    private func drop() async throws -> Int32 {
        if !options.has("json") {
            for change in found.changes { Terminal.note("\(change.app), space \(change.space): " + change.name) }
        }
        if !options.has("yes") {
            try Confirmation.ask(
                for: "drop", "What is dropped is gone. It is about \(found.changes.count) changes.",
                otherwise: "Nothing was dropped.")
        }
        for entry in try await found.drop(owner: owner) { AuditCommand.report(entry) }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("dropped", each: ids) { writer, id in writer.int(id) }
                    writer.endObject()
                })
        } else {
            Terminal.print("\(found.changes.count) dropped")
        }
        return 0
    }
}
