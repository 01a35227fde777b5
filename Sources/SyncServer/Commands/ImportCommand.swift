import Foundation
import WireFormats

/// `syncserver import`
struct ImportCommand {
    static let usage = """
        syncserver import --app APP --space UUID FILE    merges an export into a space; twice is as good as once

          FILE may also be one that the app wrote before its models had versions (keeptrack). Its rows count as older
          than any edit or deletion.

          --dry-run           read the file and say what would be refused; needs no database
          --database URL      the database (DATABASE_URL); without it, the private cluster in .syncserver/postgres
          --migrations PATH   the folder of migration files

          Exits with 1 if a record was refused; the others are imported.
        """

    static func run(_ words: [String]) async throws -> Int32 {
        let options = try Options(words, taking: ["app", "space", "database", "migrations"], flags: ["dry-run"])
        guard let file = options.positional.first, options.positional.count == 1 else { throw UsageError(usage) }
        let plan = try Environment.plan(options)
        let space = try Environment.space(options)
        let content = try ImportContent(read(file), plan: plan)
        var report = ImportReport()
        if options.has("dry-run") {
            report = try await run(content, by: SpaceImport(tryingOut: plan))
        } else {
            report = try await Environment.withEngine(plan, options) { engine in
                try await run(content, by: SpaceImport(engine: engine, space: space))
            }
        }
        report.faults = (content.faults + report.faults).sorted { $0.place < $1.place }
        for fault in report.faults { Terminal.note("\(file), \(content.placeName) \(fault.place): \(fault.reason)") }
        let done = options.has("dry-run") ? "would be imported" : "imported"
        Terminal.print(
            "\(report.imported) \(done), \(report.unchanged) unchanged, \(report.overruled) overruled by what is later "
                + "there, \(report.faults.count) refused.")
        return report.faults.isEmpty ? 0 : 1
    }

    private static func run(_ content: ImportContent, by transfer: SpaceImport) async throws -> ImportReport {
        defer { Terminal.endProgress() }
        return try await transfer.run(content.items, version: content.version) { done in
            Terminal.progress(done, of: content.items.count)
        }
    }

    private static func read(_ file: String) throws(CommandError) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: file)))
        } catch {
            throw CommandError("\(file) cannot be read: \(error.localizedDescription)")
        }
    }
}
