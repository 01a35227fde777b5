import Operations
import WireFormats

/// `syncserver export`: writes the records of a space that are not deleted as NDJSON.
struct ExportCommand {
    static let spec = CommandSpec(
        "export", "Write the living records of a space as NDJSON",
        options: [
            .app, .value("space", "UUID", "the space", isRequired: true),
            .value("version", "VERSION", "the version in whose shape they are written", standard: "the newest"),
            .value("output", "FILE", "the file to write", kind: .file, standard: "standard output"),
            .database, .migrations,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let plan = try Environment.plan(options)
        let space = try Environment.space(options)
        let version = try version(options, plan)
        let bytes = try await Environment.withEngine(plan, options) { engine in
            try await engine.check(space)
            return try await SpaceExport(engine: engine, space: space, version: version).run { count in
                Terminal.progress("\(count) records")
            }
        }
        Terminal.endProgress()
        guard let file = options["output"] else {
            Terminal.write(bytes)
            return 0
        }
        try OutputFile.write(bytes, to: file)
        return 0
    }

    private static func version(_ options: Options, _ plan: Plan) throws(UsageError) -> Int {
        guard let text = options["version"] else { return plan.newest }
        guard let index = ShapeName(text).flatMap({ plan.index(of: $0) }) else {
            throw UsageError("‘--version’ takes a version of \(plan.app), such as \(plan.schemas[0].version).")
        }
        return index
    }
}
