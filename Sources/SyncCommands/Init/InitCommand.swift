import Foundation
import WireFormats

/// `syncserver init`: writes a new package whose program serves the user's own app.
struct InitCommand {
    static let spec = CommandSpec(
        "init", "Make a package for your own app: plan, server, tests, migrations",
        details: [
            "It writes a folder with the versions of your SwiftData or Core Data models (‘--from’), builds it, and "
                + "drafts its migrations. What the sources do not say is asked, in a list and in the files; see "
                + "docs/import-schemas.md. Without ‘--from’ there is an example to replace.",
            "Nothing is written over, and nothing of your app is built or changed. What was interrupted is gone on "
                + "with by the same command.",
        ],
        arguments: [ArgumentSpec("NAME", "the app, such as Pantry")],
        options: [
            .value(
                "from", "PATH", "your app's models: a Swift file, an .xcdatamodeld, or a folder of them", kind: .file,
                isRepeated: true)
        ] + SchemaCommand.sourceOptions + [
            .value("directory", "PATH", "the new folder", kind: .folder, standard: "the app's name, here"),
            .value(
                "library", "PATH|URL[@VERSION]", "where the package finds this library",
                standard: "the folder in which this program was built"),
            .flag("no-build", "only write the files"),
            .json,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let name = try PackageName(options.positional[0])
        let stated = options["directory"] ?? name.program
        let folder = URL(filePath: stated).standardizedFileURL.path
        let library = try LibraryLocation(options["library"], from: folder)
        let goesOn = try checkIsFree(folder, for: name)
        let imported = try importSources(for: name, options)
        let template = PackageTemplate(name: name, library: library, versions: imported?.result)
        try write(template.files, of: name.type, to: folder, goingOn: goesOn)
        let isBuilt = !options.has("no-build")
        let report = InitReport(template: template, folder: stated, imported: imported, isBuilt: isBuilt)
        // Printed before the build, which takes minutes and may fail.
        if isBuilt, let findings = report.findings { Terminal.note("\(findings)\n") }
        // Otherwise the build would fail with the compiler's own message.
        let missing = isBuilt ? BuildNeeds(folder: folder).all.filter { $0.state == .missing } : []
        guard missing.isEmpty else {
            throw CommandError(
                "The files are in \(folder), and cannot be built here yet:\n\(DoctorCommand.text(missing))\nThen: "
                    + "cd \(stated) && swift build && swift run \(name.program) \(template.drafting)")
        }
        if isBuilt {
            Terminal.note("Wrote \(folder). Building it, which takes some minutes the first time.")
            try launch("swift", ["build"], in: folder)
            if template.isDecided { try draftTables(template, in: folder) }
        }
        try? FileManager.default.removeItem(atPath: marker(in: folder))
        Terminal.print(options.has("json") ? report.json : report.text)
        return 0
    }

    /// Imports the versions from the sources given by ‘--from’; `nil` without the option.
    private static func importSources(for name: PackageName, _ options: Options) throws -> InitReport.Import? {
        let paths = options.all("from")
        if paths.isEmpty {
            let lone = SchemaCommand.sourceOptions.first { !options.all($0.name).isEmpty || options.has($0.name) }
            if let lone { throw UsageError("‘--\(lone.name)’ is about the sources that ‘--from’ names.") }
            return nil
        }
        let request = try ImportRequest(app: name.app, paths: paths, isPublic: true, options)
        return InitReport.Import(request: request, result: try SourceImport.run(request, namespace: name.type))
    }

    /// Drafts a migration file for each version with ‘schema sql’ of the new program. If the plan is valid but its
    /// tables cannot be drafted, the new program's command prints the reason.
    private static func draftTables(_ template: PackageTemplate, in folder: String) throws(CommandError) {
        let name = template.name
        // An interrupted run had written all of them, or none.
        if FileManager.default.fileExists(atPath: "\(folder)/Migrations/\(name.app)") { return }
        try launch(
            "swift",
            ["run", "--skip-build", name.program] + template.drafting.split(separator: " ").map(String.init),
            in: folder)
    }

    /// Returns the path of a file whose existence marks the package as unfinished. It is deleted at the end.
    private static func marker(in folder: String) -> String { "\(folder)/.init-unfinished" }

    /// Checks that the folder can be written to.
    ///
    /// - Returns: true if the command was interrupted in this folder before, and can continue.
    /// - Throws: `CommandError` if the folder contains something else.
    private static func checkIsFree(_ folder: String, for name: PackageName) throws(CommandError) -> Bool {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: folder, isDirectory: &isFolder) else { return false }
        if let begun = try? String(contentsOfFile: marker(in: folder), encoding: .utf8) {
            guard begun == name.type else {
                throw CommandError(
                    "\(folder) holds \(begun), which is unfinished: go on with that, or name another folder with "
                        + "‘--directory’.")
            }
            return true
        }
        let isEmpty = isFolder.boolValue && (try? manager.contentsOfDirectory(atPath: folder))?.isEmpty == true
        guard isEmpty else {
            throw CommandError(
                "\(folder) is there already. Name another folder with ‘--directory’. To import a package's sources "
                    + "once more, go there: swift run \(name.program) schema import PATH --anew --app "
                    + "\(name.app), and the options of the import.")
        }
        return false
    }

    /// Writes the files of the new package into the folder.
    ///
    /// - Parameters:
    ///   - name: the Swift name of the app, which is written into the file that marks the package as unfinished.
    ///   - goesOn: true if an interrupted run is continued. Files that exist already then stay unchanged.
    private static func write(
        _ files: [PackageTemplate.File], of name: String, to folder: String, goingOn goesOn: Bool
    ) throws(CommandError) {
        let manager = FileManager.default
        do {
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(name.utf8).write(to: URL(filePath: marker(in: folder)))
            for file in files {
                let url = URL(filePath: "\(folder)/\(file.path)")
                if goesOn, manager.fileExists(atPath: url.path) { continue }
                try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                // The whole file or nothing: the next run would mistake half a file for a whole one.
                try Data(file.text.utf8).write(to: url, options: .atomic)
                if file.isProgram {
                    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
                }
            }
        } catch {
            throw CommandError("\(folder) cannot be written: \(error.localizedDescription)")
        }
    }

    private static func launch(_ program: String, _ arguments: [String], in folder: String) throws(CommandError) {
        let command = ([program] + arguments).joined(separator: " ")
        let status = try ProcessOutput.show(program, arguments, in: folder)
        if status > ProcessOutput.signalled {
            throw CommandError("Interrupted: the package in \(folder) is unfinished. The same command goes on with it.")
        }
        guard status == 0 else {
            throw CommandError(
                "The files are in \(folder), but ‘\(command)’ failed there. ‘script/setup’ installs what a build needs "
                    + "of Debian; then run the command again.")
        }
    }
}
