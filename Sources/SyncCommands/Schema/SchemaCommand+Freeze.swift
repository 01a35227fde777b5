import PGMigrations
import Postgres
import StrictJSON
import WireFormats

extension SchemaCommand {
    static func freeze(_ options: Options) async throws -> Int32 {
        let plans = try declarations(options).map { try Plan($0) }
        let publication = try publication(options, plans)
        let problems = publication.problems()
        guard problems.isEmpty else {
            Terminal.print(problems.map { "\($0)".wrapped() }.joined(separator: "\n"))
            return 1
        }
        let cases = try options.integer("cases", atLeast: 1) ?? casesStandard
        let seed = try seed(options)
        defer { Terminal.endProgress() }
        let added = try await publication.freeze(cases: cases, seed: seed) { app, done, all in
            Terminal.progress("\(app): \(done) of \(all) entities × versions")
        }
        Terminal.endProgress()
        if options.has("json") {
            Terminal.print(JSONWriter.text { write(added, to: &$0) })
        } else {
            Terminal.print((added.map { "  \($0.subject)" } + [summary(of: added)]).joined(separator: "\n"))
        }
        return 0
    }

    private static func summary(of added: [SchemaLock.Entry]) -> String {
        if added.isEmpty { return "Nothing to freeze: all versions and migrations are frozen already." }
        return "\(added.count) frozen. Commit Migrations/\(SchemaLock.fileName) and \(Publication.fixturesPath)."
    }

    private static func write(_ added: [SchemaLock.Entry], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("frozen", each: added) { writer, entry in
            writer.beginObject()
            switch entry {
            case .version(let app, let version, let fingerprint, let fixtures):
                writer.member("app", app)
                writer.member("version", "\(version)")
                writer.member("fingerprint", fingerprint)
                writer.member("fixtures", fixtures)
            case .migration(let path, let checksum):
                writer.member("migration", path)
                writer.member("checksum", checksum)
            }
            writer.endObject()
        }
        writer.endObject()
    }

    /// Reads the published state of the plans from the folder of migrations.
    static func publication(_ options: Options, _ plans: [Plan]) throws -> Publication {
        try Publication(
            migrations: Environment.migrationsDirectory(options), plans: plans,
            lines: Environment.migrations(options, for: plans), fixtures: options["fixtures"])
    }
}
