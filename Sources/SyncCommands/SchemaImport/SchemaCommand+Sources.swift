import PGMigrations
import SchemaImport
import StrictJSON
import WireFormats

extension SchemaCommand {
    /// Executes `schema check --sources`: checks that the models in the app's sources still match the plan's newest
    /// version.
    static func checkSources(_ options: Options) throws -> Int32 {
        _ = try options.appName()
        let declaration = try declarations(options)[0]
        let paths = options.all("sources")
        let facts = try SourcesProgram.findOrBuild(stated: options["sources-program"]).facts(of: paths)
        let (compared, drifts, notes) = try SchemaImporter.compare(facts, models: ModelPaths(paths), with: declaration)
        let version = "\(compared)"
        let problems = problems(of: declaration)
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("app", declaration.app)
                    writer.member("version", version)
                    writer.member("inOrder", drifts.isEmpty && problems.isEmpty)
                    writer.member("problems", each: problems) { writer, problem in
                        writer.problem(
                            problem.code.rawValue, problem.subject, problem.message, remedy: problem.remedy)
                    }
                    writer.member("drifts", each: drifts) { $0.drift($1) }
                    writer.member("notes", notes)
                    writer.endObject()
                })
        } else {
            var lines =
                drifts.isEmpty
                ? ["\(declaration.app) \(version): the app's models are what the plan says"]
                : ["\(declaration.app) \(version): the app's models are not what the plan says:"]
            lines += drifts.map { "  - \($0)".wrapped() }
            lines += problems.map { "  - the plan: \($0)".wrapped() }
            lines += NoteGroup.printed(notes).map { "  note: \($0)".wrapped() }
            Terminal.print(lines.joined(separator: "\n"))
        }
        return drifts.isEmpty && problems.isEmpty ? 0 : 1
    }

    private static func problems(of declaration: any SchemaMigrationPlan.Type) -> [PlanProblem] {
        do throws(PlanError) {
            _ = try Plan(declaration)
            return []
        } catch {
            return error.problems
        }
    }
}

extension JSONWriter {
    /// Writes one difference between the sources and the plan as a JSON object.
    mutating func drift(_ drift: Drift) {
        beginObject()
        member("place", drift.place)
        member("subject", drift.subject)
        member("version", drift.version.map { "\($0)" })
        member("message", drift.message)
        member("remedy", drift.remedy)
        endObject()
    }
}
