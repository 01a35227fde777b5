import Foundation
import SchemaImport
import WireFormats

extension SchemaCommand {
    static func importSchemas(_ options: Options) throws -> Int32 {
        let app = try options.appName()
        let request = try ImportRequest(
            app: app, paths: options.positional, isPublic: options.has("public"), options)
        guard let plan = Environment.apps.first(where: { $0.app == app }) else {
            if options.has("anew") {
                throw UsageError("‘--anew’ is about a plan that is there, and this program has none of ‘\(app)’.")
            }
            return try begin(request, options)
        }
        return options.has("anew") ? try replace(plan, request, options) : try extend(plan, request, options)
    }

    // MARK: A new plan

    private static func begin(_ request: ImportRequest, _ options: Options) throws -> Int32 {
        let namespace = try options["namespace"] ?? request.namespace
        let directory = options["directory"] ?? "Sources/\(namespace)"
        let result = try SourceImport.run(request, namespace: namespace)
        try checkFrozen(result, request, options)
        if !options.has("dry-run") { try ImportedFiles(directory: directory).write(result.files) }
        report(SchemaImportReport(result, request, directory: directory, isWritten: !options.has("dry-run")), options)
        return 0
    }

    // MARK: A plan that is there

    /// Imports all versions again, and replaces the files that an earlier import wrote. Throws an error if a version is
    /// already published.
    private static func replace(
        _ plan: any SchemaMigrationPlan.Type, _ request: ImportRequest, _ options: Options
    ) throws -> Int32 {
        let directory = try options["directory"] ?? PlanFolder.find(plan)
        guard let newest = plan.schemas.last else {
            throw CommandError("The plan of ‘\(plan.app)’ lists no version yet: remove it, and import once more.")
        }
        let stated = VersionFile.Name(newest, isPublic: false).namespace
        let namespace = try options["namespace"] ?? stated ?? request.namespace
        var asked = request
        asked.isPublic = request.isPublic || isPublic(plan, in: directory)
        let result = try SourceImport.run(asked, namespace: namespace)
        guard try frozenVersions(of: plan.app, options).isEmpty else {
            throw CommandError(
                "Versions of ‘\(plan.app)’ are published, and ‘--anew’ would write them and their stages without what "
                    + "was answered by hand. Without it, import adds the next version; correct an earlier one in its "
                    + "file.")
        }
        if case .none = request.history, let origin = ImportedFiles(directory: directory).olderState(of: namespace) {
            throw CommandError(
                "‘\(origin.file)’ was imported from an older state, \(origin.location): say ‘--git’ or ‘--commits’ "
                    + "once more, or it becomes what the files of today say of it.")
        }
        let isWritten = !options.has("dry-run")
        if isWritten { try ImportedFiles(directory: directory).replace(by: result.files, of: namespace) }
        report(SchemaImportReport(result, asked, directory: directory, isWritten: isWritten), options)
        return 0
    }

    private static func extend(
        _ plan: any SchemaMigrationPlan.Type, _ request: ImportRequest, _ options: Options
    ) throws -> Int32 {
        let directory = try options["directory"] ?? PlanFolder.find(plan)
        let snapshots = try SourceImport.snapshots(of: request, version: nil)
        if let next = request.version, let newest = plan.schemas.last?.versionIdentifier, next <= newest {
            throw UsageError(
                "‘--version’ takes a number above \(newest), which is the newest version of \(request.app).")
        }
        var importer = SchemaImporter(
            app: request.app, isPublic: request.isPublic || isPublic(plan, in: directory),
            renamings: request.renamings)
        var result = try importer.update(plan, from: snapshots.states, next: request.version)
        try SourceImport.checkRenamings(request.renamings, result)
        result.notes = snapshots.notes + result.notes
        // Existing versions must not be written, and no new version beside an existing one that has changed.
        let isWritten = result.drifts.isEmpty && !result.files.isEmpty && !options.has("dry-run")
        if isWritten {
            let files = ImportedFiles(directory: directory)
            try files.write(result.files, plan: try files.extended("\(plan)", by: result.additions))
        }
        let frozen = try frozenVersions(of: request.app, options)
        report(
            SchemaImportReport(
                result, request, directory: directory, isWritten: isWritten, plan: "\(plan)", frozen: frozen),
            options)
        return result.drifts.isEmpty ? 0 : 1
    }

    private static func isPublic(_ plan: any SchemaMigrationPlan.Type, in directory: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.contains { name in
            let text = try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
            return text?.contains("public enum \(plan):") ?? false
        }
    }

    // MARK: What is published

    private static func frozenVersions(
        of app: String, _ options: Options
    ) throws -> [(version: Schema.Version, fingerprint: String)] {
        guard let directory = try? Environment.migrationsDirectory(options),
            let text = try? String(contentsOfFile: "\(directory)/\(SchemaLock.fileName)", encoding: .utf8)
        else { return [] }
        return try SchemaLock(parsing: text).entries.compactMap { entry in
            guard case .version(app, let version, let fingerprint, _) = entry else { return nil }
            return (version, fingerprint)
        }
    }

    /// Throws an error if the import would change a published version. It reads the lock file directly: other checks of
    /// published versions need the app's plan, and the program does not have it yet.
    private static func checkFrozen(_ result: ImportResult, _ request: ImportRequest, _ options: Options) throws {
        let frozen = try frozenVersions(of: request.app, options)
        for entry in frozen {
            let shapes = result.versions.map(\.schema).filter { $0.version == entry.version }
            guard !shapes.contains(where: { $0.fingerprint == entry.fingerprint }) else { continue }
            throw CommandError(
                "\(request.app) \(entry.version) is published with the fingerprint \(entry.fingerprint), and the "
                    + (shapes.isEmpty
                        ? "sources have no such version"
                        : "sources say \(shapes.map(\.fingerprint).joined(separator: ", "))")
                    + ". Nothing was written. Restore the sources of that version, or give what changed a number of "
                    + "its own; build the program with the app's plan, and import adds to it.")
        }
    }

    private static func report(_ report: SchemaImportReport, _ options: Options) {
        Terminal.print(options.has("json") ? report.json : report.text)
    }
}
