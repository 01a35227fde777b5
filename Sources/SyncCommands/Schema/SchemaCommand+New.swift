import Foundation
import StrictJSON
import WireFormats

extension SchemaCommand {
    static func new(_ options: Options) throws -> Int32 {
        _ = try options.appName()
        let declaration = try declarations(options)[0]
        let version = try options["version"].map { text throws(UsageError) in
            guard let version = Schema.Version(text) else { throw UsageError("‘--version’ takes major.minor.patch.") }
            return version
        }
        let directory = try options["directory"] ?? PlanFolder.find(declaration)
        let scaffold = try VersionScaffold(declaration, files: sources(in: directory), version: version)
        try write(scaffold, in: directory)
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("app", declaration.app)
                    writer.member("version", "\(scaffold.version)")
                    writer.member("file", "\(directory)/\(scaffold.fileName)")
                    writer.member("text", scaffold.fileText)
                    writer.member("plan", "\(directory)/\(scaffold.planName)")
                    writer.endObject()
                })
        } else {
            Terminal.print(nextSteps(scaffold, after: declaration, in: directory))
        }
        return 0
    }

    private static func sources(in directory: String) throws(CommandError) -> [String: String] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".swift") }
            return Dictionary(
                uniqueKeysWithValues: try names.map { name in
                    (name, try String(contentsOf: URL(filePath: "\(directory)/\(name)"), encoding: .utf8))
                })
        } catch {
            throw CommandError(
                "\(directory) cannot be read (\(error.localizedDescription)). "
                    + "Run this from the repository's folder, or name the app's with ‘--directory’.")
        }
    }

    /// Writes the new version's file, which must not exist yet, and then the plan. If the plan cannot be written, the
    /// new file is deleted, because it is useless without the plan.
    private static func write(_ scaffold: VersionScaffold, in directory: String) throws(CommandError) {
        let file = URL(filePath: "\(directory)/\(scaffold.fileName)")
        do {
            try Data(scaffold.fileText.utf8).write(to: file, options: .withoutOverwriting)
        } catch {
            throw CommandError("\(file.relativePath) cannot be written: \(error.localizedDescription)")
        }
        do {
            let plan = URL(filePath: "\(directory)/\(scaffold.planName)")
            try Data(scaffold.planText.utf8).write(to: plan, options: .atomic)
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw CommandError("\(scaffold.planName) cannot be written: \(error.localizedDescription)")
        }
    }

    private static func nextSteps(
        _ scaffold: VersionScaffold, after declaration: any SchemaMigrationPlan.Type, in directory: String
    ) -> String {
        let (app, new) = (declaration.app, scaffold.version)
        let old = declaration.schemas.last.map { "\($0.versionIdentifier)" } ?? ""
        return """
            \(app) \(new) is there and changes nothing yet:

              \(directory)/\(scaffold.fileName)
              \(directory)/\(scaffold.planName): the last of ‘schemas’, and a stage to it

            Next:

              1. say what changes, in the file; where a type changes, make the stage ‘.custom’
              2. \(Terminal.command) schema check --app \(app)
                   until nothing is wrong; it says what to write
              3. \(Terminal.command) schema plan \(old) \(new) --app \(app)
                   what older versions will see
              4. \(Terminal.command) schema sql \(old) \(new) --app \(app)
                   a draft of the migration, if the tables need one; ‘--write’ saves it below
                   Migrations/\(app)
              5. \(Terminal.command) compat --app \(app)
                   every version against every other
              6. \(Terminal.command) schema freeze --app \(app)
                   before it is published: from then on the file stays as it is
            """
    }
}
