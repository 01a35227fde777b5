import Glibc
import PGStore
import WireFormats

/// `syncserver quarantine`: what could not be merged through a fault of ours.
struct QuarantineCommand {
    static let usage = """
        syncserver quarantine list                      what is held, and why; no values
        syncserver quarantine show ID                   one held change as it was sent
        syncserver quarantine replay ID…|--app APP|--all
                                                        merge it, once its cause is mended; what fails stays
        syncserver quarantine drop ID…                  forget it for good

          --app APP           only this app's
          --space UUID        only this space's
          --dry-run           replay: only say how it would go
          --yes               drop: without asking
          --database URL      the database (DATABASE_URL); without it, the private cluster in .syncserver/postgres
          --migrations PATH   the folder of migration files
          --json              for machines

          Exits with 1 if a replayed change stays.
        """

    private let options: Options
    private let ids: [Int64]
    private let found: Quarantine

    static func run(_ words: [String]) async throws -> Int32 {
        let options = try Options(
            words, taking: ["app", "space", "database", "migrations"], flags: ["dry-run", "yes", "all", "json"])
        guard let action = options.positional.first else { throw UsageError(usage) }
        let ids = try options.positional.dropFirst().map { word throws(UsageError) in
            guard let id = Int64(word) else { throw UsageError("‘\(word)’ is no number of a held change.") }
            return id
        }
        try check(action, ids, options)
        let plans = options["app"] == nil ? try Environment.plans() : [try Environment.plan(options)]
        let space = options["space"] == nil ? nil : try Environment.space(options)
        return try await Environment.withEngines(plans, options) { engines, _ in
            let found = try await Quarantine(engines, ids: ids, space: space)
            let command = QuarantineCommand(options: options, ids: ids, found: found)
            switch action {
            case "show": return command.show()
            case "replay": return try await command.replay()
            case "drop": return try await command.drop()
            default: return command.list()
            }
        }
    }

    private static func check(_ action: String, _ ids: [Int64], _ options: Options) throws(UsageError) {
        switch action {
        case "list" where ids.isEmpty: return
        case "show" where ids.count == 1: return
        case "drop" where !ids.isEmpty: return
        case "replay":
            let isWhole = options.has("all") || options["app"] != nil || options["space"] != nil
            guard ids.isEmpty == isWhole else {
                throw UsageError("Say what to replay: numbers from ‘syncserver quarantine list’, ‘--app’, or ‘--all’.")
            }
        default: throw UsageError(usage)
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
        var last: HeldChange?
        for change in found.changes {
            if last?.space != change.space || last?.app != change.app {
                Terminal.print("\(change.app), space \(change.space)")
                Terminal.print("  " + HeldChange.heading)
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
        var replayed: [SyncEngine.Replayed] = []
        for (engine, space, ids) in found.spaces {
            replayed += try await engine.replay(ids, in: space, isDryRun: isDryRun)
            Terminal.progress(replayed.count, of: found.changes.count)
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
        writer.key("dryRun")
        writer.bool(isDryRun)
        writer.member("replayed", each: replayed) { writer, one in one.write(to: &writer) }
        writer.endObject()
    }

    private func drop() async throws -> Int32 {
        if !options.has("json") {
            for change in found.changes { Terminal.note("\(change.app), space \(change.space): " + change.name) }
        }
        if !options.has("yes") { try confirm() }
        for (engine, space, ids) in found.spaces { try await engine.drop(ids.sorted(), in: space) }
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

    private func confirm() throws(CommandError) {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandError("What is dropped is gone. Say ‘--yes’ to drop it.")
        }
        Terminal.note("It is gone then. Drop \(found.changes.count)? [y/N]")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw CommandError("Nothing was dropped.")
        }
    }
}
