import PGMigrations
import PGStore
import StrictJSON
import WireFormats

extension SchemaCommand {
    /// Drafts the SQL for the tables of a version. With one version given, the draft makes all its tables in an empty
    /// database. With two versions, it changes the tables of the first into those of the second.
    static func sql(_ options: Options) throws -> Int32 {
        let plan = try appsPlan(options)
        let indices = try options.positional.map { text throws(UsageError) in try version(text, of: plan) }
        let (from, to) = indices.count == 2 ? (indices[0], indices[1]) : (nil, indices[0])
        if let variant = indices.first(where: plan.isVariant) {
            throw UsageError(
                "\(plan.name(of: variant)) is a historical variant, whose tables are drafted with the version that "
                    + "it was added with. Name versions."
            )
        }
        guard from.map({ $0 < to }) ?? true else {
            throw UsageError("‘schema sql’ leads from an older version to a newer one; name the older one first.")
        }
        if options.has("write") { return try writeFiles(plan, from: from, to: to, options) }
        let number = nextNumber(plan.app, options)
        let draft = MigrationDraft(plan, from: from, to: to, number: number)
        let file = draft.name.map { "Migrations/\(plan.app)/\(digits(number))-\($0).sql" }
        let words = "\(options.positional.joined(separator: " ")) --app \(plan.app)"
        let script = file.map { Self.text(draft, of: plan.schemas[to].version, file: $0, words) }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("app", plan.app)
                    writer.member("from", from.map { plan.schemas[$0].version.description })
                    writer.member("to", "\(plan.schemas[to].version)")
                    writer.member("file", file)
                    writer.member("sql", script)
                    writer.endObject()
                })
        } else {
            Terminal.print(
                script ?? "-- The tables serve \(plan.schemas[to].version) as they are: no migration is needed.")
        }
        return 0
    }

    /// Returns the text of a migration file, with a heading like that of the existing files.
    ///
    /// - Parameters:
    ///   - file: the path to which the user should save the text; `nil` if the command itself writes the file.
    ///   - words: the command's arguments, which the heading repeats.
    static func text(_ draft: MigrationDraft, of version: Schema.Version, file: String?, _ words: String) -> String {
        let silence = """
            -- sync: silent
            --
            -- Version \(version).
            --
            -- Silent: no record gets a new number in its space, because no device learns anything.
            """
        let gap =
            draft.isComplete
            ? "" : "\n--\n-- A step is yet to be written. Until it has a statement, every command refuses the file."
        let head = """
            \(draft.fillsRecords ? silence : "-- Version \(version).")
            --
            -- Draft of ‘syncserver schema sql \(words)’, for review.
            -- \(file.map { "Say here what it is for, and save it as\n-- \($0)" } ?? "Say here what it is for.")\(gap)
            """
        return ([head] + draft.blocks).joined(separator: "\n\n")
    }

    /// Returns the number of the app's next migration file; `nil` if no folder of migrations is found.
    private static func nextNumber(_ app: String, _ options: Options) -> Int? {
        guard let directory = try? Environment.migrationsDirectory(options),
            let lines = try? MigrationLine.readAll(directory: directory)
        else { return nil }
        return (lines.first { $0.name == app }?.files.count ?? 0) + 1
    }

    static func digits(_ number: Int?) -> String {
        guard let number else { return "NNNN" }
        return String(repeating: "0", count: max(0, 4 - "\(number)".count)) + "\(number)"
    }
}
