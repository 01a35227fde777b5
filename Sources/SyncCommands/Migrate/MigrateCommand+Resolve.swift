import Glibc
import PGMigrations
import StrictJSON

extension MigrateCommand {
    /// Records an operator's decision about a migration that failed and cannot be continued.
    func resolve() async throws -> Int32 {
        let id = try MigrateCommand.target(options.positional[0])
        let word = try options.required("as")
        guard let verdict = MigrationResolution.Verdict(rawValue: word) else {
            throw UsageError("‘--as’ takes applied or pending, not ‘\(word)’.")
        }
        let because = try options.required("because")
        guard because.contains(where: { !$0.isWhitespace }) else {
            throw UsageError("‘--because’ takes the reason, for whoever reads ‘migrate status’ later.")
        }
        let who = Environment.variable("USER") ?? "user \(getuid())"
        let steps = try await migrator.resolve(id, as: verdict, because: because, who: who)
        if asJSON {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("verdict", verdict.rawValue)
                    writer.member("steps", each: steps) { writer, step in
                        writer.beginObject()
                        writer.member("migration", step.path)
                        writer.member("phase", step.phase.rawValue)
                        writer.endObject()
                    }
                    writer.endObject()
                })
            return 0
        }
        for step in steps { Terminal.print("\(step) counts as \(verdict.rawValue).".wrapped()) }
        if verdict == .applied, !steps.contains(where: { $0.phase == .verify || $0.phase == .contract }) {
            Terminal.print("No verify step was left to ask: your word was taken for it.")
        }
        return 0
    }
}
