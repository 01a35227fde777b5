import PGMigrations
import PGStore
import StrictJSON
import WireFormats

/// `syncserver migrate lint`: reports statements of migration files that lock tables for long, break running versions
/// or lose data.
struct LintCommand {
    static let spec = CommandSpec(
        "lint", "Say what migration files would lock, break or lose",
        details: ["Exits with 1 at errors."],
        arguments: [
            ArgumentSpec(
                "PATH", "fitiq/0013-add-mood.sql or fitiq: a file or a line; without it, all that is not published",
                count: .any, kind: .file)
        ],
        options: [.flag("all", "published files too, which may not be changed any more"), .migrations, .json],
        run: { try run($0) })

    static func run(_ options: Options) throws -> Int32 {
        let plans = try Environment.plans()
        let lines = try Environment.migrations(options, for: plans)
        let wanted = try paths(options, plans, lines)
        let linter = MigrationLinter(plans: plans)
        let findings = try lines.flatMap { line in try linter.findings(in: line) { wanted.contains($0.path) } }
        if options.has("json") {
            Terminal.print(json(findings))
        } else {
            for finding in findings { Terminal.print(finding.description) }
            Terminal.print(summary(findings, files: wanted.count))
        }
        return findings.contains { $0.severity == .error } ? 1 : 0
    }

    /// Returns the paths of the files to lint, in the form of `MigrationFile.path`.
    private static func paths(_ options: Options, _ plans: [Plan], _ lines: [MigrationLine]) throws -> Set<String> {
        let files = lines.flatMap(\.files)
        if options.positional.isEmpty {
            if options.has("all") { return Set(lines.filter { !$0.isOfLibrary }.flatMap(\.files).map(\.path)) }
            let publication = try Publication(
                migrations: Environment.migrationsDirectory(options), plans: plans, lines: lines)
            return Set(publication.check.unfrozenMigrations.map(\.path))
        }
        return try options.positional.reduce(into: []) { paths, word in
            // A path may begin with the folder of migrations, as a shell completes it.
            let parts = word.split(separator: "/").suffix(2)
            let found = files.filter { file in
                file.path == parts.joined(separator: "/") || file.id.line == parts.last.map(String.init)
            }
            if found.isEmpty { throw UsageError("There is no migration ‘\(word)’. A path is LINE/NNNN-verb-noun.sql.") }
            paths.formUnion(found.map(\.path))
        }
    }

    private static func summary(_ findings: [LintFinding], files: Int) -> String {
        let errors = findings.count { $0.severity == .error }
        let counts = "Errors: \(errors), warnings: \(findings.count - errors), files read: \(files)."
        return files == 0 ? "Every file is published; ‘--all’ lints them too." : counts
    }

    private static func json(_ findings: [LintFinding]) -> String {
        JSONWriter.text { writer in
            writer.beginArray()
            for finding in findings { finding.write(to: &writer) }
            writer.endArray()
        }
    }
}

extension LintFinding {
    /// Writes the finding as one JSON object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("path", path)
        writer.member("line", line)
        writer.member("rule", rule)
        writer.member("severity", severity.rawValue)
        writer.member("subject", subject)
        writer.member("fault", fault)
        writer.member("advice", advice)
        writer.endObject()
    }
}
