import Foundation
import PGMigrations
import SQLText
import StrictJSON
import WireFormats

// `schema sql --write`: one file for each version, because that is how versions are released, and served one by one.
extension SchemaCommand {
    private struct Written {
        let version: Schema.Version
        let file: String
        let text: String
        let isComplete: Bool
    }

    /// Writes a migration file for each version up to `to`. The numbers follow those of the existing files.
    static func writeFiles(_ plan: Plan, from: Int?, to: Int, _ options: Options) throws -> Int32 {
        let folder = "\(try migrationsFolder(options))/\(plan.app)"
        let isThere = FileManager.default.fileExists(atPath: folder)
        let before = isThere ? try MigrationLine.read(directory: folder).files : []
        if from == nil, let last = before.last {
            throw CommandError(
                "\(folder) has files already, up to \(last.path). Name the version that they serve as well: "
                    + "‘schema sql OLDER \(plan.schemas[to].version) --write --app \(plan.app)’.")
        }
        try refuseRepetition(before, plan, from: from, to: to)
        var written: [Written] = []
        for index in (from.map { $0 + 1 } ?? 0)...to {
            let number = before.count + written.count + 1
            let older = index == 0 ? nil : plan.schemas[index - 1].version
            let draft = MigrationDraft(plan, from: index == 0 ? nil : index - 1, to: index, number: number)
            guard let name = draft.name else { continue }
            let version = plan.schemas[index].version
            let words = ([older, version].compactMap { $0?.description } + ["--app", plan.app]).joined(separator: " ")
            written.append(
                Written(
                    version: version, file: "\(folder)/\(digits(number))-\(name).sql",
                    text: text(draft, of: version, file: nil, words), isComplete: draft.isComplete))
        }
        try save(written, in: folder)
        Terminal.print(options.has("json") ? json(written, plan) : report(written, plan, to: to))
        return 0
    }

    /// Throws an error if an existing file already makes one of the tables or columns to be drafted. Running both files
    /// would fail in the middle of `migrate up`.
    private static func refuseRepetition(
        _ before: [MigrationFile], _ plan: Plan, from: Int?, to: Int
    ) throws(CommandError) {
        let older = from.map { plan.cut(after: $0).hub.columnNames } ?? []
        let drafted = plan.cut(after: to).hub.columnNames.subtracting(older)
        for file in before {
            guard let made = file.columnsMade.intersection(drafted).min() else { continue }
            throw CommandError(
                "\(file.path) makes \(plan.app).\(made) already, and a draft would make it again. Name the version "
                    + "that the files serve as the older one; without ‘--write’ the draft is only printed.")
        }
    }

    /// Returns the folder that contains all folders of migrations: the one that is given or found; otherwise a new
    /// `Migrations` in the working directory.
    ///
    /// - Throws: `CommandError` if the given folder does not exist. A mistyped path would otherwise begin the numbering
    ///   anew.
    private static func migrationsFolder(_ options: Options) throws -> String {
        if let named = options["migrations"] {
            guard FileManager.default.fileExists(atPath: named) else {
                throw CommandError("There is no folder \(named). Make it first, or name another with ‘--migrations’.")
            }
            return named
        }
        return (try? Environment.migrationsDirectory(options)) ?? "Migrations"
    }

    /// Writes all files, or none if one of them cannot be written or exists already.
    private static func save(_ written: [Written], in folder: String) throws(CommandError) {
        var saved: [String] = []
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for draft in written {
                try Data(draft.text.utf8).write(to: URL(filePath: draft.file), options: .withoutOverwriting)
                saved.append(draft.file)
            }
        } catch {
            for file in saved { try? FileManager.default.removeItem(atPath: file) }
            throw CommandError("\(folder) cannot be written: \(error.localizedDescription)")
        }
    }

    private static func report(_ written: [Written], _ plan: Plan, to: Int) -> String {
        if written.isEmpty {
            return "The tables serve \(plan.schemas[to].version) as they are: no migration is needed."
        }
        let files = written.map { draft in
            "  \(draft.file)  \(draft.version)\(draft.isComplete ? "" : ": a step is yet to be written")"
        }
        let gaps = written.contains { !$0.isComplete } ? " and write the steps that are missing" : ""
        let next = "Read them\(gaps), then ‘syncserver migrate lint’ and ‘syncserver migrate up’."
        return (["Wrote:"] + files + [next]).joined(separator: "\n")
    }

    private static func json(_ written: [Written], _ plan: Plan) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("app", plan.app)
            writer.member("files", each: written) { writer, draft in
                writer.beginObject()
                writer.member("version", "\(draft.version)")
                writer.member("file", draft.file)
                writer.member("isComplete", draft.isComplete)
                writer.member("sql", draft.text)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}

extension Hub {
    /// The columns that store attributes, as `table.column`.
    fileprivate var columnNames: Set<String> {
        Set(entities.flatMap { entity in entity.columns.map { "\(entity.table).\($0.name)" } })
    }
}

extension MigrationFile {
    /// The columns that the file's statements make by `CREATE TABLE` or `ADD COLUMN`, as `table.column`.
    fileprivate var columnsMade: Set<String> {
        var made: Set<String> = []
        for statement in steps.flatMap(\.statements) {
            switch statement.action {
            case .createTable(let table): made.formUnion(table.columns.map { "\(table.table.name).\($0.name)" })
            case .alterTable(let table):
                for case .addColumn(let column, _) in table.commands {
                    made.insert("\(table.relation.name).\(column.name)")
                }
            default: break
            }
        }
        return made
    }
}
