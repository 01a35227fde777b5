import Foundation
import WireFormats

/// `syncserver export`
struct ExportCommand {
    static let usage = """
        syncserver export --app APP --space UUID    a space's living records as NDJSON, to standard output

          --version V         in the shape of this version; without it, the newest
          --output FILE       to a file
          --database URL      the database (DATABASE_URL); without it, the private cluster in .syncserver/postgres
          --migrations PATH   the folder of migration files
        """

    static func run(_ words: [String]) async throws -> Int32 {
        let options = try Options(words, taking: ["app", "space", "version", "output", "database", "migrations"])
        guard options.positional.isEmpty else { throw UsageError(usage) }
        let plan = try Environment.plan(options)
        let space = try Environment.space(options)
        let version = try version(options, plan)
        let bytes = try await Environment.withEngine(plan, options) { engine in
            try await SpaceExport(engine: engine, space: space, version: version).run { count in
                Terminal.progress("\(count) records")
            }
        }
        Terminal.endProgress()
        guard let file = options["output"] else {
            Terminal.write(bytes)
            return 0
        }
        do {
            try Data(bytes).write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw CommandError("\(file) cannot be written: \(error.localizedDescription)")
        }
        return 0
    }

    private static func version(_ options: Options, _ plan: Plan) throws(UsageError) -> Int {
        guard let text = options["version"] else { return plan.newest }
        guard let place = ShapeName(text).flatMap({ plan.index(of: $0) }) else {
            throw UsageError("‘--version’ takes a version of \(plan.app), such as \(plan.schemas[0].version).")
        }
        return place
    }
}
